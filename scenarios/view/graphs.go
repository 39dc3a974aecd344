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
)

// Limits on the graphs of a topology in a report, and on the topologies.
const (
	mostGraphs     = 6
	mostTopologies = 4
	mostMoving     = 60 // steps of a network that changes
)

// describeTopologies returns the networks of the arms. Arms with the same graphs share one,
// which names its arms where there are several networks. steps are the steps of the graphs to
// draw, the paper's numbers; empty takes the first few different ones. The remark is about all
// of them.
func describeTopologies(s *study.Scenario, steps []int) (list []report.Topology, remark string, err error) {
	type group struct {
		first *study.Arm
		names []string
	}
	var groups []*group
	for _, arm := range s.Arms {
		i := slices.IndexFunc(groups, func(g *group) bool { return sameNetwork(g.first, arm) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{first: arm})
		}
		groups[i].names = append(groups[i].names, arm.Name)
	}
	for _, g := range groups[:min(len(groups), mostTopologies)] {
		t, err := describeNetwork(g.first, s.Seeds.Base, steps)
		if err != nil {
			return nil, "", err
		}
		if len(groups) > 1 {
			t.Title = strings.Join(g.names, ", ")
		}
		list = append(list, t)
	}
	remark = fmt.Sprintf("Graphs that are drawn at random are those of seed %d.", s.Seeds.Base)
	if n := len(groups) - mostTopologies; n > 0 {
		remark += " The networks of " + document.Counted(n, "more group") + " of arms are not shown."
	}
	return list, remark, nil
}

// sameNetwork reports whether two arms have the same graphs with the same
// numbers of steps and nodes.
func sameNetwork(a, b *study.Arm) bool {
	return a.Topology == b.Topology && a.File.Horizon == b.File.Horizon &&
		a.Extent.FirstStep == b.Extent.FirstStep && a.Extent.FirstLabel == b.Extent.FirstLabel
}

// describeNetwork draws an arm's graphs under a seed, at the given steps or, without any,
// at those where the first few different graphs appear. The remark says whether the
// graphs repeat.
func describeNetwork(arm *study.Arm, seed uint64, steps []int) (t report.Topology, err error) {
	sequence, err := arm.Topology.Sequence(seed)
	if err != nil {
		return t, err
	}
	first, horizon := arm.Extent.FirstStep, arm.File.Horizon
	search := horizon
	period, periodic := sequence.Period()
	if periodic {
		search = min(horizon, period)
	}
	if len(steps) == 0 {
		steps, t.Remark = firstGraphs(sequence.Epoch, search, first)
	}
	for _, step := range steps {
		if step < first || step >= first+horizon {
			return t, document.BadInput(fmt.Errorf("step %d is not one of the run's, %d to %d", step, first, first+horizon-1))
		}
		t.Graphs = append(t.Graphs, diagram.Graph{
			Title: "Step " + strconv.Itoa(step), Graph: sequence.At(step - first), FirstLabel: arm.Extent.FirstLabel,
		})
	}
	t.Steps = movingNodes(arm, sequence)
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

// movingNodes returns the graphs of the first steps, one for each step, for the page to
// play. It is nil for a network that does not change among them. Steps with the same
// graph share it.
func movingNodes(arm *study.Arm, sequence topology.Sequence) (list []diagram.Graph) {
	graphs := map[int]*topology.Graph{}
	for step := range min(arm.File.Horizon, mostMoving) {
		epoch := sequence.Epoch(step)
		if graphs[epoch] == nil {
			graphs[epoch] = sequence.At(step)
		}
		list = append(list, diagram.Graph{
			Title: "Step " + strconv.Itoa(step+arm.Extent.FirstStep), Graph: graphs[epoch], FirstLabel: arm.Extent.FirstLabel,
		})
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
