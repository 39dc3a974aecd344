package stream

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// A model held at a point is the whole model at that point with the first parameters
// replaced: its losses and the first entries of its gradients, which are no longer.
func TestHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dim, free = 5, 2
		numbers := func(n int, name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, name)
		}
		whole, at, x := NewLogistic(dim, 1).Ridge(0.3), numbers(dim, "at"), numbers(free, "x")
		datum := append(numbers(dim, "features"), 1)
		held := Hold(whole, slices.Clone(at), free)
		full, want, got := slices.Concat(x, at[free:]), make([]float64, dim), make([]float64, free)
		whole.Gradient(want, full, datum)
		held.Gradient(got, x, datum)
		if held.Dim() != free || held.Loss(x, datum) != whole.Loss(full, datum) || !slices.Equal(got, want[:free]) || floats.Norm(got, 2) > floats.Norm(want, 2) {
			t.Fatalf("dimension %d, loss %v, gradient %v; want %v and the first of %v", held.Dim(), held.Loss(x, datum), got, whole.Loss(full, datum), want)
		}
	})
}
