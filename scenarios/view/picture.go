package view

import (
	"context"
	"fmt"

	"starling/actors/topology"
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
