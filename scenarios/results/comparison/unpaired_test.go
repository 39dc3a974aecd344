package comparison

import (
	"math"
	"testing"

	"starling/scenarios/results"
)

// TestUnpaired compares intervals with Welch's of another implementation (scipy.stats.ttest_ind, equal_var=False).
func TestUnpaired(t *testing.T) {
	for _, test := range []struct {
		first, second    Mean
		difference, half float64
	}{
		{Mean{10, 1, 5}, Mean{12, 1, 5}, 2, 3.2611819}, // 8 degrees of freedom: 2.3060041 sqrt(2)
		{Mean{10, 2, 4}, Mean{11, 0, 9}, 1, 6.3648926}, // 3 degrees: 3.1824463 times 2
		{Mean{1, 1, 1}, Mean{2, 1, 5}, 1, math.NaN()},
		{Mean{1, 0, 5}, Mean{2, 0, 5}, 1, math.NaN()},
		{Mean{math.Inf(1), 1, 5}, Mean{2, 1, 5}, math.Inf(-1), math.NaN()},
	} {
		difference, half := Unpaired(test.first, test.second)
		if difference != test.difference || math.IsNaN(half) != math.IsNaN(test.half) || math.Abs(half-test.half) > 1e-6 {
			t.Errorf("%v and %v: %v ± %v, want %v ± %v", test.first, test.second, difference, half, test.difference, test.half)
		}
	}
	if CommonSeeds(results.Seeds{Base: 1, Count: 3}, results.Seeds{Base: 4, Count: 3}) || !CommonSeeds(results.Seeds{Base: 1, Count: 4}, results.Seeds{Base: 4, Count: 3}) {
		t.Error("seeds in common")
	}
}
