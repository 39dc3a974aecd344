package topologies

import (
	"bytes"
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
)

type (
	// EdgeListOptions are the options of graphs from a CSV file of edges.
	EdgeListOptions struct {
		File string            `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns step, from, to and, if there are weights, weight"`
		List topology.EdgeList `yaml:",inline"`
	}
	// GraphMLOptions are the options of a graph from a GraphML file.
	GraphMLOptions struct {
		File string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a GraphML file; its nodes are numbered in their order there"`
	}
)

// networkFile reads the file that the section of a network names.
func (at Site) networkFile(section *document.Node, name string) (text []byte, digest inputs.Digest, err error) {
	return at.Data.File(section, "file", name)
}

// BuildEdgeList builds the plan of graphs from a CSV file of edges. An error has the
// place of every fault.
func BuildEdgeList(at Site, section *document.Node) (*Plan, error) {
	s, err := decodeTopology[EdgeListOptions](at, section)
	if err != nil {
		return nil, err
	}
	text, digest, err := at.networkFile(section, s.Options.File)
	if err != nil {
		return nil, err
	}
	list := s.Options.List
	list.Nodes = at.Nodes
	sequence, err := list.Parse(s.Options.File, text)
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(sequence, limits.Product(ways(!list.Undirected), 1+bytes.Count(text, []byte{'\n'})))
	g.demand, g.data = demandFile, []inputs.Digest{digest}
	return at.plan(section, s.Common, g)
}

// BuildGraphML builds the plan of a graph from a GraphML file. An error has the place
// of every fault.
func BuildGraphML(at Site, section *document.Node) (*Plan, error) {
	s, err := decodeTopology[GraphMLOptions](at, section)
	if err != nil {
		return nil, err
	}
	text, digest, err := at.networkFile(section, s.Options.File)
	if err != nil {
		return nil, err
	}
	graph, _, err := topology.ParseGraphML(s.Options.File, text)
	if err == nil && graph.Nodes() != at.Nodes {
		err = fmt.Errorf("%s has %d nodes; the scenario has %d", s.Options.File, graph.Nodes(), at.Nodes)
	}
	if err != nil {
		return nil, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(topology.Static(graph), float64(graph.Edges()))
	g.demand, g.data = demandFile, []inputs.Digest{digest}
	return at.plan(section, s.Common, g)
}
