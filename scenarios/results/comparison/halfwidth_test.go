package comparison

import (
	"math"
	"testing"
)

// TestHalfWidth compares half widths with a table of Student's law, and refuses intervals of one value.
func TestHalfWidth(t *testing.T) {
	for n, factor := range map[int64]float64{2: 12.706204736, 3: 4.302652730, 10: 2.262157163, 100: 1.984216952} {
		if got := HalfWidth(0.5, n); math.Abs(got-0.5*factor) > 1e-8 {
			t.Errorf("%d values: %v, want %v", n, got, 0.5*factor)
		}
	}
	if got := HalfWidth(0.5, 1); !math.IsNaN(got) {
		t.Errorf("one value: %v", got)
	}
}
