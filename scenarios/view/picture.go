package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/results/diagram"
)

// Picture draws the graph of a step, by its number in print, or, for a window of several steps
// from there on, the union of their graphs, in which the weight of an edge is its total. A step
// or window beyond the horizon, and a graph that is too large to be drawn, are InputErrors.
// Once the context is done, the error is the context's.
func (n *Network) Picture(ctx context.Context, step, window int) (*diagram.Sheet, error) {
	first, err := n.checked(step, window)
	if err != nil {
		return nil, err
	}
	last := step + window - 1
	if end := n.FirstStep + n.Horizon - 1; last > end {
		return nil, document.BadInput(fmt.Errorf("the window of %d steps from step %d on goes beyond step %d, the last", window, step, end))
	}
	if nodes := n.Graphs.Nodes(); nodes > diagram.MostNodes {
		return nil, document.BadInput(fmt.Errorf("a graph of %d nodes is too large to draw; want at most %d", nodes, diagram.MostNodes))
	}
	measures := topology.Measures{Stop: ctx.Err}
	g := diagram.Graph{Title: fmt.Sprintf("%s, step %d", n.Name, step), FirstLabel: n.FirstLabel, Total: window > 1, Byzantine: n.Byzantine, Servers: n.Central}
	if !g.Total {
		g.Graph, err = measures.At(n.Graphs, first)
	} else {
		g.Title = fmt.Sprintf("%s, steps %d to %d", n.Name, step, last)
		g.Graph, err = measures.WindowUnion(n.Graphs, first, window)
	}
	if err != nil {
		return nil, err
	}
	if !diagram.Many(g.Graph) {
		places, err := n.Places(measures)
		if err != nil {
			return nil, err
		}
		g.Places = places.At(first)
	}
	sheet, _ := diagram.NewSheet(&g)
	return sheet, nil
}

// mostPeriod is the most different graphs of a period that a picture has, and mostSearched the longest period.
const mostPeriod, mostSearched = 8, 64

// PeriodPicture draws the different graphs of a network that repeats, and their union over a period, as small pictures on
// one sheet. The sheet is nil for a network without a period, with one graph, with many different ones, and with graphs
// that are drawn as matrices. Once the context is done, the error is the context's.
func (n *Network) PeriodPicture(ctx context.Context) (*diagram.Sheet, error) {
	period, periodic := n.Graphs.Period()
	if !periodic || period < 2 || period > min(n.Horizon, mostSearched) || n.Graphs.Nodes() > diagram.MostNodes {
		return nil, nil
	}
	measures := topology.Measures{Stop: ctx.Err}
	places, err := n.Places(measures)
	if err != nil {
		return nil, err
	}
	var graphs []*diagram.Graph
	var steps [][]int
	for step := range period {
		g, err := measures.At(n.Graphs, step)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(graphs, func(other *diagram.Graph) bool { return sameEdges(other.Graph, g) })
		if at < 0 {
			at = len(graphs)
			drawn := n.graphOf(step, g, places)
			graphs, steps = append(graphs, &drawn), append(steps, nil)
		}
		steps[at] = append(steps[at], step+n.FirstStep)
	}
	if len(graphs) < 2 || len(graphs) > mostPeriod {
		return nil, nil
	}
	for i, list := range steps {
		graphs[i].Title = stepsText(list)
	}
	union := n.graphOf(0, nil, places)
	union.Title, union.Total = "all together", true
	if union.Graph, err = measures.WindowUnion(n.Graphs, 0, period); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("The graphs repeat every %d steps: the graph of each step of a period, and all together.", period)
	if len(graphs) < period {
		text = fmt.Sprintf("The graphs repeat every %d steps: the %d different ones, and all together.", period, len(graphs))
	}
	if n.Servers != "" {
		text += " Edges stand for the means of servers, which are no nodes here."
	}
	sheet, _ := diagram.NewPeriod(n.Name, text, append(graphs, &union))
	return sheet, nil
}

// stepsText names steps of a period: all of few, and of many the first ones and their number.
func stepsText(steps []int) string {
	const few = 4
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0])
	}
	list := strings.Trim(fmt.Sprint(steps[:min(few, len(steps))]), "[]")
	list = strings.ReplaceAll(list, " ", ", ")
	if len(steps) > few {
		list += fmt.Sprintf(", … (%d steps)", len(steps))
	}
	return "steps " + list
}

// sameEdges reports whether two graphs of as many nodes have the same edges with the same weights.
func sameEdges(a, b *topology.Graph) bool {
	for i := range messages.NodeID(a.Nodes()) {
		from, weights := a.In(i)
		other, others := b.In(i)
		if !slices.Equal(from, other) || !slices.Equal(weights, others) {
			return false
		}
	}
	return true
}
