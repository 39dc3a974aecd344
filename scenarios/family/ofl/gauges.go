package ofl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/ofl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// Comparator is the comparator of regret: *stream.Comparator, and any other source of least
// mean losses that is safe for concurrent use.
type Comparator interface {
	// Round returns the least mean loss over the n tau data of round r, from 0.
	Round(r int) stream.Optimum
	// Static returns the least mean loss over all data.
	Static() stream.Optimum
}

var _ Comparator = (*stream.Comparator)(nil)

// Bounds are bounds on the expected regret, divided by R tau; NaN if there is none.
type Bounds struct{ Dynamic, Static float64 }

// GaugeOptions select the measurements. Participants are as in package ofl: the server, which plays
// the model at the end of a round, then the learners.
type GaugeOptions struct {
	stream.Shape
	Model    stream.Model
	Instance problem.Data // metricOf this run's seed
	// Start is x^0, len d: the final model of a run in which the server never had a turn.
	// Without it the accuracy of that model is undefined.
	Start []float64
	// Comparator is the comparator of regret; without it there is no regret.
	Comparator Comparator
	// Many, unless it is nil, answers in place of the model for many learners at once: nodes
	// are participants, and steps are the run's.
	Many *Many
	// Bounds computes the paper's bounds on the expected regret, on the data of this run; nil
	// if nothing is known.
	Bounds func() Bounds
}

// Many has the questions about many learners at once. Losses asks for the losses on the data
// that they meet. Tries asks for the number of each one's fresh data, and the number that its
// decision classifies right. A question that cannot be answered is nil.
type Many struct{ Losses, Tries gauge.Many }

// Validate returns an error for the first option that cannot describe a run.
func (o *GaugeOptions) Validate() error {
	if o.Learners < 1 || o.Rounds < 1 || o.Tau < 1 {
		return fmt.Errorf("measure: %d learners, %d rounds of %d steps, want at least 1 of each", o.Learners, o.Rounds, o.Tau)
	}
	if o.Model == nil || o.Instance == nil {
		return errors.New("measure: no model or no data")
	}
	return nil
}

// Gauges returns the gauges of a run, without a network. It panics if Validate refuses the
// options: scenarios are checked before their runs are made.
func Gauges(o GaugeOptions) []gauge.Gauge {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	m, clips := newMet(o), &Clips{}
	list := []gauge.Gauge{m, clips}
	classifier, classifies := o.Model.(stream.Classifier)
	tests, _ := o.Instance.(stream.Tester)
	if classifies {
		list = append(list, gauge.DerivedOf(m, gauge.Column{Metric: metricOf(AccuracyInstant), Rows: m.endRounds}))
	}
	fresh := freshGauge{m, tests, classifier}
	tries := classifies && tests != nil
	if tries {
		list = append(list, &gauge.Accuracy{First: ofl.Learner(0), Try: fresh.try})
	} else if tries = o.Many != nil && o.Many.Tries != nil; tries {
		list = append(list, &gauge.Accuracy{First: ofl.Learner(0), Later: &gauge.Later{Most: o.Learners, Ask: o.Many.Tries}})
	}
	if o.Comparator != nil {
		list = append(list, gauge.DerivedOf(m, gauge.Column{Metric: metricOf(RegretDynamic), Value: m.dynamic}))
	}
	if tries {
		list = append(list, &leftGauge{fresh: fresh, x: append([]float64(nil), o.Start...)})
	}
	if o.Comparator != nil {
		list = append(list, gauge.Derived{{Metric: metricOf(RegretStatic), Last: true, Value: m.static}})
	}
	if o.Bounds != nil {
		list = append(list, boundGauges(o.Bounds, clips))
	}
	return append(list,
		gauge.DerivedOf(m, gauge.Column{Metric: gauge.Of(gauge.LossMean), Value: m.mean}),
		&noiseGauge{learners: o.Learners},
		gauge.DerivedOf(clips, gauge.Column{Metric: gauge.Of(gauge.ClipShare), Value: func(point int) float64 { return clips.share(point) }}),
		&gauge.Traffic{},
		gauge.Paid(),
	)
}

// freshGauge tries decisions on the fresh data of learners.
type freshGauge struct {
	met   *met
	tests stream.Tester
	model stream.Classifier
}

// try is for gauge.Accuracy.
func (f freshGauge) try(node messages.NodeID, step int, x []float64) (samples, correct int) {
	tests := problem.At(f.tests, step+1)
	i := f.met.learnerOf(node)
	datum, learner := f.met.learners[i].datum, messages.NodeID(i)
	samples = tests.TestSamples(learner)
	for index := range samples {
		if f.model.Correct(x, stream.TestRow(tests, datum, learner, index)) {
			correct++
		}
	}
	return samples, correct
}

// leftGauge is the model of the last round.
type leftGauge struct {
	fresh freshGauge
	x     []float64 // len d; nil before the first
	step  int       // the last of the run
}

// Begin implements gauge.Gauge.
func (l *leftGauge) Begin(s *gauge.Span) []gauge.Column {
	l.step = s.Points[len(s.Points)-1]
	return []gauge.Column{{Metric: metricOf(AccuracyFinal), Last: true, Value: l.final}}
}

// Played implements gauge.Decisions.
func (l *leftGauge) Played(node messages.NodeID, _ gauge.At, x []float64) {
	if node == 0 {
		l.x = append(l.x[:0], x...)
	}
}

// Hand implements gauge.Handing: the process with the server has the model.
func (l *leftGauge) Hand(c *messages.Codec, nodes []messages.NodeID) {
	if slices.Contains(nodes, 0) {
		c.List("left", &l.x, math.MaxInt32)
	}
}

// final returns the share of the fresh data of all learners that the final model of the run
// classifies right. No decision is made with that model.
func (l *leftGauge) final(int) float64 {
	var all, right float64
	if many := l.fresh.met.Many; many != nil && l.x != nil {
		return l.together(many.Tries)
	}
	for i := range l.fresh.met.learners {
		if l.x != nil {
			samples, correct := l.fresh.try(ofl.Learner(i), l.step, l.x)
			all, right = all+float64(samples), right+float64(correct)
		}
	}
	return right / all
}

// together is final for learners that are asked about together.
func (l *leftGauge) together(tries gauge.Many) float64 {
	n := len(l.fresh.met.learners)
	nodes, x, tried := make([]messages.NodeID, n), make([]float64, 0, n*len(l.x)), make([]float64, 2*n)
	for i := range nodes {
		nodes[i], x = ofl.Learner(i), append(x, l.x...)
	}
	if err := tries(tried, nodes, l.step, x); err != nil {
		panic(batch.Failure{Err: err})
	}
	var all, right float64
	for i := range nodes {
		all, right = all+tried[2*i], right+tried[2*i+1]
	}
	return right / all
}

// State implements gauge.Gauge.
func (l *leftGauge) State(c *messages.Codec) { c.List("left", &l.x, math.MaxInt32) }
