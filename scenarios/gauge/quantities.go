package gauge

import (
	"starling/messages"
	"starling/scenarios/metric"
)

// Means is a quantity that nodes record, and the metric of the same name: the mean over the
// nodes that recorded it in the step of a point, NaN if none did.
type Means struct {
	metric.Metric // its name is the quantity's too
	Nodes         int
	at            []float64 // by point, then by node: NaN if it did not record
}

// Begin implements Gauge.
func (q *Means) Begin(s *Span) []Column {
	q.at = Undefined(len(s.Points) * q.Nodes)
	mean := func(point int) float64 { return MeanOf(q.at[point*q.Nodes : (point+1)*q.Nodes]) }
	return []Column{{Metric: q.Metric, Value: mean}}
}

// again implements everyStep.
func (q *Means) again() everyStep {
	if len(q.Windows()) == 0 {
		return nil
	}
	return &Means{Metric: q.Metric, Nodes: q.Nodes}
}

// Final implements Early.
func (*Means) Final(points int) int { return points }

// Listens implements Listening.
func (q *Means) Listens(quantity string) bool { return quantity == q.Name }

// Recorded implements Quantities.
func (q *Means) Recorded(node messages.NodeID, at At, quantity string, value float64) {
	if at.Exact && quantity == q.Name {
		q.at[at.Point*q.Nodes+int(node)] = value
	}
}

// State implements Gauge.
func (q *Means) State(c *messages.Codec) { c.Floats("values", q.at) }

// Sums is a whole number that machines record, and the metric: the sum over the machines that
// recorded it in the step of a point.
type Sums struct {
	metric.Metric
	Quantity string
	at       Counter // by point
}

// Begin implements Gauge.
func (q *Sums) Begin(s *Span) []Column {
	q.at = make(Counter, len(s.Points))
	return []Column{{Metric: q.Metric, Value: func(point int) float64 { return float64(q.at[point].Load()) }}}
}

// again implements everyStep.
func (q *Sums) again() everyStep {
	if len(q.Windows()) == 0 {
		return nil
	}
	return &Sums{Metric: q.Metric, Quantity: q.Quantity}
}

// Final implements Early.
func (*Sums) Final(points int) int { return points }

// Listens implements Listening.
func (q *Sums) Listens(quantity string) bool { return quantity == q.Quantity }

// Recorded implements Quantities.
func (q *Sums) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if at.Exact && quantity == q.Quantity {
		q.at[at.Point].Add(int64(value))
	}
}

// State implements Gauge.
func (q *Sums) State(c *messages.Codec) { q.at.Go(c, "sums") }
