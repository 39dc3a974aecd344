package stream

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"starling/messages"
)

// A panel of some learners has their data, fresh data and validation rows, to the last bit, of a
// problem that keeps nothing for a learner. So has the data of one that comes and goes.
func TestPanelHasTheDataOfItsNodes(t *testing.T) {
	options := DefaultSyntheticOptions()
	options.Dimension, options.TestSamples, options.ValidationSamples = 6, 3, 2
	p, err := NewSyntheticLogistic(options, 9)
	if err != nil {
		t.Fatal(err)
	}
	nodes := []messages.NodeID{2, 3, 8}
	all, panel := p.Draw(4), &Panel{p.Passing(4), nodes}
	want, got := make([]float64, all.Width()), make([]float64, all.Width())
	same := func(what string, i int) {
		if !slices.Equal(want, got) {
			t.Errorf("%s of node %d of the panel: %v, want %v", what, i, got, want)
		}
	}
	for i, node := range nodes {
		at := messages.NodeID(i)
		all.Datum(want, node, 5)
		panel.Datum(got, at, 5)
		same("datum", i)
		all.Test(want, node, 2)
		panel.Test(got, at, 2)
		same("fresh datum", i)
		ValidationOf(all).Test(want, node, 1)
		panel.Validation().Test(got, at, 1)
		same("validation row", i)
	}
	x := []float64{1, -2, 3, 0.5, 0, 1}
	whole, of := NewCorpus(p.Model(), all, 9, 4), NewCorpus(p.Model(), panel, 3, 4)
	passing := NewCorpus(p.Model(), p.Passing(4), 0, 0)
	losses, shares := of.Losses(x), of.Accuracies(x)
	for i, node := range nodes {
		if loss := whole.Party(int(node)).Loss(x); losses[i] != loss || passing.Passing(int(node), 4).Loss(x) != loss {
			t.Errorf("node %d: loss %v of the panel, %v of one that passes; want %v", node, losses[i], passing.Passing(int(node), 4).Loss(x), loss)
		}
	}
	if share, _ := of.Accuracy(x); math.Abs(stat.Mean(shares, nil)-share) > 1e-15 {
		t.Errorf("accuracy %v, and %v of the learners", share, shares)
	}
}

// The standard error against its definition: over all samples of two of four values, the mean of
// squared errors of sample means equals the mean of squared standard errors, which is unbiased.
func TestStandardError(t *testing.T) {
	values := []float64{1, 4, 9, -3}
	errors, stated, pairs := 0.0, 0.0, 0.0
	for i := range values {
		for j := range i {
			of := []float64{values[i], values[j]}
			off := stat.Mean(of, nil) - stat.Mean(values, nil)
			errors += off * off
			stated += math.Pow(StandardError(of, 4), 2)
			pairs++
		}
	}
	if math.Abs(errors-stated) > 1e-12*pairs {
		t.Errorf("mean square %v of errors, %v stated", errors/pairs, stated/pairs)
	}
	if StandardError(values, 4) != 0 || !math.IsNaN(StandardError(values[:1], 4)) {
		t.Error("all values have an error, or one value has none")
	}
}
