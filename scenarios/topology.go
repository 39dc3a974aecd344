package scenarios

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
	"starling/scenarios/results/report"
)

// Network is the network of an arm under a seed, or that of a file, to be
// described.
type Network struct {
	Name       string
	Graphs     topology.Sequence
	Horizon    int // steps 0 .. Horizon-1 of Graphs are looked at
	FirstStep  int // the number of the first step in print
	FirstLabel int // that of the first node
}

// oneNetwork tells whether all arms have the same graphs.
func (s *Scenario) oneNetwork() bool {
	return !slices.ContainsFunc(s.Arms, func(arm *Arm) bool {
		return arm.topology != s.Arms[0].topology || arm.file.Horizon != s.Arms[0].file.Horizon || arm.file.Nodes != s.Arms[0].file.Nodes
	})
}

// Network returns the graphs of an arm, by its name, under a seed. An empty name
// is the only arm's, or stands for all of them where their graphs are the same.
func (s *Scenario) Network(name string, seed uint64) (*Network, error) {
	var names []string
	for _, arm := range s.Arms {
		names = append(names, arm.Name)
	}
	i := slices.Index(names, name)
	switch {
	case name == "" && s.oneNetwork():
		i = 0
	case name == "":
		return nil, BadInput(fmt.Errorf("%s has %d arms; choose one by --arm: %s", s.Name, len(names), strings.Join(names, ", ")))
	case i < 0:
		return nil, BadInput(fmt.Errorf("%s has no arm %q%s", s.Name, name, document.Suggest(name, names, "it has")))
	}
	arm := s.Arms[i]
	sequence, err := arm.topology.sequence(seed)
	if err != nil {
		return nil, err
	}
	return &Network{s.Name + ", " + arm.Name, sequence, arm.file.Horizon, arm.algorithm.firstStep, arm.algorithm.firstLabel}, nil
}

// IsNetworkFile tells by the extension whether a file holds a network of itself.
func IsNetworkFile(path string) bool {
	return slices.Contains([]string{".csv", ".graphml", ".xml"}, filepath.Ext(path))
}

// ReadNetwork reads a network from an edge list, which counts from 1, or from
// GraphML. A list has as many nodes and steps as the largest numbers in it.
func ReadNetwork(path string) (*Network, error) {
	text, err := readRegular(path)
	if err != nil {
		return nil, BadInput(err)
	}
	n := &Network{Name: filepath.Base(path), Horizon: 1, FirstStep: 1, FirstLabel: 1}
	if filepath.Ext(path) == ".csv" {
		list := topology.EdgeList{}
		if list.Nodes, n.Horizon, err = extent(path, text); err == nil {
			n.Graphs, err = list.Parse(path, text)
		}
	} else {
		var g *topology.Graph
		if g, _, err = topology.ParseGraphML(path, text); err == nil {
			n.Graphs = topology.Static(g)
		}
	}
	if err != nil {
		return nil, BadInput(err)
	}
	return n, nil
}

// extent is the largest number of a node and of a step in an edge list. What is
// no number is left to the list's own parser, which names its place.
func extent(path string, text []byte) (nodes, steps int, err error) {
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
		if nodes > mostNodes || steps > mostSteps {
			return 0, 0, fmt.Errorf("%s has a node %d and a step %d; want at most %d nodes and %d steps", path, nodes, steps, mostNodes, mostSteps)
		}
	}
}

// Picture draws the graph of a step, by its number in print, as an SVG file.
func (n *Network) Picture(step int) (string, error) {
	text := report.Picture(report.Graph{
		Title: n.Name + ", step " + strconv.Itoa(step), Graph: n.Graphs.At(step - n.FirstStep), FirstLabel: n.FirstLabel,
	})
	if text == "" {
		return "", BadInput(fmt.Errorf("a graph of %d nodes is too large to draw", n.Graphs.Nodes()))
	}
	return text, nil
}
