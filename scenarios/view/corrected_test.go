package view

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/results/comparison"
)

// A text says that intervals are not adjusted where one of them excludes no difference and the corrected
// test does not, and only there.
func TestIntervalsBesideCorrectedTests(t *testing.T) {
	nan := math.NaN()
	none := comparison.Ratio{Value: nan, Low: nan, High: nan}
	for name, test := range map[string]struct {
		row  comparison.Row
		want bool
	}{
		"difference excluded": {comparison.Row{Holm: 0.06, Low: 1, High: 2, Ratio: none}, true},
		"ratio excluded":      {comparison.Row{Holm: 0.06, Low: nan, High: nan, Ratio: comparison.Ratio{Value: 0.5, Low: 0.4, High: 0.9}}, true},
		"agree that not":      {comparison.Row{Holm: 0.5, Low: -1, High: 2, Ratio: comparison.Ratio{Value: 1, Low: 0.4, High: 1.9}}, false},
		"agree that they do":  {comparison.Row{Holm: 0.01, Low: 1, High: 2, Ratio: none}, false},
		"no test":             {comparison.Row{Holm: nan, Low: 1, High: 2, Ratio: none}, false},
	} {
		b := Baseline{Against: &comparison.Against{Tests: 3, Metrics: []comparison.OfMetric{{Rows: []comparison.Row{{Baseline: true, Holm: nan}, test.row}}}}}
		text := strings.Join(b.tested(false, true), "\n")
		if !strings.HasPrefix(text, "p: paired t-test of no difference, corrected by Holm's method for 3 comparisons; ~: p above 0.05.") || strings.Contains(text, "\nIntervals are not corrected ") != test.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}
