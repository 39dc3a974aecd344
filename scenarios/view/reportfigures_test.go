package view

import (
	"math"
	"testing"

	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
)

// TestTelling tells figures that say something from those of equal lines, of one step, and of a single finite curve
// among others.
func TestTelling(t *testing.T) {
	line := func(y ...float64) figure.Series {
		s := figure.Series{Y: y}
		for i := range y {
			s.X = append(s.X, float64(i+1))
		}
		return s
	}
	inf := math.Inf(1)
	for _, test := range []struct {
		series []figure.Series
		want   bool
	}{
		{[]figure.Series{line(1, 2), line(1, 3)}, true},
		{[]figure.Series{line(1, 2)}, true},
		{[]figure.Series{line(1, 2), line(1, 2)}, false},
		{[]figure.Series{line(1), line(2)}, false},
		{[]figure.Series{line(inf, inf), line(1, 2)}, false},
	} {
		if got := telling(&report.Figure{Figure: figure.Figure{Series: test.series}}); got != test.want {
			t.Errorf("%v: %v, want %v", test.series, got, test.want)
		}
	}
}
