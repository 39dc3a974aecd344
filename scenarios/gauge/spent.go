package gauge

import (
	"fmt"
	"math"
	"sync/atomic"

	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/metric"
)

// Spent is an amount >= 0 that machines record, and the metric: the sum of all amounts since the start of the
// run. Amounts are rounded to 2^-30 and added up as whole numbers, so that no order of records changes
// their sum.
type Spent struct {
	metric.Metric
	Quantity string
	first    int
	sums     []amount // by step
}

// amount is a sum: whole + parts/2^30.
type amount struct{ whole, parts atomic.Int64 }

const (
	spentUnit = 1 << 30
	spentMost = 1 << 50
)

// Begin implements Gauge.
func (s *Spent) Begin(span *Span) []Column {
	s.first, s.sums = span.First, make([]amount, span.Steps())
	return []Column{{Metric: s.Metric, Value: upTo(span, func(step int) float64 { return s.sums[step].value() })}}
}

func (a *amount) value() float64 {
	return float64(a.whole.Load()) + float64(a.parts.Load())/spentUnit
}

// Final implements Early.
func (*Spent) Final(points int) int { return points }

// Listens implements Listening.
func (s *Spent) Listens(quantity string) bool { return quantity == s.Quantity }

// Recorded implements Quantities.
func (s *Spent) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if quantity != s.Quantity {
		return
	}
	if !(value >= 0 && value <= spentMost) {
		panic(batch.Failure{Err: fmt.Errorf("an amount of %v %s in step %d; want 0 to 2^50", value, quantity, at.Step)})
	}
	whole := math.Floor(value)
	of := &s.sums[at.Step-s.first]
	of.whole.Add(int64(whole))
	of.parts.Add(int64(math.Round((value - whole) * spentUnit)))
}

// State implements Gauge.
func (s *Spent) State(c *messages.Codec) {
	for i := range s.sums {
		c.Count("whole", &s.sums[i].whole)
		c.Count("parts", &s.sums[i].parts)
	}
}
