package gauge

import (
	"sync"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/metric"
)

// Gauge measures one thing of one run. Beside these methods it has the methods of Decisions,
// Quantities, Sendings, Network, Carrier and Ender that it needs: nothing else reaches it.
type Gauge interface {
	// Begin makes the gauge ready for a run, and returns the columns that it records of it, in
	// the order of the rows at a point. A gauge that records nothing, but keeps data for
	// notes, returns nil.
	Begin(*Span) []Column
	// State goes through all that the gauge has taken in; a reader is a new gauge of the same
	// run. It must not be called while other methods of the gauge are.
	messages.Stateful
}

// Span is the extent of a run as gauges see it: read only.
type Span struct {
	First  int    // the first step
	Points []int  // the steps at which metrics are recorded, ascending; the last is the last step
	Wanted Wanted // the metrics that are recorded
	// Owners are the participants with values that are recorded one by one; nil records none.
	Owners *Owners
	// Window asks for metrics over the steps between points; nil records none.
	Window *Window
}

// Steps returns the number of steps of the run.
func (s *Span) Steps() int { return s.Points[len(s.Points)-1] - s.First + 1 }

// At is the place of an event in a run: its step, the index of the first point at or after it,
// and whether the point is that step.
type At struct {
	Step, Point int
	Exact       bool
	// Over is true if the run is over: a node that has ended its part plays on.
	Over bool
}

// Column is a metric with its values.
type Column struct {
	metric.Metric
	// Value returns the value at a point. Points come in their order, once the run is over.
	Value func(point int) float64
	// Rows hands over rows of a point in place of Value, of any steps up to the point.
	Rows func(point int, to Sheet)
	// Last is true if the metric is recorded at the last point only.
	Last bool
}

// Decisions is a Gauge that gets decisions; see algorithm.Meter.
type Decisions interface {
	Played(node messages.NodeID, at At, x []float64)
}

// Selective is a Gauge that does not use the decisions of some steps.
type Selective interface {
	Decisions
	// Heeds reports whether it takes in the decisions of a step.
	Heeds(at At) bool
}

// Quantities is a Gauge that gets the quantities that machines record.
type Quantities interface {
	Recorded(node messages.NodeID, at At, quantity string, value float64)
}

// Sendings is a Gauge that gets the counts of messages and bytes that are sent.
type Sendings interface {
	Sent(at At, messages, bytes int64)
}

// Network is a Gauge that gets the fates of messages; see algorithm.NetworkMeter.
type Network interface {
	Fates(at At, f algorithm.Fates)
}

// Ender is a Gauge with work to do once the run is over, before its first row.
type Ender interface{ End() }

// Carrier is a Gauge that carries its values at a point to the next: Carry is called before
// the rows of each point. At point 0 it begins anew.
type Carrier interface{ Carry(point int) }

// Early is a Gauge with values that are final while the run goes on; see Meter.Tell.
type Early interface {
	Gauge
	// Final returns the number of first points at which all values are final. points is the
	// number of first points that all participants are past, and the result is at most that.
	// It is called by one goroutine at a time, like Carry and Column.Value then, while
	// participants go on with later steps. It is negative if no value is ever final before the
	// run is over. Columns of metrics of nodes, or of the last point, are not asked for.
	Final(points int) int
}

// Recorder takes the metrics of a run. Node numbers are indices from 0.
type Recorder interface {
	Add(step int, metric string, value float64)
	AddNode(step int, node int, metric string, value float64)
}

// Sheet is a recorder with a ledger: Paid marks the place of the metrics of payments up to a
// point among others. The sheet's user knows nothing of these metrics.
type Sheet interface {
	Recorder
	Paid(point int)
}

// Wanted reports whether a metric is recorded; nil is all.
type Wanted func(metric string) bool

// Any reports whether one of the metrics is recorded.
func (w Wanted) Any(metrics ...string) bool {
	for _, metric := range metrics {
		if w == nil || w(metric) {
			return true
		}
	}
	return false
}

// Derived is a gauge of columns with values that other gauges of the run have: it takes in
// nothing.
type Derived []Column

// Begin implements Gauge.
func (d Derived) Begin(*Span) []Column { return d }

// State implements Gauge: there is none.
func (Derived) State(*messages.Codec) {}

// DerivedOf returns a Derived of values of the gauge of. They are final as early as that
// gauge's.
func DerivedOf(of Early, columns ...Column) Gauge { return early{columns, of} }

// Once returns a function that computes a value at its first call, for columns that share it.
func Once[V any](compute func() V) func() V { return sync.OnceValue(compute) }

// early is a Derived with the gauge from which it is derived.
type early struct {
	Derived
	of Early
}

// Final implements Early.
func (e early) Final(points int) int { return e.of.Final(points) }

// Paid returns a gauge that marks the place of the rows of payments. The column has no name:
// the ledger knows its metrics.
func Paid() Derived {
	return Derived{{Rows: func(point int, to Sheet) { to.Paid(point) }}}
}
