package topology

import (
	"errors"
	"fmt"
)

// Sequence is the graph as a function of time. Steps count from 0, the start of
// the run, and are never negative. Implementations are pure functions of the
// step and safe for concurrent use.
type Sequence interface {
	// Nodes returns N, the same at every step.
	Nodes() int
	// At returns the graph of a step. It may build it anew each time: keep its result for as
	// long as Epoch stays the same.
	At(step int) *Graph
	// Period returns p >= 1 with At(step) equal to At(step+p) for all steps, and
	// whether there is such a p. A sequence that never changes has p = 1.
	Period() (p int, ok bool)
	// Epoch numbers the graphs: steps of equal epoch have equal graphs.
	Epoch(step int) int
}

// Periodic cycles through a list of graphs. Build it with NewPeriodic or
// Static.
type Periodic struct {
	graphs []*Graph
}

// NewPeriodic returns the sequence that shows the graphs one step each, in
// order, again and again. There must be at least one, and all must have as many
// nodes. The list is copied.
func NewPeriodic(graphs ...*Graph) (*Periodic, error) {
	if len(graphs) == 0 {
		return nil, errors.New("a periodic sequence needs at least one graph")
	}
	for k, g := range graphs {
		if want := graphs[0].Nodes(); g.Nodes() != want {
			return nil, fmt.Errorf("graph %d of the period has %d nodes, graph 1 has %d", k+1, g.Nodes(), want)
		}
	}
	p := &Periodic{graphs: append([]*Graph(nil), graphs...)}
	for _, g := range p.graphs {
		g.Keep()
	}
	return p, nil
}

// Static returns the sequence that never changes.
func Static(g *Graph) *Periodic {
	g.Keep()
	return &Periodic{graphs: []*Graph{g}}
}

// Nodes implements Sequence.
func (p *Periodic) Nodes() int { return p.graphs[0].Nodes() }

// At implements Sequence. It never builds anything.
func (p *Periodic) At(step int) *Graph { return p.graphs[p.Epoch(step)] }

// Period implements Sequence: the length of the list.
func (p *Periodic) Period() (int, bool) { return len(p.graphs), true }

// Epoch implements Sequence: the position in the list.
func (p *Periodic) Epoch(step int) int { return step % len(p.graphs) }
