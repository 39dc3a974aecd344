package numeric

import (
	"math"
	"testing"
)

// The border is found to the last bit, whether it is tiny or not.
func TestBisect(t *testing.T) {
	for _, border := range []float64{1e-200, 3e-7, 0.7, 1, 1e100} {
		low, high := Bisect(0, 1e101, func(x float64) bool { return x <= border })
		if low > border || high <= border || high-low > 4e-16*math.Abs(high) && math.Nextafter(low, high) < high {
			t.Errorf("border %v: between %v and %v", border, low, high)
		}
	}
}
