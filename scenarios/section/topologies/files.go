package topologies

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
)

type (
	// EdgeList is the section of graphs from a CSV file of edges.
	EdgeList struct {
		Common `yaml:",inline"`
		File   string            `yaml:"file,required" range:"a path" doc:"path, from the scenario's folder or else from where the program runs, of a CSV file with the columns step, from, to and, if there are weights, weight"`
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
	sequence, err := list.Parse(s.File, text)
	if err != nil {
		return generated{}, section.Resolve(document.At("file", "%v", err))
	}
	g := kept(sequence, limits.Product(ways(!list.Undirected), 1+bytes.Count(text, []byte{'\n'})))
	g.demand, g.data = demandFile, []inputs.Digest{digest}
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

// Extent returns the largest number of a node and of a step in an edge list. It skips fields
// that are no numbers: the list's own parser reports them with their place.
func Extent(path string, text []byte) (nodes, steps int, err error) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.ReuseRecord = '#', -1, true
	nodes, steps = 1, 1
	for {
		record, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nodes, steps, nil
		case err != nil:
			return 0, 0, fmt.Errorf("%s: %w", path, err)
		}
		for k, largest := range []*int{&steps, &nodes, &nodes} {
			if k >= len(record) {
				break
			}
			if number, err := strconv.Atoi(strings.TrimSpace(record[k])); err == nil {
				*largest = max(*largest, number)
			}
		}
		if nodes > limits.Nodes || steps > limits.Steps {
			return 0, 0, fmt.Errorf("%s has a node %d and a step %d; want at most %d nodes and %d steps", path, nodes, steps, limits.Nodes, limits.Steps)
		}
	}
}
