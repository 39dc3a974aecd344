package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/results/diagram"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// mostNetworks is the largest number of networks on one sheet.
const mostNetworks = 12

// PictureOfArms draws the networks of the arms of a scenario under a seed as small pictures on one sheet: the first step,
// or of a network with servers all steps together. Arms with the same picture share it. The sheet is nil where all arms have one network. More networks
// than one sheet holds, and one that is too large to be drawn, are InputErrors. Once the context is done, the
// error is the context's.
func PictureOfArms(ctx context.Context, s *study.Scenario, seed uint64) (*diagram.Sheet, error) {
	if oneNetwork(s, seed) {
		return nil, nil
	}
	labels := plot.ArmLabels(plot.Arms(s))
	var graphs []*diagram.Graph
	var names [][]string
	for _, arm := range s.Arms {
		n, err := networkOf(s, arm, seed)
		if err != nil {
			return nil, err
		}
		g, err := n.first(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels[arm.Name], err)
		}
		at := slices.IndexFunc(graphs, func(other *diagram.Graph) bool { return samePicture(other, g) })
		if at < 0 {
			at = len(graphs)
			graphs, names = append(graphs, g), append(names, nil)
		}
		names[at] = append(names[at], cmp.Or(labels[arm.Name], arm.Name))
	}
	if len(graphs) > mostNetworks {
		return nil, document.BadInput(fmt.Errorf("%s has %d networks, and a sheet holds %d; choose an arm by --arm: %s", s.Name, len(graphs), mostNetworks, document.List(plot.LabelList(plot.Arms(s)))))
	}
	for k := range graphs {
		graphs[k].Title = strings.Join(names[k], "; ")
		if len(names[k]) > mostTogether {
			graphs[k].Title = fmt.Sprintf("%s; and %d more", names[k][0], len(names[k])-1)
		}
	}
	sheet, ok := diagram.NewPanels(&diagram.Panels{
		Title: s.Name + ": the networks of the arms", Graphs: graphs,
		Text: []string{"Networks with servers have the edges of all steps, others those of the first step."},
	})
	if !ok {
		return nil, document.BadInput(fmt.Errorf("%s has networks with too many edges to be drawn beside each other; choose an arm by --arm: %s", s.Name, document.List(plot.LabelList(plot.Arms(s)))))
	}
	return sheet, nil
}

// mostTogether is the number of arms that the title of a picture names.
const mostTogether = 2

// first is the graph of the first step; of a network with servers, to which nodes need not send in every step, it has the
// edges of all steps that are looked at.
func (n *Network) first(ctx context.Context) (*diagram.Graph, error) {
	n, err := n.pictured()
	if err != nil {
		return nil, err
	}
	if nodes := n.Graphs.Nodes(); nodes > diagram.MostNodes {
		return nil, document.BadInput(fmt.Errorf("a graph of %d nodes is too large to draw; want at most %d", nodes, diagram.MostNodes))
	}
	measures := topology.Measures{Stop: ctx.Err}
	places, err := n.Places(measures)
	if err != nil {
		return nil, err
	}
	if !n.Served {
		graph, err := measures.At(n.Graphs, 0)
		if err != nil {
			return nil, err
		}
		g := n.graphOf(0, graph, places)
		g.Absent = n.away(0)
		return &g, nil
	}
	graph, err := n.shares(measures, 0, min(n.Horizon, mostSearched))
	if err != nil {
		return nil, err
	}
	g := n.graphOf(0, graph, places)
	g.Total, g.Share = true, true
	return &g, nil
}

// samePicture reports whether two networks look alike: by their edges, servers, names and Byzantine nodes.
func samePicture(a, b *diagram.Graph) bool {
	return a.Graph.Nodes() == b.Graph.Nodes() && sameEdges(a.Graph, b.Graph) && slices.Equal(a.Servers, b.Servers) &&
		slices.Equal(a.Byzantine, b.Byzantine) && slices.Equal(a.Absent, b.Absent) && len(a.Names) == len(b.Names)
}
