package plot

import (
	"math"
	"testing"
)

// TestBetween has halves by hand: those of steps, on lines between two, and none outside.
func TestBetween(t *testing.T) {
	halves := map[int64]float64{2: 1, 6: 3, 10: math.NaN()}
	for step, want := range map[int64]float64{1: math.NaN(), 2: 1, 3: 1.5, 5: 2.5, 6: 3, 8: math.NaN(), 11: math.NaN()} {
		if got := between([]int64{2, 6, 10}, halves, step); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("step %d: %v, want %v", step, got, want)
		}
	}
}
