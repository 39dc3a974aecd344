package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/report"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// Limits on the graphs of a topology in a report, and on the topologies.
const (
	mostGraphs     = 6
	mostTopologies = 24
	mostMoving     = 60 // steps of a network that changes
	mostNamed      = 3  // arms in a title
)

// networkGroup are arms with one network, by the names that people read.
type networkGroup struct {
	first *study.Arm
	names []string
	drawn report.Topology
}

// networkGroups returns the arms by their graphs and Byzantine nodes.
func networkGroups(s *study.Scenario) (groups []*networkGroup) {
	labels := plot.ArmLabels(plot.Arms(s))
	for _, arm := range s.Arms {
		i := slices.IndexFunc(groups, func(g *networkGroup) bool { return sameNetwork(g.first, arm) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &networkGroup{first: arm})
		}
		groups[i].names = append(groups[i].names, labels[arm.Name])
	}
	return groups
}

// drawnGroups draws the networks of groups, and joins groups with the same pictures: arms may build
// equal graphs apart.
func drawnGroups(s *study.Scenario, groups []*networkGroup, steps []int) (list []*networkGroup, err error) {
	for _, g := range groups {
		if g.drawn, err = describeNetwork(s, g.first, steps); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(other *networkGroup) bool { return sameDrawing(&other.drawn, &g.drawn) })
		if i < 0 {
			list = append(list, g)
			continue
		}
		list[i].names = append(list[i].names, g.names...)
	}
	return list, nil
}

// describeTopologies returns the networks of the arms. Arms with the same graphs and the same
// Byzantine nodes share one, which names its arms where there are several networks. steps are
// the steps of the graphs to draw, the paper's numbers; empty takes the first few different
// ones. The remark is about all of them.
func describeTopologies(s *study.Scenario, steps []int) (list []report.Topology, remark string, err error) {
	all := networkGroups(s)
	groups, err := drawnGroups(s, all[:min(len(all), mostTopologies)], steps)
	if err != nil {
		return nil, "", err
	}
	drawn, byzantine, served := false, false, false
	for _, g := range groups {
		t := g.drawn
		if len(groups) > 1 || len(all) > mostTopologies {
			t.Title = strings.Join(g.names, "; ")
			if n := len(g.names); n > mostNamed {
				t.Title = fmt.Sprintf("%s and %d more arms", g.names[0], n-1)
				t.Arms = g.names
			}
		}
		list = append(list, t)
		drawn, byzantine = drawn || g.first.Topology.Seeded(), byzantine || g.first.Adversaries != nil
		served = served || g.first.Extent.Server
	}
	var remarks []string
	if drawn {
		remarks = append(remarks, fmt.Sprintf("Graphs that are drawn at random are of seed %d.", s.Seeds.Base))
	}
	if byzantine {
		remarks = append(remarks, "A red diamond is a Byzantine node.")
	}
	if served {
		remarks = append(remarks, "A square is a server.")
	}
	if n := len(all) - mostTopologies; n > 0 {
		remarks = append(remarks, "The networks of "+document.Counted(n, "more group")+" of arms are not shown.")
	}
	return list, strings.Join(remarks, " "), nil
}

// sameDrawing reports whether two networks have the same pictures and remarks.
func sameDrawing(a, b *report.Topology) bool {
	same := func(g, h diagram.Graph) bool {
		return g.Graph.Nodes() <= diagram.MostNodes && g.Title == h.Title && g.FirstLabel == h.FirstLabel && slices.Equal(g.Byzantine, h.Byzantine) && slices.Equal(g.Servers, h.Servers) &&
			slices.Equal(diagram.Pieces(&g), diagram.Pieces(&h)) && diagram.Describe(g.Graph) == diagram.Describe(h.Graph)
	}
	return a.Remark == b.Remark && len(a.Graphs) > 0 && slices.EqualFunc(a.Graphs, b.Graphs, same) && slices.EqualFunc(a.Steps, b.Steps, same)
}

// sameNetwork reports whether two arms have the same graphs with the same
// numbers of steps and nodes, and the same Byzantine nodes.
func sameNetwork(a, b *study.Arm) bool {
	return a.Topology == b.Topology && a.File.Horizon == b.File.Horizon &&
		a.Extent.FirstStep == b.Extent.FirstStep && a.Extent.FirstLabel == b.Extent.FirstLabel && slices.Equal(byzantineOf(a), byzantineOf(b))
}

