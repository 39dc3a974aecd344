package numeric

import (
	"math"
	"testing"
)

// TestMinimize looks for minima that are known: of a bowl, of a bent valley (Rosenbrock
// 1960) from next to its end, and of the deeper of two bowls.
func TestMinimize(t *testing.T) {
	square := func(x float64) float64 { return x * x }
	grid := []float64{-2, 0, 2}
	for _, test := range []struct {
		name string
		of   func(x []float64) float64
		want [2]float64
	}{
		{"bowl", func(x []float64) float64 { return square(x[0]-0.3) + 3*square(x[1]+1.1) }, [2]float64{0.3, -1.1}},
		{"valley", func(x []float64) float64 { return square(1-x[0]) + 100*square(x[1]-x[0]*x[0]) }, [2]float64{1, 1}},
		{"two bowls", func(x []float64) float64 {
			return min(square(x[0]-2)+square(x[1]-2)+0.1, square(x[0]+1.9)+square(x[1]+1.9))
		}, [2]float64{-1.9, -1.9}},
		{"walled", func(x []float64) float64 {
			if x[0] > 0.5 {
				return math.NaN()
			}
			return square(x[0]-0.4) + square(x[1])
		}, [2]float64{0.4, 0}},
	} {
		got, err := Minimize(test.of, grid, grid, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if math.Hypot(got[0]-test.want[0], got[1]-test.want[1]) > 0.01 {
			t.Errorf("%s: the least is at %v, want %v", test.name, got, test.want)
		}
	}
	if _, err := Minimize(func([]float64) float64 { return math.Inf(1) }, grid, grid, 1); err == nil {
		t.Error("a minimum without a finite cost")
	}
}

// TestSpline holds the spline against its definition: it meets the values, and the
// first and second derivatives are continuous, which differences of its values say; the
// second is 0 at the ends.
func TestSpline(t *testing.T) {
	at, value := []float64{-1, 0.5, 1, 3, 4.5}, []float64{2, -1, 0, 0.5, 7}
	s := NewSpline(at, value)
	const h = 1e-4
	slope := func(x float64) float64 { return (s.Predict(x+h/2) - s.Predict(x-h/2)) / h }
	bend := func(x float64) float64 { return (s.Predict(x+h) - 2*s.Predict(x) + s.Predict(x-h)) / (h * h) }
	for i, x := range at {
		if got := s.Predict(x); math.Abs(got-value[i]) > 1e-12 {
			t.Errorf("at %v: %v, want %v", x, got, value[i])
		}
		if i == 0 || i == len(at)-1 {
			inner := x + 2*h*float64(1-2*i/(len(at)-1))
			if math.Abs(bend(inner)) > 0.01 {
				t.Errorf("the second derivative beside the end %v is %v", x, bend(inner))
			}
			continue
		}
		if math.Abs(slope(x-h)-slope(x+h)) > 0.01 || math.Abs(bend(x-2*h)-bend(x+2*h)) > 0.05 {
			t.Errorf("at %v: slopes %v, %v, second derivatives %v, %v", x, slope(x-h), slope(x+h), bend(x-2*h), bend(x+2*h))
		}
	}
	if s.Predict(-5) != 2 || s.Predict(9) != 7 {
		t.Error("the spline is not constant beyond its ends")
	}
}
