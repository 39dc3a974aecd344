package stream

import (
	"math"
	"slices"
	"testing"

	"starling/messages"
	"starling/scenarios/problem"
)

var small = SyntheticOptions{Dimension: 4, Alpha: 0.1, Beta: 0.1, Normalise: true, TestSamples: 4}

// with is the small options with a variation.
func with(v problem.Variation) SyntheticOptions {
	o := small
	o.Variation = v
	return o
}

// drawn are data and fresh data of all learners at some steps, from 0, under one seed.
func drawn(o SyntheticOptions, steps ...int) (rows []float64) {
	in := must(NewSyntheticLogistic(o, 5)).Draw(3)
	for _, step := range steps {
		now := problem.At(in, step+1)
		for i := range 5 {
			row := make([]float64, 2*in.Width())
			in.Datum(row[:in.Width()], messages.NodeID(i), step+1)
			now.Test(row[in.Width():], messages.NodeID(i), 0)
			rows = append(rows, row...)
		}
	}
	return rows
}

// What does not vary yet is the published law to the last bit. A whole number of turns
// comes back, and gradual models are draws at multiples of the period.
func TestVariationsOfNothing(t *testing.T) {
	drift := func(kind problem.DriftKind, period int) SyntheticOptions {
		return with(problem.Variation{Drift: &problem.Drift{Kind: kind, Period: period}})
	}
	if !slices.Equal(drawn(drift(problem.DriftAbrupt, 10), 0, 1, 9), drawn(small, 0, 1, 9)) {
		t.Error("data change before the first jump")
	}
	if !slices.Equal(drawn(drift(problem.DriftRotating, 7), 0, 7, 14), drawn(small, 0, 7, 14)) {
		t.Error("a full turn does not come back")
	}
	if !slices.Equal(drawn(drift(problem.DriftGradual, 7), 0, 7, 14), drawn(drift(problem.DriftAbrupt, 7), 0, 7, 14)) {
		t.Error("gradual models are no draws at multiples of the period")
	}
}

// agreement is how often the labels of fresh data at two steps, from 0, agree. Features stay, for
// the same index, whatever the step.
func agreement(in Tester, learners, from, to int) float64 {
	same, all := 0, 0
	a, b := make([]float64, in.Width()), make([]float64, in.Width())
	before, after := problem.At(in, from+1), problem.At(in, to+1)
	for i := range learners {
		for index := range 20 {
			before.Test(a, messages.NodeID(i), index)
			after.Test(b, messages.NodeID(i), index)
			if all++; a[len(a)-1] == b[len(b)-1] {
				same++
			}
		}
	}
	return float64(same) / float64(all)
}

// Labels change with models: at once, step by step, and round in a circle, in which the
// models of half a turn are the opposite of the first. Learners are independent, so that
// those of independent models agree in a half, within 5/(2 sqrt(1,000)).
func TestDrift(t *testing.T) {
	const learners, period = 1000, 40
	for _, test := range []struct {
		kind        problem.DriftKind
		from, to    int
		least, most float64
	}{
		{problem.DriftAbrupt, 0, period - 1, 1, 1},
		{problem.DriftAbrupt, period - 1, period, 0.42, 0.58},
		{problem.DriftGradual, 0, 1, 0.96, 0.999}, // an angle of 2.25 degrees
		{problem.DriftGradual, period - 1, period, 0.96, 0.999},
		{problem.DriftGradual, 0, period, 0.42, 0.58},
		{problem.DriftRotating, 0, period / 2, 0, 0},
		{problem.DriftRotating, 0, period, 1, 1},
		{problem.DriftRotating, 0, period / 4, 0.42, 0.58},
	} {
		o := with(problem.Variation{Drift: &problem.Drift{Kind: test.kind, Period: period}})
		got := agreement(must(NewSyntheticLogistic(o, learners)).Draw(7), learners, test.from, test.to)
		if !(got >= test.least && got <= test.most) {
			t.Errorf("%s, steps %d and %d: labels agree in %v, want %v to %v", test.kind, test.from, test.to, got, test.least, test.most)
		}
	}
}

// A share p of labels is turned around, of 20,000 within 5 standard errors.
func TestLabelNoise(t *testing.T) {
	const p, learners = 0.2, 1000
	plain := must(NewSyntheticLogistic(small, learners)).Draw(7)
	noisy := must(NewSyntheticLogistic(with(problem.Variation{LabelNoise: p}), learners)).Draw(7)
	turned, a, b := 0, make([]float64, 5), make([]float64, 5)
	for i := range learners {
		for index := range 20 {
			plain.Test(a, messages.NodeID(i), index)
			noisy.Test(b, messages.NodeID(i), index)
			if !slices.Equal(a[:4], b[:4]) {
				t.Fatal("label noise changes features")
			}
			if a[4] != b[4] {
				turned++
			}
		}
	}
	if share := float64(turned) / 20000; math.Abs(share-p) > 5*math.Sqrt(p*(1-p)/20000) {
		t.Errorf("%v of labels are turned around, want %v", share, p)
	}
}

// With nothing in common there is less to learn together the more learners there are;
// what they share is learned by however many.
func TestSharedModelsAreLearnedTogether(t *testing.T) {
	accuracy := func(learners int, v problem.Variation) float64 {
		o := with(v)
		o.Dimension = 20
		p := must(NewSyntheticLogistic(o, learners))
		if rows := p.CommonRows(); rows != 1000 {
			t.Fatalf("tried on %d data", rows)
		}
		return p.CommonAccuracy(1, 100)
	}
	last := 1.0
	for _, learners := range []int{20, 200, 1000} {
		none, some, all := accuracy(learners, problem.Variation{}), accuracy(learners, problem.Variation{Shared: 0.8}), accuracy(learners, problem.Variation{Shared: 1})
		if !(none < last && none+0.05 < some && some < all && all > 0.9) {
			t.Errorf("%d learners: %v with nothing in common, %v with much, %v with one model; fewer learners with nothing have %v", learners, none, some, all, last)
		}
		last = none
	}
	if noisy := accuracy(200, problem.Variation{Shared: 1, LabelNoise: 0.3}); !(noisy > 0.55 && noisy < 0.75) {
		t.Errorf("with three labels of ten turned around the best model predicts %v", noisy)
	}
	huge := small
	huge.Dimension = 1000
	if rows := must(NewSyntheticLogistic(huge, 2)).CommonRows(); rows != 0 {
		t.Error("a search in 1,000 dimensions takes its time")
	}
}

// Sizes add up to the mean's, but for rounding and the least.
func TestPowerLaw(t *testing.T) {
	for _, test := range []struct {
		law  PowerLaw
		want []int
	}{
		{PowerLaw{Exponent: 0}, []int{100, 100, 100, 100}},
		{PowerLaw{Exponent: 1}, []int{192, 96, 64, 48}},
		{PowerLaw{Exponent: 3, Least: 10}, []int{340, 42, 13, 10}},
	} {
		if got := test.law.Sizes(4, 100); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.law, got, test.want)
		}
	}
}

// Bad variations are refused by name.
func TestVariationOptions(t *testing.T) {
	_, err := NewSyntheticLogistic(with(problem.Variation{Shared: 2, LabelNoise: 0.7, Drift: &problem.Drift{Kind: "slow"}}), 2)
	want := "shared: is 2, want 0 to 1\nlabel_noise: is 0.7, want 0 to 0.5\ndrift.kind: unknown drift \"slow\"\ndrift.period: is 0, want at least 1"
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}
