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
// or of a network with servers all steps together. Arms with the same picture share it, and its description. The sheet is
// nil where all arms have one network, and where their pictures are the same. More networks than one sheet holds, and one
// that is too large to be drawn, are InputErrors. Once the context is done, the error is the context's.
func PictureOfArms(ctx context.Context, s *study.Scenario, seed uint64) (*diagram.Sheet, []ArmsNetwork, error) {
	var graphs []*diagram.Graph
	list, err := networksOfArms(ctx, s, seed, func(n *Network) (int, error) {
		g, err := n.first(ctx)
		if err != nil {
			return 0, err
		}
		at := slices.IndexFunc(graphs, func(other *diagram.Graph) bool { return samePicture(other, g) })
		if at < 0 {
			at, graphs = len(graphs), append(graphs, g)
		}
		return at, nil
	})
	if len(graphs) < 2 || err != nil { // of one picture only later steps differ: one arm has them
		return nil, list, err
	}
	if len(graphs) > mostNetworks {
		return nil, nil, document.BadInput(fmt.Errorf("%s has %d networks, and a sheet holds %d; choose an arm by --arm: %s", s.Name, len(graphs), mostNetworks, document.List(plot.LabelList(plot.Arms(s)))))
	}
	for k, g := range graphs {
		g.Title, g.Note = list[k].Title(), cmp.Or(g.ServersText(), list[k].brief())
	}
	p := &diagram.Panels{Title: s.Name + ": the networks of the arms", Graphs: graphs}
	if slices.ContainsFunc(graphs, func(g *diagram.Graph) bool { return g.Share }) {
		p.Text = []string{"Networks with servers have the edges of all steps, others those of the first step."}
	}
	sheet, ok := diagram.NewPanels(p)
	if !ok {
		return nil, nil, document.BadInput(fmt.Errorf("%s has networks with too many edges to be drawn beside each other; choose an arm by --arm: %s", s.Name, document.List(plot.LabelList(plot.Arms(s)))))
	}
	return sheet, list, nil
}

// NetworksOfArms describes the networks of the arms of a scenario under a seed, each once with its arms; nil where all arms
// have one. Once the context is done, the error is the context's.
func NetworksOfArms(ctx context.Context, s *study.Scenario, seed uint64) ([]ArmsNetwork, error) {
	var networks []*Network
	return networksOfArms(ctx, s, seed, func(n *Network) (int, error) {
		at := slices.IndexFunc(networks, func(other *Network) bool { return other.equals(n) })
		if at < 0 {
			at, networks = len(networks), append(networks, n)
		}
		return at, nil
	})
}

// networksOfArms describes the networks of the arms of a scenario, each once with its arms; nil where all arms have one. The
// function returns the place of a network among the different ones so far: their number for a new one.
func networksOfArms(ctx context.Context, s *study.Scenario, seed uint64, placeOf func(n *Network) (int, error)) (list []ArmsNetwork, err error) {
	if oneNetwork(s, seed) {
		return nil, nil
	}
	labels := plot.ArmLabels(plot.Arms(s))
	for _, arm := range s.Arms {
		n, err := networkOf(s, arm, seed)
		if err != nil {
			return nil, err
		}
		at, err := placeOf(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels[arm.Name], err)
		}
		if at == len(list) {
			d, err := n.Describe(ctx, n.FirstStep, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", labels[arm.Name], err)
			}
			list = append(list, ArmsNetwork{NetworkDescription: d})
		}
		list[at].Arms = append(list[at].Arms, cmp.Or(labels[arm.Name], arm.Name))
	}
	return list, nil
}

// ArmsNetwork describes the network that some arms share, at its first step. Arms are their names for people.
type ArmsNetwork struct {
	Arms []string
	NetworkDescription
}

// mostTogether is the number of arms that the title of a picture names.
const mostTogether = 2

// Title names the arms: of many the first, with the number of the others.
func (a *ArmsNetwork) Title() string {
	if n := len(a.Arms); n > mostTogether {
		return fmt.Sprintf("%s; and %d more", a.Arms[0], n-1)
	}
	return strings.Join(a.Arms, "; ")
}

// brief states in a line how well a network is connected; empty for a network with servers, and for one node.
func (d *NetworkDescription) brief() string {
	var parts []string
	switch {
	case d.Served || d.Nodes < 2:
		return ""
	case d.SmallestB == nil && d.Components.Largest > 1:
		if d.Components.Smallest == d.Components.Largest {
			return "not connected: " + document.Counted(d.Components.Largest, "component")
		}
		return fmt.Sprintf("not connected: up to %s in a step", document.Counted(d.Components.Largest, "component"))
	case d.SmallestB != nil && *d.SmallestB > 1:
		parts = append(parts, fmt.Sprintf("connected in every %d steps", *d.SmallestB))
	}
	if d.SpectralGap != nil {
		parts = append(parts, fmt.Sprintf("spectral gap %.2g", *d.SpectralGap))
	}
	if d.Diameter != nil {
		parts = append(parts, fmt.Sprintf("diameter %.2g", *d.Diameter))
	}
	return strings.Join(parts, ", ")
}

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
