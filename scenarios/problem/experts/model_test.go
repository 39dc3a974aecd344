package experts

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

var (
	_ problem.Instance = (*Instance)(nil)
	_ problem.Data     = (*Instance)(nil)
	_ stream.Minimiser = Linear{}
	_ stream.Minimiser = CrossEntropies{}
)

// someAdversaries are one of each form, of 3 clients and 4 experts.
func someAdversaries(t *rapid.T) map[string]*Adversary {
	usual := DefaultGaussianSoftmaxOptions()
	usual.Loss = Usual
	list := map[string]*Adversary{}
	add := func(name string, a *Adversary, err error) {
		if err != nil {
			t.Fatal(err)
		}
		list[name] = a
	}
	a, err := NewGaussianSoftmax(usual, 3, 4)
	add("cross-entropy", a, err)
	a, err = NewGaussianSoftmax(DefaultGaussianSoftmaxOptions(), 3, 4)
	add("linear in the decision", a, err)
	a, err = NewLinear(LinearOptions{Gap: 0.2, Law: Uniform}, 3, 4)
	add("linear", a, err)
	return list
}

// drawDecision draws a point of the simplex.
func drawDecision(t *rapid.T, d int) []float64 {
	x := rapid.SliceOfN(rapid.Float64Range(0.01, 1), d, d).Draw(t, "x")
	var sum float64
	for _, v := range x {
		sum += v
	}
	for k := range x {
		x[k] /= sum
	}
	return x
}

// The model at the data of a client and step gives the bits of the losses themselves,
// and the least mean loss over data is that of hindsight: no decision is below it.
func TestModelAtData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const clients, d, steps = 3, 4, 5
		for name, adversary := range someAdversaries(t) {
			in, err := adversary.Draw(rapid.Uint64().Draw(t, "seed"), steps)
			if err != nil {
				t.Fatal(err)
			}
			x, model := drawDecision(t, d), adversary.Model
			var data, sum, best = []float64(nil), make([]float64, d), make([]float64, d)
			datum, got, want := make([]float64, d), make([]float64, d), make([]float64, d)
			var paid float64
			for client := range messages.NodeID(clients) {
				for step := 1; step <= steps; step++ {
					in.Datum(datum, client, step)
					in.Gradient(want, client, step, x)
					if model.Gradient(got, x, datum); !slices.Equal(got, want) || model.Loss(x, datum) != in.Loss(client, step, x) {
						t.Fatalf("%s: gradient %v and loss %v, want %v and %v", name, got, model.Loss(x, datum), want, in.Loss(client, step, x))
					}
					data = append(data, datum...)
					model.Add(sum, datum)
					paid += model.Loss(x, datum)
				}
			}
			least, mean := model.Minimum(data), paid/(clients*steps)
			if hindsight := model.Hindsight(best, sum) / (clients * steps); math.Abs(least.Value-hindsight) > 1e-12 || least.Value > mean+1e-12 {
				t.Fatalf("%s: least loss %v, in hindsight %v, at another point %v", name, least.Value, hindsight, mean)
			}
		}
	})
}

// Client i, from 1, has the losses of node i-1, and gradients of all nodes sum up to those one by
// one.
func TestLossesOfClients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const clients, d = 3, 4
		for name, adversary := range someAdversaries(t) {
			in, err := adversary.Draw(rapid.Uint64().Draw(t, "seed"), 5)
			if err != nil {
				t.Fatal(err)
			}
			x, losses := drawDecision(t, d), LossesOf(in)
			got, want, total, sum := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
			for node := range messages.NodeID(clients) {
				in.Gradient(want, node, 2, x)
				if losses.Gradient(got, node+1, 2, x); losses.Loss(node+1, 2, x) != in.Loss(node, 2, x) || !slices.Equal(got, want) {
					t.Fatalf("%s, node %d: gradient %v, want %v", name, node, got, want)
				}
				for k := range total {
					total[k] += want[k]
				}
			}
			if in.SumGradient(sum, 2, x); !slices.Equal(sum, total) {
				t.Fatalf("%s: sum %v, want %v", name, sum, total)
			}
		}
	})
}
