package watch

import (
	"sort"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
)

// Edge stands before the meter of a run whose decisions lie in a set, and counts how many
// of those in the steps of the points lie on its boundary.
type Edge struct {
	Meter
	set    Surrounded
	points []int // steps, ascending
	centre []float64
	// Met are the decisions that were looked at, and On those of them on the boundary.
	Met, On atomic.Int64
}

// Surrounded is a decision set with a point from which it extends alike in all
// directions.
type Surrounded interface {
	algorithm.Set
	Dim() int
	Diameter() float64
	Center(dst []float64)
}

// NewEdge stands before a meter; it is the meter itself where the set is nil, is not
// Surrounded or has no interior, as a simplex has none.
func NewEdge(m Meter, set algorithm.Set, points []int) Meter {
	s, ok := set.(Surrounded)
	if !ok {
		return m
	}
	e := &Edge{Meter: m, set: s, points: points, centre: make([]float64, s.Dim())}
	s.Center(e.centre)
	inside := append([]float64(nil), e.centre...)
	inside[0] += 1e-3 * s.Diameter()
	if s.Violation(inside) > 0 {
		return m
	}
	return e
}

// Beneath implements Wrapper.
func (e *Edge) Beneath() Meter { return e.Meter }

// atEdge is by what part of its distance from the centre a decision on the boundary may
// move outward and be outside.
const atEdge = 1e-6

// Played implements algorithm.Meter.
func (e *Edge) Played(node messages.NodeID, step int, x []float64) {
	if at := sort.SearchInts(e.points, step); at < len(e.points) && e.points[at] == step && len(x) == len(e.centre) {
		further := make([]float64, len(x))
		for k, c := range e.centre {
			further[k] = x[k] + float64(atEdge*(x[k]-c))
		}
		e.Met.Add(1)
		if e.set.Violation(further) > 0 {
			e.On.Add(1)
		}
	}
	e.Meter.Played(node, step, x)
}

// Fates implements Network.
func (e *Edge) Fates(step int, f algorithm.Fates) {
	if m, ok := e.Meter.(Network); ok {
		m.Fates(step, f)
	}
}

// State implements Meter.
func (e *Edge) State(c *messages.Codec) {
	c.Count("met", &e.Met)
	c.Count("on", &e.On)
	c.Part("", e.Meter)
}

// Find returns the first of the meters that stand before one another, m first, of a type.
func Find[M any](m Meter) (found M, ok bool) {
	for {
		if found, ok = m.(M); ok {
			return found, true
		}
		w, wraps := m.(Wrapper)
		if !wraps {
			return found, false
		}
		m = w.Beneath()
	}
}