// describeNetwork draws an arm's graphs under the first seed, at the given steps or, without
// any, at the steps where the first few different graphs appear. The remark says whether the
// graphs repeat.
func describeNetwork(s *study.Scenario, arm *study.Arm, steps []int) (t report.Topology, err error) {
	if arm.Topology.Loose {
		t.Remark = "The graphs are not drawn: " + tooLoose + "."
		return t, nil
	}
	n, err := networkOf(s, arm, s.Seeds.Base)
	if err == nil {
		n, err = n.pictured()
	}
	if err != nil {
		return t, err
	}
	search := n.Horizon
	period, periodic := n.Graphs.Period()
	if periodic {
		search = min(n.Horizon, period)
	}
	free := len(steps) == 0
	if free {
		steps, t.Remark = firstGraphs(n.Graphs.Epoch, search, n.FirstStep)
	}
	for _, step := range steps {
		if step < n.FirstStep || step >= n.FirstStep+n.Horizon {
			return t, document.BadInput(fmt.Errorf("step %d is not one of the run's, %d to %d", step, n.FirstStep, n.FirstStep+n.Horizon-1))
		}
	}
	var places Places
	if n.Graphs.Nodes() <= diagram.MostNodes {
		if places, err = n.Places(topology.Measures{}); err != nil {
			return t, err
		}
	}
	bare := -1 // a step without an edge: its picture says nothing beside others
	for i, step := range steps {
		g := n.Graphs.At(step - n.FirstStep)
		if last := i+1 == len(steps) && len(t.Graphs) == 0; free && !last && g.Edges() == g.SelfLoops() {
			bare = step
			continue
		}
		t.Graphs = append(t.Graphs, n.graphOf(step-n.FirstStep, g, places))
	}
	if bare >= 0 && len(t.Graphs) > 0 {
		t.Remark = strings.TrimSpace(fmt.Sprintf("In some steps, such as step %d, no node sends. %s", bare, t.Remark))
	}
	t.Steps = n.movingNodes(places)
	when := "The graphs do not repeat"
	switch {
	case periodic && period == 1:
		when = "The graph is the same at every step"
	case periodic:
		when = fmt.Sprintf("The graphs repeat every %d steps", period)
	}
	t.Remark = strings.TrimSpace(when + ". " + t.Remark)
	return t, nil
}

// graphOf is the graph of a step, from 0, to be drawn.
func (n *Network) graphOf(step int, g *topology.Graph, places Places) diagram.Graph {
	drawn := diagram.Graph{
		Title: "Step " + strconv.Itoa(step+n.FirstStep), Graph: g, FirstLabel: n.FirstLabel, Byzantine: n.Byzantine, Servers: n.Central, Names: n.Names,
		Blocks: n.Blocks, Located: n.Located,
	}
	if places.nodes > 0 {
		drawn.Places = places.At(step)
	}
	return drawn
}

// movingNodes returns the graphs of the first steps, one for each step, for the page to
// play. It is nil for a network that does not change among them. Steps with the same
// graph share it.
func (n *Network) movingNodes(places Places) (list []diagram.Graph) {
	graphs := map[int]*topology.Graph{}
	for step := range min(n.Horizon, mostMoving) {
		epoch := n.Graphs.Epoch(step)
		if graphs[epoch] == nil {
			graphs[epoch] = n.Graphs.At(step)
		}
		list = append(list, n.graphOf(step, graphs[epoch], places))
	}
	if len(graphs) < 2 {
		return nil
	}
	return list
}

// firstGraphs returns the steps, numbered from first, at which a graph not seen before appears
// among the first search steps, up to mostGraphs of them. epoch identifies graphs: equal
// numbers are equal graphs. The remark says that there are more.
func firstGraphs(epoch func(step int) int, search, first int) (steps []int, remark string) {
	seen := map[int]bool{}
	for step := range search {
		if seen[epoch(step)] {
			continue
		}
		if len(steps) == mostGraphs {
			return steps, fmt.Sprintf("The first %d different ones are shown.", mostGraphs)
		}
		seen[epoch(step)] = true
		steps = append(steps, first+step)
	}
	return steps, ""
}
