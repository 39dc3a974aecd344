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
	if n, err = n.pictured(); err != nil {
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
	g := n.graphOf(first, nil, Places{})
	switch g.Title, g.Total = fmt.Sprintf("%s, step %d", n.Name, step), window > 1; {
	case !g.Total:
		g.Graph, err = measures.At(n.Graphs, first)
		g.Absent = n.away(first)
	case n.Served:
		g.Graph, err = n.shares(measures, first, window)
		g.Share = true
	default:
		g.Graph, err = measures.WindowUnion(n.Graphs, first, window)
	}
	if err != nil {
		return nil, err
	}
	if g.Total {
		g.Title = fmt.Sprintf("%s, steps %d to %d", n.Name, step, last)
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
