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
	"math"
	"sync/atomic"

	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithm/opestoch"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/meter"
	"starling/scenarios/problem/experts"
)

// Options say what to measure.
type Options struct {
	Clients int // m; participant 0 is the server and participant i client i
	// Points are the steps at which metrics are recorded, counted from 1,
	// strictly ascending; the last is the last step, T.
	Points   []int
	Instance experts.Instance // of this run's seed
	// Best is what regret compares with: the best fixed decision at each point.
	// It is called at most once, when the run is over, and needed for regret and
	// the best expert only.
	Best func() (*experts.Best, error)
	// Switches tells that the algorithm has switches to record.
	Switches bool
	// Epsilon is the accounted loss of one client's loss up to a step in which
	// the server has switched so often, at Delta; nil adds up what is spent,
	// which is right where losses are pure.
	Epsilon func(step, switches int) float64
	Delta   float64 // at which epsilon is stated; 0 where losses are pure
	// Wanted tells which metrics are recorded; nil is all.
	Wanted meter.Wanted
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
	before := 0
	for i, step := range o.Points {
		if step <= before {
			return fmt.Errorf("measure: point %d of the list is step %d, want more than %d", i+1, step, before)
		}
		before = step
	}
	if o.Instance == nil {
		return errors.New("measure: no losses")
	}
	if o.Best == nil && o.Wanted.Any(RegretClient, BestExpert) {
		return errors.New("measure: regret is asked for, and nothing to compare with is given")
	}
	if !(o.Delta >= 0 && o.Delta < 1) {
		return fmt.Errorf("measure: delta = %v is not in [0, 1)", o.Delta)
	}
	return nil
}

// Meter implements algorithm.Meter for one run.
type Meter struct {
	Options
	meter.StopList
	points []int32 // by step from 1: the first point at or after it
	tally  *experts.Tally

	counted []counts   // by point
	spent   []spending // by participant
}

// counts are what has happened since the point before. Loss is the largest of a
// participant: what was spent up to the point, and in its step.
type counts struct {
	up, down, messages, bytes atomic.Int64
	switches, before          atomic.Int64 // up to the point, and before its step
	total, inStep             largest
}

// spending is a participant's pure loss. Its calls are one after the other.
type spending struct {
	step   int     // of the last release
	inStep float64 // in that step so far
	total  float64
}

// New returns the meter of a run. It panics if Validate refuses the options:
// scenarios are checked before their meters are made.
func New(options Options) *Meter {
	if err := options.Validate(); err != nil {
		panic(err)
	}
	m := &Meter{
		Options: options,
		points:  make([]int32, options.Points[len(options.Points)-1]),
		counted: make([]counts, len(options.Points)),
		spent:   make([]spending, options.Clients+1),
	}
	for offset, point := 0, 0; offset < len(m.points); offset++ {
		if m.Points[point] < 1+offset {
			point++
		}
		m.points[offset] = int32(point)
	}
	if options.Wanted.Any(RegretClient) {
		var err error
		if m.tally, err = experts.NewTally(options.Instance, options.Clients, options.Points); err != nil {
			panic(err)
		}
	}
	return m
}

// point returns the counts of the first point at or after a step, and whether
// it is that step.
func (m *Meter) point(step int) (c *counts, exact bool) {
	k := m.points[step-1]
	return &m.counted[k], m.Points[k] == step
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
}

// Spent implements algorithm.Meter. It refuses what is no pure loss: these
// algorithms spend no other.
func (m *Meter) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if loss != (accountant.Loss{Epsilon: loss.Epsilon}) {
		return fmt.Errorf("a release of %s: prediction from experts spends pure losses", loss)
	}
	s := &m.spent[node]
	if s.step != step {
		s.step, s.inStep = step, 0
	}
	s.inStep += loss.Epsilon
	s.total += loss.Epsilon
	c, exact := m.point(step)
	c.total.raise(s.total)
	if exact {
		c.inStep.raise(s.inStep)
	}
	return nil
}

// Recorded implements algorithm.Meter. Quantities of other names are not
// measured here.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	c, exact := m.point(step)
	switch {
	case quantity == fedsvt.QuantitySwitches: // the server alone has any
		c.switches.Store(int64(value))
		if !exact {
			c.before.Store(int64(value))
		}
	case quantity != opestoch.QuantityScalars && quantity != fedsvt.QuantityScalars:
	case node == 0:
		c.down.Add(int64(value))
	default:
		c.up.Add(int64(value))
	}
}

// Sent implements algorithm.Meter.
func (m *Meter) Sent(step int, messages, bytes int64) {
	c, _ := m.point(step)
	c.messages.Add(messages)
	c.bytes.Add(bytes)
}

// largest is the largest of numbers >= 0, whose order is that of their bits.
type largest struct{ bits atomic.Uint64 }

func (l *largest) raise(v float64) {
	bits := math.Float64bits(v)
	for old := l.bits.Load(); bits > old; old = l.bits.Load() {
		if l.bits.CompareAndSwap(old, bits) {
			return
		}
	}
}

func (l *largest) value() float64 { return math.Float64frombits(l.bits.Load()) }
