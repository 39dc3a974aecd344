package numeric

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// The error that InverseRoot states is the largest on the interval, not a
// bound.
func TestInverseRoot(t *testing.T) {
	for _, ratio := range []float64{4, 100, 1e6, 1e12} {
		for _, count := range []int{1, 2, 5, 8, 20} {
			const low = 0.3
			r, ripple := InverseRoot(low, low*ratio, count)
			largest := 0.0
			for i := range 2001 {
				x := low * math.Pow(ratio, float64(i)/2000)
				largest = max(largest, math.Abs(r.At(x)*math.Sqrt(x)-1))
			}
			// Between two points of the grid the error may be a little larger.
			if largest > ripple*(1+1e-9)+3e-15 || largest < ripple*(1-1e-4)-3e-15 {
				t.Errorf("ratio %v, %d Poles: error %v, stated %v", ratio, count, largest, ripple)
			}
		}
	}
}

// x r(x) f(x) = 1 at every x, and f is again a sum of positive terms.
func TestReciprocal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := math.Exp(rapid.Float64Range(0.1, 28).Draw(t, "log ratio"))
		r, _ := InverseRoot(1/ratio, 1, rapid.IntRange(1, 50).Draw(t, "poles"))
		f := r.Reciprocal()
		for i := range 50 {
			x := math.Pow(ratio, float64(i)/25-1.5)
			if got := x * r.At(x) * f.At(x); math.Abs(got-1) > 1e-11 {
				t.Fatalf("x r f = %v at x = %v", got, x)
			}
		}
		if floats.Min(f.Weights) <= 0 || floats.Min(f.Poles) < 0 {
			t.Fatalf("weights %v, poles %v", f.Weights, f.Poles)
		}
	})
}
