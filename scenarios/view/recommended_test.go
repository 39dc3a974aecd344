package view

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// TestRecommended names the choice with the most best columns, all that tie, and the verdict of the tests, and no choice where
// none leads.
func TestRecommended(t *testing.T) {
	for _, one := range []struct {
		name   string
		values [][]float64 // by row and column
		marks  [][]string
		seeds  int
		want   []string
	}{
		{"few seeds", [][]float64{{1, 1, 9}, {2, 2, 3}, {4, 4, 4}}, nil, 3, []string{"a has the best mean under 2 of 3 conditions (best worst case: b).", "These are means of 3 seeds, too few for tests."}},
		{"all columns", [][]float64{{1, 1}, {2, 2}}, [][]string{{"*", "*"}, {"", ""}}, 30, []string{"Take a: the best mean under each of the 2 conditions.", "All others there are significantly worse."}},
		{"alike", [][]float64{{1, 1}, {2, 2}, {3, 3}}, [][]string{{"*", "*"}, {"~", ""}, {"", ""}}, 30, []string{"a has the best mean under each of the 2 conditions.", "Of the 4 others there, 1 is not significantly different."}},
		{"ties", [][]float64{{1, 1}, {1, 1}, {3, 3}}, nil, 30, []string{"a and b each have the best mean under each of the 2 conditions.", "These are means, without tests."}},
		{"none leads", [][]float64{{1, 9}, {9, 1}}, nil, 30, nil},
	} {
		f := &Finding{Metric: metric.Metric{Name: "loss", Label: "loss", Better: metric.LowerIsBetter}, Seeds: one.seeds}
		g := &FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b", "c"}[:len(one.values)], ColumnLabels: []string{"x", "y", "z"}[:len(one.values[0])], Keys: []string{"adversaries.kind"}}}
		for i, line := range one.values {
			var row []*FindingRow
			for k, v := range line {
				cell := &FindingRow{Value: v, Half: math.NaN(), Epsilon: math.NaN(), Ratio: comparison.Ratio{Value: math.NaN()}}
				if one.marks != nil {
					cell.Mark = one.marks[i][k]
				}
				row = append(row, cell)
			}
			g.Rows = append(g.Rows, row)
		}
		if f.Grid = g; !slices.Equal(g.recommended(f), one.want) {
			t.Errorf("%s: %q, want %q", one.name, g.recommended(f), one.want)
		}
	}
}
