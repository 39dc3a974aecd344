package numeric

import (
	"math"
	"testing"
)

// Anderson's method solves a linear problem in as many steps as it has
// dimensions, and one more.
func TestMixingSolvesLinearProblems(t *testing.T) {
	want := []float64{1, -2, 3}
	x, r := make([]float64, 3), make([]float64, 3)
	m := NewMixing(3)
	for range 4 {
		r[0] = 0.1*(want[0]-x[0]) + 0.05*(want[1]-x[1])
		r[1] = 0.05*(want[0]-x[0]) + 0.4*(want[1]-x[1])
		r[2] = 0.9*(want[2]-x[2]) + 0.1*(want[1]-x[1])
		m.Step(x, r)
	}
	for i := range x {
		if math.Abs(x[i]-want[i]) > 1e-6 {
			t.Errorf("entry %d is %v, want %v", i, x[i], want[i])
		}
	}
}
