package numeric

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// An interval has the probability of its two halves, wherever it lies: near 0, where
// error functions are exact, and far out, where they are 0 long since.
func TestIntervalIsItsHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-60, 60).Draw(t, "a")
		width := math.Exp(rapid.Float64Range(-12, 4).Draw(t, "log width"))
		whole, halves := LogInterval(a, a+width), LogAdd(LogInterval(a, a+width/2), LogInterval(a+width/2, a+width))
		if math.Abs(whole-halves) > 1e-9*math.Max(1, math.Abs(whole)) {
			t.Fatalf("from %v over %v: %v, halves %v", a, width, whole, halves)
		}
		if exact := math.Log((math.Erf((a+width)/math.Sqrt2) - math.Erf(a/math.Sqrt2)) / 2); math.Abs(a) < 1 && width > 0.1 && math.Abs(whole-exact) > 1e-12 {
			t.Fatalf("from %v over %v: %v, want %v", a, width, whole, exact)
		}
	})
}

// What is added to a logarithm can be taken away again, also where its exponential
// underflows.
func TestSubtractionUndoesAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-5000, 700).Draw(t, "a")
		b := a + rapid.Float64Range(-3, 3).Draw(t, "b-a")
		if got := LogSub(LogAdd(a, b), b); math.Abs(got-a) > 1e-10 {
			t.Fatalf("%v and back by %v: %v", a, b, got)
		}
	})
	if got := LogSub(1, 1); !math.IsInf(got, -1) {
		t.Errorf("nothing is left of equals, but %v", got)
	}
}

// TestLegendre integrates powers up to x^23, for which the rule is exact.
func TestLegendre(t *testing.T) {
	for n := 0.0; n <= 23; n++ {
		var got float64
		for i, x := range Legendre.Nodes {
			got += Legendre.Weights[i] * math.Pow(x, n)
		}
		if want := 1 / (n + 1); !(math.Abs(got-want) <= 1e-14*want) {
			t.Errorf("the integral of x^%g is %v, want %v", n, got, want)
		}
	}
}
