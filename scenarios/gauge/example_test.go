package gauge_test

import (
	"fmt"

	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// longest is the largest entry that anybody has decided so far, of one decider.
type longest struct {
	at  []float64 // by point: of the steps so far
	now float64
}

// Begin declares the metric.
func (l *longest) Begin(s *gauge.Span) []gauge.Column {
	l.at = make([]float64, len(s.Points))
	largest := metric.Metric{Name: "entry.largest", Summary: "largest entry so far", Label: "largest entry", Level: metric.OfRun}
	return []gauge.Column{{Metric: largest, Value: func(point int) float64 { return l.at[point] }}}
}

// Played gets a decision.
func (l *longest) Played(_ messages.NodeID, at gauge.At, x []float64) {
	for _, v := range x {
		l.now = max(l.now, v)
	}
	l.at[at.Point] = l.now
}

// State keeps what was measured over a checkpoint.
func (l *longest) State(c *messages.Codec) {
	c.Floats("at", l.at)
	c.Float("now", &l.now)
}

// printed prints the rows of a meter.
type printed struct{}

func (printed) Add(step int, metric string, v float64) { fmt.Println(step, metric, v) }
func (printed) AddNode(int, int, string, float64)      {}
func (printed) Paid(int)                               {}

// A meter is a list of gauges: one of one's own beside the messages of the run.
func ExampleNew() {
	m := gauge.New(gauge.Span{First: 1, Points: []int{2, 3}}, []gauge.Gauge{&longest{}, &gauge.Traffic{}})
	for step, x := range [][]float64{{1, 2}, {4, 0}, {3, 3}} {
		m.Played(0, step+1, x)
		m.Sent(step+1, 2, 16)
	}
	m.Finish(printed{})
	// Output:
	// 2 entry.largest 4
	// 2 messages.sent 4
	// 2 bytes.sent 32
	// 3 entry.largest 4
	// 3 messages.sent 6
	// 3 bytes.sent 48
}
