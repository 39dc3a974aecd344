package stream

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// The gradient by central differences of the loss, at their accuracy.
func TestLogisticGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		model := NewLogistic(d, math.Inf(1))
		entries := rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d)
		x := entries.Draw(t, "x")
		datum := append(entries.Draw(t, "a"), rapid.SampledFrom([]float64{-1, 1}).Draw(t, "b"))
		got := make([]float64, d)
		model.Gradient(got, x, datum)
		want := fd.Gradient(nil, func(x []float64) float64 { return model.Loss(x, datum) }, x, &fd.Settings{Formula: fd.Central})
		if !floats.EqualApprox(got, want, 1e-6) {
			t.Fatalf("gradient %v, want %v", got, want)
		}
	})
}

// With ||a|| = 1, no gradient is longer than B_g = 1, and no two differ by more
// than L = 1/4 times their distance.
func TestLogisticBounds(t *testing.T) {
	model := NewLogistic(3, 1)
	if model.GradientBound() != 1 || model.Smoothness() != 0.25 || !model.Bounded() {
		t.Fatalf("B_g %v, L %v", model.GradientBound(), model.Smoothness())
	}
	if NewLogistic(3, math.Inf(1)).Bounded() {
		t.Error("features without a bound have one")
	}
	entries := rapid.SliceOfN(rapid.Float64Range(-50, 50), 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		x, y, datum := entries.Draw(t, "x"), entries.Draw(t, "y"), append(entries.Draw(t, "a"), 1)
		norm := floats.Norm(datum[:3], 2)
		if norm == 0 {
			t.Skip("no direction")
		}
		floats.Scale(1/norm, datum[:3])
		atX, atY := make([]float64, 3), make([]float64, 3)
		model.Gradient(atX, x, datum)
		model.Gradient(atY, y, datum)
		if floats.Norm(atX, 2) > 1+1e-12 {
			t.Fatalf("a gradient of length %v", floats.Norm(atX, 2))
		}
		if moved, most := floats.Distance(atX, atY, 2), floats.Distance(x, y, 2)/4; moved > most+1e-12 {
			t.Fatalf("the gradient moved by %v over a distance of %v", moved, 4*most)
		}
	})
}

func TestLogisticPredictsBySign(t *testing.T) {
	model := NewLogistic(2, 1)
	for _, c := range []struct {
		x, datum []float64
		want     bool
	}{
		{[]float64{1, 0}, []float64{0.5, 1, 1}, true},
		{[]float64{1, 0}, []float64{0.5, 1, -1}, false},
		{[]float64{-1, 0}, []float64{0.5, 1, -1}, true},
		{[]float64{0, 0}, []float64{0.5, 1, 1}, true}, // the boundary is +1
		{[]float64{0, 0}, []float64{0.5, 1, -1}, false},
		{[]float64{math.NaN(), 0}, []float64{0.5, 1, 1}, false},
		{[]float64{math.NaN(), 0}, []float64{0.5, 1, -1}, false},
	} {
		if got := model.Correct(c.x, c.datum); got != c.want {
			t.Errorf("x %v on %v: correct %v, want %v", c.x, c.datum, got, c.want)
		}
		loss, correct := model.Evaluate(c.x, c.datum)
		if math.Float64bits(loss) != math.Float64bits(model.Loss(c.x, c.datum)) || correct != c.want {
			t.Errorf("x %v on %v: loss %v, correct %v together", c.x, c.datum, loss, correct)
		}
	}
	for _, scale := range []float64{1e3, 1e300} {
		if got := model.Loss([]float64{scale, 0}, []float64{1, 0, -1}); got != scale {
			t.Errorf("loss %v at margin -%v", got, scale)
		}
		if got := model.Loss([]float64{scale, 0}, []float64{1, 0, 1}); got != 0 {
			t.Errorf("loss %v at margin %v", got, scale)
		}
	}
}
