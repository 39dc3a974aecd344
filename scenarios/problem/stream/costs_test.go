package stream

import (
	"testing"

	"starling/messages"
	"starling/scenarios/problem"
)

var (
	_ problem.Data       = (*Costs)(nil)
	_ problem.Classifier = (*classified)(nil)
)

// The costs of a node and step are the loss of its datum, before and after the data of
// the step are kept, and sums are those of the nodes one by one.
func TestCosts(t *testing.T) {
	const nodes, dim, steps = 5, 3, 11
	p := must(NewSyntheticLogistic(SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, Normalise: true, TestSamples: 7}, nodes))
	data, model := p.Draw(4), p.Model()
	x := []float64{0.5, -1, 2}
	datum, gradient, want := make([]float64, data.Width()), make([]float64, dim), make([]float64, dim)
	c := NewCosts(model, data, nodes)
	for _, kept := range []bool{false, true} {
		for step := 1; step <= steps; step++ {
			sum := make([]float64, dim)
			if kept {
				c.SumGradient(sum, step, x)
			}
			total := make([]float64, dim)
			for i := range nodes {
				data.Datum(datum, messages.NodeID(i), step)
				model.Gradient(want, x, datum)
				c.Gradient(gradient, messages.NodeID(i), step, x)
				if got, loss := c.Loss(messages.NodeID(i), step, x), model.Loss(x, datum); got != loss || [dim]float64(gradient) != [dim]float64(want) {
					t.Fatalf("node %d, step %d, kept %v: loss %v and gradient %v, want %v and %v", i, step, kept, got, gradient, loss, want)
				}
				for k := range total {
					total[k] += want[k]
				}
			}
			if kept && [dim]float64(sum) != [dim]float64(total) {
				t.Fatalf("step %d: sum of gradients %v, want %v", step, sum, total)
			}
		}
	}
	fresh := c.(problem.Classifier)
	if fresh.TestSamples(1) != 7 {
		t.Errorf("%d fresh data of a node, want 7", fresh.TestSamples(1))
	}
	right := 0
	for index := range 7 {
		data.Test(datum, 2, index)
		if got, correct := fresh.Correct(2, index, x), model.Correct(x, datum); got != correct {
			t.Errorf("fresh datum %d: %v, want %v", index, got, correct)
		} else if got {
			right++
		}
	}
	t.Logf("%d of 7 fresh data are right", right)
}

// With a ridge term no gradient within a radius is longer than the bound there, and
// one in the direction of the features nearly is.
func TestBoundWithin(t *testing.T) {
	const radius = 3.0
	model := NewLogistic(2, 1).Ridge(0.5)
	if got := model.BoundWithin(radius); got != 1+0.5*radius {
		t.Fatalf("bound %v, want 2.5", got)
	}
	gradient := make([]float64, 2)
	model.Gradient(gradient, []float64{-radius, 0}, []float64{1, 0, 1})
	if length := -gradient[0]; length > model.BoundWithin(radius) || length < 2.4 {
		t.Errorf("a gradient of length %v, want just below %v", length, model.BoundWithin(radius))
	}
}
