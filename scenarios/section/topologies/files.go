package topologies

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
)

type (
	// EdgeList is the section of graphs from a CSV file of edges.
	EdgeList struct {
		Common `yaml:",inline"`
		File   string            `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns step, from, to and, if there are weights, weight; columns names others"`
		Bin    string            `yaml:"bin" range:"a duration, such as 20s, 5m, 1h or 1d" doc:"times are clock times, in seconds or dates such as 2024-05-31T08:15:00, and a step is so long: step 1 begins with the earliest time; absent, times are numbers of steps"`
		List   topology.EdgeList `yaml:",inline"`
	}
	// GraphML is the section of a graph from a GraphML file.
	GraphML struct {
		Common `yaml:",inline"`
		File   string `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a GraphML file; its nodes are numbered in their order there"`
	}
)

// networkFile reads the file that the section of a network names.
func (at Site) networkFile(section *document.Node, name string) (text []byte, digest inputs.Digest, err error) {
	return at.Data.File(section, "file", name)
}

// compose implements Composed.
func (s *EdgeList) compose(at Site, section *document.Node) (generated, error) {
	text, digest, err := at.networkFile(section, s.File)
	if err != nil {
		return generated{}, err
	}
	list := s.List
	list.Nodes = at.Nodes
	if list.Clock, err = clockOf(s.Bin); err != nil {
		return generated{}, section.Resolve(err)
	}
	sequence, err := list.Read(s.File, text)
	var fault *option.Error
	switch {
	case errors.As(err, &fault):
		return generated{}, section.Resolve(err)
	case err != nil:
		return generated{}, section.Resolve(document.AtEach("file", err))
	}
	g := kept(sequence, limits.Product(ways(!list.Undirected), 1+bytes.Count(text, []byte{'\n'})))
	g.demand, g.data, g.names = demandFile, []inputs.Digest{digest}, sequence.Names
	if !list.Repeat && !list.Hold {
		g.ends = sequence.Steps()
	}
	return g, nil
}

// compose implements Composed.
func (s *GraphML) compose(at Site, section *document.Node) (generated, error) {
	text, digest, err := at.networkFile(section, s.File)
	if err != nil {
		return generated{}, err
	}
	graph, _, err := topology.ParseGraphML(s.File, text)
	if err == nil && graph.Nodes() != at.Nodes {
		err = fmt.Errorf("%s has %d nodes; the scenario has %d", s.File, graph.Nodes(), at.Nodes)
	}
	if err != nil {
		return generated{}, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(topology.Static(graph), float64(graph.Edges()))
	g.demand, g.data = demandFile, []inputs.Digest{digest}
	return g, nil
}

// IsNetworkFile reports by the extension whether a file holds a network by itself.
func IsNetworkFile(path string) bool {
	return slices.Contains([]string{".csv", ".graphml", ".xml"}, filepath.Ext(path))
}
