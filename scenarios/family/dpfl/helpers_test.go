package dpfl

import (
	"errors"
	"math"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
)

// row is one that a meter hands over.
type row struct {
	step   int
	metric string
	value  float64
}

// rows is a gauge.Recorder.
type rows []row

func (r *rows) Add(step int, metric string, value float64) {
	*r = append(*r, row{step, metric, value})
}

func (r *rows) AddNode(step, node int, metric string, value float64) {
	panic("no metric of these is of a node")
}

// of are the values of a metric by point.
func (r rows) of(metric string) (values []float64) {
	for _, one := range r {
		if one.metric == metric {
			values = append(values, one.value)
		}
	}
	return values
}

// Paid implements gauge.Sheet of a run in which nothing is paid.
func (r *rows) Paid(int) {}

func finished(m interface{ Finish(gauge.Sheet) }) rows {
	var r rows
	m.Finish(&r)
	return r
}

// evaluations counts what a meter evaluates. The test accuracy of the model [a, b]
// is a in 100 samples, its loss in training b.
type evaluations struct{ test, train int }

// meterOf is the meter of a run with points at 3, 6 and 10.
func meterOf(o GaugeOptions, wanted gauge.Wanted) *gauge.Meter {
	return gauge.New(gauge.Span{First: 1, Points: []int{3, 6, 10}, Wanted: wanted}, Gauges(o))
}

// choicesOf are those that a meter keeps.
func choicesOf(m *gauge.Meter) *Choices {
	c, _ := gauge.Find[*Choices](m)
	return c
}

// small are the options of 2 clients in 10 rounds.
func small(seen *evaluations) GaugeOptions {
	return GaugeOptions{
		Clients: 2, Rounds: 10, Start: []float64{1, 2},
		Accuracy: func(x []float64) (float64, error) {
			seen.test++
			return x[0] / 100, nil
		},
		Loss: func(x []float64) (float64, error) {
			seen.train++
			return x[1], nil
		},
	}
}

// Participants.
const (
	server  messages.NodeID = 0
	client1 messages.NodeID = 1
	client2 messages.NodeID = 2
)

// run plays rounds first to last: round k leaves the model [k, k/10], has k local
// steps, of which each client clips k client/100 of them, clients counted from 1, and sends 4
// messages of 8 bytes each.
func run(t testing.TB, m *gauge.Meter, first, last int) {
	t.Helper()
	for k := first; k <= last; k++ {
		for i := range 2 {
			m.Recorded(client1+messages.NodeID(i), k, dpfl.Clipped, float64((i+1)*k)/100)
		}
		m.Sent(k, 3, 24)
		m.Sent(k, 1, 8)
		m.Played(server, k, []float64{float64(k), float64(k) / 10})
		m.Recorded(server, k, dpfl.Tau, float64(k))
		m.Recorded(server, k, dpfl.Rounds, float64(k))
		m.Recorded(server, k, dpfl.Steps, 1)
	}
}

var errBroken = errors.New("broken")

func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

var _ gauge.Sheet = (*rows)(nil)
