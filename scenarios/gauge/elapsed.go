package gauge

import (
	"math"
	"sync/atomic"

	"starling/messages"
	"starling/scenarios/metric"
)

// Elapsed is a duration that machines record, and the metric: the time since the start of the run, in
// which a step takes as long as the longest duration that was recorded in it. No order of records
// changes it.
type Elapsed struct {
	metric.Metric
	Quantity string
	first    int
	longest  []atomic.Uint64 // by step: the bits of a number >= 0
}

// Begin implements Gauge.
func (e *Elapsed) Begin(s *Span) []Column {
	e.first, e.longest = s.First, make([]atomic.Uint64, s.Steps())
	return []Column{{Metric: e.Metric, Value: upTo(s, func(step int) float64 { return math.Float64frombits(e.longest[step].Load()) })}}
}

// upTo returns the sum at a point of the values of all steps up to it; of has the value of a step, counted from
// the first of the span.
func upTo(s *Span, of func(step int) float64) func(point int) float64 {
	next, total := 0, 0.0 // of steps up to a point
	return func(point int) float64 {
		end := s.Points[point] - s.First + 1
		if end < next {
			next, total = 0, 0
		}
		for ; next < end; next++ {
			total += of(next)
		}
		return total
	}
}

// Final implements Early.
func (*Elapsed) Final(points int) int { return points }

// Listens implements Listening.
func (e *Elapsed) Listens(quantity string) bool { return quantity == e.Quantity }

// Recorded implements Quantities. Numbers above 0 have the order of their bits.
func (e *Elapsed) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if quantity != e.Quantity {
		return
	}
	of, bits := &e.longest[at.Step-e.first], math.Float64bits(value)
	for old := of.Load(); old < bits && !of.CompareAndSwap(old, bits); old = of.Load() {
	}
}

// State implements Gauge.
func (e *Elapsed) State(c *messages.Codec) {
	for i := range e.longest {
		c.Bits("longest", &e.longest[i])
	}
}
