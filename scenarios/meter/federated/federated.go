// Package federated measures a run of online federated learning from beside the
// machines: it gets the decisions of the learners, evaluates model and data at
// them, and is never read by a machine.
//
// As package meter does for decentralized optimisation, it takes in what the
// metrics are made of during the run and computes them at the end, in an order
// of its own: counts are added up as they come, which no order changes, and
// what is added in floating point is kept by learner until then. What is not
// asked for is not computed.
package federated

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/meter"
	"starling/scenarios/problem/stream"
)

// Comparator is what regret compares with: *stream.Comparator, and any other
// source of least mean losses that is safe for concurrent use.
type Comparator interface {
	// Round is the least mean loss over the n tau data of round r, from 0.
	Round(r int) stream.Optimum
	// Static is the least mean loss over all data.
	Static() stream.Optimum
}

// Bounds are bounds on the expected regret, divided by R tau; NaN where there is
// none.
type Bounds struct{ Dynamic, Static float64 }

// Options say what to measure.
type Options struct {
	stream.Shape
	// Points are the steps at which metrics are recorded, counted from 0,
	// strictly ascending; the last is the last step, R tau - 1.
	Points   []int
	Model    stream.Model
	Instance stream.Instance // of this run's seed
	// Start is x^0, len d: the model that a run leaves whose server never had a turn.
	// Without it the accuracy of that is undefined.
	Start []float64
	// Comparator is needed for regret only.
	Comparator Comparator
	// Bounds computes what the paper bounds the expected regret by, on the data of
	// this run; nil where nothing is known.
	Bounds func() Bounds
	// Effects tells that the network has effects, and that what becomes of
	// messages and who takes part is recorded; Limited that the bandwidth of its
	// edges is limited.
	Effects, Limited bool
	// Wanted tells which metrics are recorded; nil is all.
	Wanted gauge.Wanted
}

// Classifies tells whether the data have labels, without which there is no accuracy.
func (o *Options) Classifies() bool {
	_, ok := o.Model.(stream.Classifier)
	return ok
}

// Tests tells whether decisions are tried on fresh data with labels.
func (o *Options) Tests() bool {
	_, fresh := o.Instance.(stream.Tester)
	return fresh && o.Classifies()
}

// Validate reports the first thing that keeps the options from describing a
// run.
func (o *Options) Validate() error {
	if o.Learners < 1 || o.Rounds < 1 || o.Tau < 1 {
		return fmt.Errorf("measure: %d learners, %d rounds of %d steps, want at least 1 of each", o.Learners, o.Rounds, o.Tau)
	}
	if err := gauge.CheckPoints(0, o.Steps()-1, o.Points); err != nil {
		return err
	}
	if o.Model == nil || o.Instance == nil {
		return errors.New("measure: no model or no data")
	}
	if o.Comparator == nil && o.Wanted.Any(RegretDynamic, RegretStatic) {
		return errors.New("measure: regret is asked for, and nothing to compare with is given")
	}
	return nil
}

// Meter measures one run. Participants are those of
// package ofl: the server, which plays the model that a round leaves, then the
// learners.
type Meter struct {
	Options
	gauge.StopList
	meter.Sending
	takesLoss, takesInstant, takesTest bool

	learners []learner // by learner
	// loss and noise are by point, then by learner: the sum of its losses so
	// far, and its ||b^{r,t} xi_i||^2, at the point; NaN where nothing was new
	// since the point before.
	loss, noise []float64

	left    []float64    // the model of the last round there was, len d; nil before
	rounds  []tally      // by round: samples met before their use
	counted []counts     // by point
	tests   []tally      // by point: fresh samples
	fates   *meter.Fates // nil without Effects
}

// learner is what the meter keeps of one. Its calls are one after the other.
type learner struct {
	loss  float64   // the sum of its losses so far
	datum []float64 // scratch, len Width
}

// tally counts samples, and those that were classified right.
type tally struct{ samples, correct atomic.Int64 }

func (t *tally) add(samples, correct int64) {
	t.samples.Add(samples)
	t.correct.Add(correct)
}

// share is the share of right ones, NaN where there are none.
func (t *tally) share() float64 {
	return float64(t.correct.Load()) / float64(t.samples.Load())
}

// counts are what has happened since the point before.
type counts struct {
	decisions, gradients, clipped atomic.Int64
}

