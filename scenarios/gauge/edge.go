package gauge

import (
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
)

// OnBoundary counts, in a run with a set of decisions, those in the steps of the points that lie on
// its boundary. It records no metric.
type OnBoundary struct {
	set    Surrounded
	centre []float64
	// Met is the number of decisions that were looked at, and On the number of those on the
	// boundary.
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

// NewEdge returns no gauge if the set is nil, is not Surrounded or has no interior, as a
// simplex has none.
func NewEdge(set algorithm.Set) []Gauge {
	s, ok := set.(Surrounded)
	if !ok {
		return nil
	}
	e := &OnBoundary{set: s, centre: make([]float64, s.Dim())}
	s.Center(e.centre)
	inside := append([]float64(nil), e.centre...)
	inside[0] += float64(1e-3 * s.Diameter())
	if s.Violation(inside) > 0 {
		return nil
	}
	return []Gauge{e}
}

// atEdge is the part of its distance from the centre by which a decision on the boundary is
// moved outward: if it is then outside, it counts as on the boundary.
const atEdge = 1e-6

// Begin implements Gauge.
func (e *OnBoundary) Begin(*Span) []Column { return nil }

// Heeds implements Selective.
func (e *OnBoundary) Heeds(at At) bool { return at.Exact }

// Played implements Decisions. A participant that plays on decides nothing new.
func (e *OnBoundary) Played(_ messages.NodeID, at At, x []float64) {
	if !at.Exact || at.Over || len(x) != len(e.centre) {
		return
	}
	further := make([]float64, len(x))
	for k, c := range e.centre {
		further[k] = x[k] + float64(atEdge*(x[k]-c))
	}
	e.Met.Add(1)
	if e.set.Violation(further) > 0 {
		e.On.Add(1)
	}
}

// State implements Gauge.
func (e *OnBoundary) State(c *messages.Codec) {
	c.Count("met", &e.Met)
	c.Count("on", &e.On)
}
