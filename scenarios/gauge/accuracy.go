package gauge

import (
	"slices"

	"starling/messages"
	"starling/scenarios/problem"
)

// Accuracy is the share of fresh data that decisions classify right. It is over the fresh data
// of all participants that decide in the step of a point, each with its own decision; NaN if
// none of them has any.
type Accuracy struct {
	// First is the first participant to be tried: 1 if there is a server that plays.
	First messages.NodeID
	// Out are participants that are not tried, ascending.
	Out []messages.NodeID
	// Try tries a decision of a step on the fresh data of a participant. It is called concurrently
	// for different ones.
	Try func(node messages.NodeID, step int, x []float64) (samples, correct int)
	// Later takes the place of Try if decisions are tried together, two numbers each; nil if
	// they are not. Its Take is the gauge's.
	Later            *Later
	samples, correct Counter
	// each are the shares of single participants by point; nil unless they are recorded.
	each []float64
	of   *Owners
}

// Trying returns Try for data that classify. first is the participant that is node 0.
func Trying(fresh problem.Classifier, first messages.NodeID) func(node messages.NodeID, step int, x []float64) (samples, correct int) {
	return func(node messages.NodeID, step int, x []float64) (samples, correct int) {
		fresh := problem.At(fresh, step)
		samples = fresh.TestSamples(node - first)
		for index := range samples {
			if fresh.Correct(node-first, index, x) {
				correct++
			}
		}
		return samples, correct
	}
}

// MeanFresh returns a function for the mean loss of a decision of a step on the fresh data of
// a participant; NaN for a participant without any. first is the participant that is node 0.
func MeanFresh(fresh problem.Fresh, first messages.NodeID) func(node messages.NodeID, step int, x []float64) float64 {
	return func(node messages.NodeID, step int, x []float64) (mean float64) {
		fresh := problem.At(fresh, step)
		samples := fresh.TestSamples(node - first)
		for index := range samples {
			mean += fresh.FreshLoss(node-first, index, x)
		}
		return mean / float64(samples)
	}
}

// again implements everyStep.
func (a *Accuracy) again() everyStep {
	return &Accuracy{First: a.First, Out: a.Out, Try: a.Try, Later: a.Later.again()}
}

// Begin implements Gauge.
func (a *Accuracy) Begin(s *Span) []Column {
	a.samples, a.correct = make(Counter, len(s.Points)), make(Counter, len(s.Points))
	if a.Later != nil {
		a.Later.Width = 2
		a.Later.Take = func(node messages.NodeID, at At, _, tried []float64) { a.take(node, at, int(tried[0]), int(tried[1])) }
	}
	columns := []Column{{Metric: Of(AccuracyTest), Value: a.correct.ShareAt(a.samples)}}
	if a.of = s.Owners; a.of == nil {
		return columns
	}
	n := a.of.Count
	a.each = Undefined(len(s.Points) * n)
	return append(columns, a.of.Columns(&AccuracyOf, s, func(point int) []float64 { return a.each[point*n : (point+1)*n] })...)
}

// Heeds implements Selective.
func (a *Accuracy) Heeds(at At) bool { return at.Exact }

// Played implements Decisions.
func (a *Accuracy) Played(node messages.NodeID, at At, x []float64) {
	if _, out := slices.BinarySearch(a.Out, node); !at.Exact || node < a.First || out {
		return
	}
	if a.Later != nil {
		a.Later.Add(node, at, x)
		return
	}
	samples, correct := a.Try(node, at.Step, x)
	a.take(node, at, samples, correct)
}

// take counts the result of a decision.
func (a *Accuracy) take(node messages.NodeID, at At, samples, correct int) {
	a.samples[at.Point].Add(int64(samples))
	a.correct[at.Point].Add(int64(correct))
	if a.of == nil {
		return
	}
	if i, ok := a.of.at(node); ok {
		a.each[at.Point*a.of.Count+i] = float64(correct) / float64(samples)
	}
}

// End implements Ender.
func (a *Accuracy) End() { a.Later.Flush() }

// Final implements Early.
func (a *Accuracy) Final(points int) int { return a.Later.final(points) }

// State implements Gauge.
func (a *Accuracy) State(c *messages.Codec) {
	a.Later.Flush()
	a.samples.Go(c, "samples")
	a.correct.Go(c, "correct")
	if a.of != nil {
		c.Floats("each", a.each)
	}
}
