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
	_ problem.Data     = (*Costs)(nil)
	_ stream.Minimiser = Linear{}
	_ stream.Minimiser = CrossEntropies{}
)

// someAdversaries are one of each form, of 3 clients and 4 experts.
func someAdversaries(t *rapid.T) map[string]Adversary {
	usual := DefaultGaussianSoftmaxOptions()
	usual.Loss = Usual
	list := map[string]Adversary{}
	add := func(name string, a Adversary, err error) {
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
			x, model := drawDecision(t, d), adversary.Model()
			var data, sum, best = []float64(nil), make([]float64, d), make([]float64, d)
			datum, got, want := make([]float64, d), make([]float64, d), make([]float64, d)
			var paid float64
			for client := messages.NodeID(1); client <= clients; client++ {
				for step := 1; step <= steps; step++ {
					in.Datum(datum, client, step)
					in.Gradient(want, client, step, x)
					if model.Gradient(got, x, datum); !slices.Equal(got, want) || model.Loss(x, datum) != in.Loss(client, step, x) {
						t.Fatalf("%s: gradient %v and loss %v, want %v and %v", name, got, model.Loss(x, datum), want, in.Loss(client, step, x))
					}
					data = append(data, datum...)
					in.Accumulate(sum, client, step)
					paid += model.Loss(x, datum)
				}
			}
			least, mean := model.(stream.Minimiser).Minimum(data), paid/(clients*steps)
			if hindsight := in.Hindsight(best, sum) / (clients * steps); math.Abs(least.Value-hindsight) > 1e-12 || least.Value > mean+1e-12 {
				t.Fatalf("%s: least loss %v, in hindsight %v, at another point %v", name, least.Value, hindsight, mean)
			}
		}
	})
}
