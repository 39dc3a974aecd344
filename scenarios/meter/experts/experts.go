// Package experts measures a run of federated prediction from experts from
// beside the machines: it gets the decisions of the clients, evaluates their
// losses, and is never read by a machine.
//
// As the other meters do, it takes in what the metrics are made of during the
// run and computes them at the end, in an order of its own: whole numbers are
// added up as they come, which no order changes, and what is added in floating
// point is kept by participant until then. What is not asked for is not
// computed.
package experts

import (
	"errors"
	"fmt"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithm/star"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
)

// Options say what to measure.
type Options struct {
	Clients int // m; participant 0 is the server and participant i client i
	// Points are the steps at which metrics are recorded, counted from 1,
	// strictly ascending; the last is the last step, T.
	Points []int
	Losses algorithm.Costs // of this run's seed; what is a problem.Classifier is tested
	// Best is what regret compares with: the best fixed decision at each point.
	// It is called at most once, when the run is over. Where it is nil, what clients pay
	// is recorded in place of regret and the best expert.
	Best func() (*experts.Best, error)
	// Switches tells that the algorithm has switches to record.
	Switches bool
	// Wanted tells which metrics are recorded; nil is all.
	Wanted gauge.Wanted
}

// Validate reports the first thing that keeps the options from describing a
// run.
func (o *Options) Validate() error {
	if o.Clients < 1 {
		return fmt.Errorf("measure: %d clients, want at least 1", o.Clients)
	}
	if len(o.Points) == 0 {
		return errors.New("measure: there are no points")
	}
	if err := gauge.CheckPoints(1, o.Points[len(o.Points)-1], o.Points); err != nil {
		return err
	}
	if o.Losses == nil {
		return errors.New("measure: no losses")
	}
	return nil
}

// Meter measures one run.
type Meter struct {
	Options
	gauge.StopList
	meter.Sending
	tally *experts.Tally
	fresh problem.Classifier // nil where accuracy is not taken

	counted []counts // by point
}

// counts are what has happened since the point before.
type counts struct {
	up, down        atomic.Int64
	tested, correct atomic.Int64 // fresh data of the clients at the point
	switches        atomic.Int64 // up to the point
}

// New returns the meter of a run. It panics if Validate refuses the options:
// scenarios are checked before their meters are made.
func New(options Options) *Meter {
	if err := options.Validate(); err != nil {
		panic(err)
	}
	m := &Meter{
		Options: options,
		Sending: meter.NewSending(1, options.Points),
		counted: make([]counts, len(options.Points)),
	}
	if options.Wanted.Any(gauge.AccuracyTest) {
		m.fresh, _ = options.Losses.(problem.Classifier)
	}
	if options.Wanted.Any(m.total()) {
		var err error
		if m.tally, err = experts.NewTally(options.Losses, options.Clients, options.Points); err != nil {
			panic(err)
		}
	}
	return m
}

// total is the metric of what clients pay.
func (m *Meter) total() string {
	if m.Best == nil {
		return LossClient
	}
	return RegretClient
}

// point returns the counts of the first point at or after a step, and whether
// it is that step.
func (m *Meter) point(step int) (c *counts, exact bool) {
	point, exact := m.At(step)
	return &m.counted[point], exact
}

// Played implements algorithm.Meter. x is the client's decision before it sees
// the step's loss.
func (m *Meter) Played(node messages.NodeID, step int, x []float64) {
	if node < 1 || int(node) > m.Clients {
		panic(fmt.Sprintf("experts meter: participant %d is none of %d clients", node, m.Clients))
	}
	if m.tally != nil {
		m.tally.Played(node, step, x)
	}
	if c, exact := m.point(step); exact && m.fresh != nil {
		c.test(m.fresh, node, x)
	}
}

// test tries a decision on the fresh data of its client. No order changes a count.
func (c *counts) test(fresh problem.Classifier, client messages.NodeID, x []float64) {
	samples := fresh.TestSamples()
	c.tested.Add(int64(samples))
	for index := range samples {
		if fresh.Correct(client, index, x) {
			c.correct.Add(1)
		}
	}
}

// Recorded implements algorithm.Meter. Quantities of other names are not
// measured here.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	c, _ := m.point(step)
	switch {
	case quantity == fedsvt.QuantitySwitches: // the server alone has any
		c.switches.Store(int64(value))
	case quantity != star.QuantityScalars:
	case node == 0:
		c.down.Add(int64(value))
	default:
		c.up.Add(int64(value))
	}
}
