package stream

import (
	"starling/messages"
	"starling/scenarios/problem"
)

// Relabel returns data with other labels: a label is the last number of a datum, and label maps
// the old ones to the new. A nil label changes nothing. The result is a Tester where the data
// are one, and Drawn where they are.
func Relabel(in problem.Data, label func(y float64) float64) problem.Data {
	if label == nil {
		return in
	}
	r := relabelled{in, label}
	tester, ok := in.(Tester)
	if !ok {
		return r
	}
	tested := relabelledTests{r, tester}
	if drawn, ok := in.(Drawn); ok {
		return relabelledDrawn{tested, drawn}
	}
	return tested
}

type relabelled struct {
	problem.Data
	label func(y float64) float64
}

// Datum implements problem.Data.
func (r relabelled) Datum(dst []float64, node messages.NodeID, step int) {
	r.Data.Datum(dst, node, step)
	r.mend(dst)
}

// mend replaces the label of a datum.
func (r relabelled) mend(datum []float64) {
	last := len(datum) - 1
	datum[last] = r.label(datum[last])
}

type relabelledTests struct {
	relabelled
	tests Tester
}

// TestSamples implements Tester.
func (r relabelledTests) TestSamples(node messages.NodeID) int { return r.tests.TestSamples(node) }

// Test implements Tester.
func (r relabelledTests) Test(dst []float64, node messages.NodeID, index int) {
	r.tests.Test(dst, node, index)
	r.mend(dst)
}

// At implements problem.Timed.
func (r relabelledTests) At(step int) any {
	return Relabel(problem.At[problem.Data](r.tests, step), r.label)
}

type relabelledDrawn struct {
	relabelledTests
	drawn Drawn
}

// Steady implements Drawn.
func (r relabelledDrawn) Steady() bool { return r.drawn.Steady() }
