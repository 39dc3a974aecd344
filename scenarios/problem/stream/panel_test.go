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

// Data of nodes that come and go are the same where their memory was another node's, of more data or of
// fewer.
func TestPassingDataInUsedMemory(t *testing.T) {
	p, err := NewSyntheticLogistic(DefaultSyntheticOptions(), 50)
	if err != nil {
		t.Fatal(err)
	}
	passing := NewCorpus(p.Model(), p.Passing(4), 0, 0)
	x, got, want := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for k := range x {
		x[k] = 0.1 * float64(k%7)
	}
	for _, c := range []struct{ node, size int }{{3, 9}, {7, 4}, {3, 9}, {49, 12}, {7, 4}} {
		data := passing.Passing(c.node, c.size)
		data.SumClipped(got, x, []int{0, c.size - 1, 1}, 0.2)
		all := NewCorpus(p.Model(), p.Draw(4), 50, c.size).Party(c.node)
		all.SumClipped(want, x, []int{0, c.size - 1, 1}, 0.2)
		if !slices.Equal(got, want) || data.Loss(x) != all.Loss(x) || data.Size() != c.size {
			t.Errorf("node %d, %d data: a sum of %v, want %v", c.node, c.size, got, want)
		}
		data.Leave()
	}
}

// TestRatioError: of two of four nodes with 1 and 3 data and means 1 and 3 the mean is 2.5, the residuals are
// -0.75 and 0.75, and the error is the root of (1 - 2/4) 1.125/2. Equal sizes give the standard error of a mean.
func TestRatioError(t *testing.T) {
	if got, want := RatioError([]float64{1, 3}, []int{1, 3}, 4), math.Sqrt(0.28125); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	values := []float64{0.2, 0.7, 0.4}
	if got, want := RatioError(values, []int{5, 5, 5}, 9), StandardError(values, 9); math.Abs(got-want) > 1e-15 {
		t.Errorf("%v of equal sizes, want %v", got, want)
	}
	if got := RatioError(values, []int{1, 2, 3}, 3); got != 0 {
		t.Errorf("%v of all nodes", got)
	}
}
