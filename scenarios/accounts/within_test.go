package accounts

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/results"
)

// A curve is within a loss up to its last point that is not above it, and over it from the next on. A
// point at the loss is within, and one that nothing bounds is over any.
func TestWithinTable(t *testing.T) {
	curve := func(epsilons ...float64) []PrivacyCurve {
		c := PrivacyCurve{Arm: "a", Observer: "wire", Seed: 1, Unit: 2}
		for i, epsilon := range epsilons {
			c.Points = append(c.Points, results.PrivacyRow{Step: int64(10 * (i + 1)), Epsilon: epsilon})
		}
		return []PrivacyCurve{c}
	}
	for _, test := range []struct {
		curve []PrivacyCurve
		want  []string // within up to step, its epsilon, over it at step
	}{
		{curve(1, 2, 3, 4), []string{"20", "2", "30"}},
		{curve(1, 1.5), []string{"20", "1.5", "never"}},
		{curve(2.5, 3), []string{"", "", "10"}},
		{curve(1, math.Inf(1)), []string{"10", "1", "20"}},
		{curve(1, math.NaN()), []string{"10", "1", "20"}},
	} {
		table := WithinTable(test.curve, 2)
		if len(table.Rows) != 1 || !slices.Equal(table.Rows[0][4:7], test.want) {
			t.Errorf("%v: %q, want %q", test.curve[0].Points, table.Rows, test.want)
		}
	}
}