// New returns the meter of a run. It panics if Validate refuses the options:
// scenarios are checked before their meters are made.
func New(options Options) *Meter {
	if err := options.Validate(); err != nil {
		panic(err)
	}
	points, n := len(options.Points), options.Learners
	m := &Meter{
		Options:      options,
		takesLoss:    options.Wanted.Any(RegretDynamic, RegretStatic, gauge.LossMean),
		takesInstant: options.Classifies() && options.Wanted.Any(AccuracyInstant),
		takesTest:    options.Tests() && options.Wanted.Any(gauge.AccuracyTest),
		Sending:      meter.NewSending(0, options.Points),
		learners:     make([]learner, n),
		rounds:       make([]tally, options.Rounds),
		counted:      make([]counts, points),
		tests:        make([]tally, points),
		left:         slices.Clone(options.Start),
	}
	for i := range m.learners {
		m.learners[i].datum = make([]float64, options.Instance.Width())
	}
	if options.Effects {
		m.fates = meter.NewFates(points, options.Limited)
	}
	if m.takesLoss {
		m.loss = undefined(points * n)
	}
	if options.Wanted.Any(NoisePrefix) {
		m.noise = undefined(points * n)
	}
	return m
}

func undefined(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

// learnerOf is the learner that a participant is.
func (m *Meter) learnerOf(node messages.NodeID) int {
	i := int(node - ofl.Learner(0))
	if i < 0 || i >= m.Learners {
		panic(fmt.Sprintf("federated meter: participant %d is none of %d learners", node, m.Learners))
	}
	return i
}

// Played implements algorithm.Meter. x is x^r, and the learner has not seen the
// step's datum yet; of the server it is x^{r+1}.
func (m *Meter) Played(node messages.NodeID, step int, x []float64) {
	if node == 0 {
		m.left = append(m.left[:0], x...)
		return
	}
	i := m.learnerOf(node)
	point, exact := m.At(step)
	m.counted[point].decisions.Add(1)
	if m.takesLoss || m.takesInstant {
		m.meet(i, step, point, x)
	}
	if exact && m.takesTest {
		m.test(i, &m.tests[point], x)
	}
}

// meet evaluates a decision at the datum of its step.
func (m *Meter) meet(i, step, point int, x []float64) {
	l := &m.learners[i]
	m.Instance.Datum(l.datum, i, step)
	loss, correct := m.evaluate(x, l.datum)
	if m.takesLoss {
		l.loss += loss
		m.loss[point*m.Learners+i] = l.loss
	}
	if m.takesInstant {
		m.rounds[step/m.Tau].add(1, count(correct))
	}
}

// evaluate is the loss of a datum, and whether it is classified right, as far as
// they are wanted.
func (m *Meter) evaluate(x, datum []float64) (loss float64, correct bool) {
	if m.takesLoss && m.takesInstant {
		if e, ok := m.Model.(stream.Evaluator); ok {
			return e.Evaluate(x, datum)
		}
	}
	if m.takesLoss {
		loss = m.Model.Loss(x, datum)
	}
	return loss, m.takesInstant && m.Model.(stream.Classifier).Correct(x, datum)
}

// final is the share of the fresh data of all learners that the model which the run
// leaves classifies right. Nobody decides anything with it any more.
func (m *Meter) final() float64 {
	var all tally
	for i := range m.learners {
		if m.left != nil {
			m.test(i, &all, m.left)
		}
	}
	return all.share()
}

// test classifies the fresh data of a learner.
func (m *Meter) test(i int, to *tally, x []float64) {
	datum, fresh, model := m.learners[i].datum, m.Instance.(stream.Tester), m.Model.(stream.Classifier)
	samples := fresh.TestSamples()
	var correct int64
	for index := range samples {
		fresh.Test(datum, i, index)
		correct += count(model.Correct(x, datum))
	}
	to.add(int64(samples), correct)
}

func count(correct bool) int64 {
	if correct {
		return 1
	}
	return 0
}

// Recorded implements algorithm.Meter. Quantities of other names are not
// measured here.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	point, _ := m.At(step)
	switch quantity {
	case ofl.Clipped:
		m.counted[point].gradients.Add(1)
		if value != 0 {
			m.counted[point].clipped.Add(1)
		}
	case ofl.Participants:
		m.fates.Attend(point, value)
	case ofl.PrefixNoise:
		if m.noise != nil {
			m.noise[point*m.Learners+m.learnerOf(node)] = value
		}
	}
}

// Clipped tells whether a gradient has been clipped so far.
func (m *Meter) Clipped() bool {
	for k := range m.counted {
		if m.counted[k].clipped.Load() > 0 {
			return true
		}
	}
	return false
}

// Fates implements algorithm.NetworkMeter.
func (m *Meter) Fates(step int, f algorithm.Fates) {
	point, exact := m.At(step)
	m.fates.Add(point, exact, f)
}
