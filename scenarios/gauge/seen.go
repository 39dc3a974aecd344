package gauge

import (
	"math"
	"sync/atomic"

	"starling/messages"
	"starling/scenarios/metric"
)

// DataSeen is the name of the metric.
const DataSeen = "data.seen"

var dataSeen = Measure{
	Metric: metric.Metric{
		Name: DataSeen, Summary: "number of data that were met so far, one for each decision of a node. In dpfl and ali-dpfl it is the expected number of samples of all batches. Recorded where measure.metrics names it",
		Label: "data seen", Unit: "data", Level: metric.OfRun, Derived: true, Asked: true,
	},
	New: func(m *Measure, r *Run) Gauge {
		return &seen{Measure: m, who: r.Who, quantity: r.Seen, adds: r.Adds, size: r.Size}
	},
}

// seen counts data: decisions, or a quantity that a machine records.
type seen struct {
	*Measure
	who      Deciders
	quantity string
	adds     bool // records add up
	size     float64
	count    Counter
	recorded []atomic.Uint64 // by point: the bits of a number >= 0
	most     float64         // at the point of the rows
}

// Begin implements Gauge.
func (d *seen) Begin(s *Span) []Column {
	d.count, d.recorded = make(Counter, len(s.Points)), make([]atomic.Uint64, len(s.Points))
	value := d.count.SoFar()
	switch {
	case d.adds:
		total := d.count.SoFar()
		value = func(point int) float64 { return total(point) * d.size }
	case d.quantity != "":
		value = func(int) float64 { return d.most * d.size }
	}
	return []Column{d.column(value)}
}

// Played implements Decisions.
func (d *seen) Played(node messages.NodeID, at At, _ []float64) {
	if _, ok := d.who.at(node); ok && !d.adds {
		d.count[at.Point].Add(1)
	}
}

// Digest implements Digesting: the fact that there was a decision is enough.
func (d *seen) Digest(dst []float64, _ messages.NodeID, _ At, _ []float64) []float64 {
	return dst
}

// Take implements Digesting.
func (d *seen) Take(node messages.NodeID, at At, _ []float64) { d.Played(node, at, nil) }

// Recorded implements Quantities.
func (d *seen) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	switch {
	case quantity != d.quantity || quantity == "":
	case d.adds:
		d.count[at.Point].Add(int64(value))
	default:
		d.recorded[at.Point].Store(math.Float64bits(value))
	}
}

// Carry implements Carrier.
func (d *seen) Carry(point int) {
	if point == 0 {
		d.most = 0
	}
	d.most = max(d.most, math.Float64frombits(d.recorded[point].Load()))
}

// Final implements Early.
func (*seen) Final(points int) int { return points }

// State implements Gauge.
func (d *seen) State(c *messages.Codec) {
	d.count.Go(c, "count")
	for i := range d.recorded {
		c.Bits("recorded", &d.recorded[i])
	}
}
