package view

import (
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// TestWrappedGrid keeps the intervals of a grid on a narrow terminal, which has it in parts; a file of the width has means.
// Ratios beside 1 have three digits.
func TestWrappedGrid(t *testing.T) {
	g := &FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b"}, ColumnLabels: []string{"little-is-enough", "none", "scaled", "silent", "flipped", "late", "early"}}}
	for range g.RowLabels {
		var rows []*FindingRow
		for range g.ColumnLabels {
			row := newRow("x", 1, 12345)
			row.Half = 678
			rows = append(rows, &row)
		}
		g.Rows = append(g.Rows, rows)
	}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g, Rows: []FindingRow{*g.Rows[0][0]}, Width: 44}
	if text := strings.Join(f.Table(10).Rows[0], "|"); strings.Contains(text, "678") {
		t.Errorf("a file has %s", text)
	}
	f.Wrapped = true
	if text := strings.Join(f.Table(10).Rows[0], "|"); !strings.Contains(text, "12345 ± 678") {
		t.Errorf("a terminal has %s", text)
	}
	if text := shortRatio(comparison.Ratio{Value: 1.013}) + " " + shortRatio(comparison.Ratio{Value: 0.314}); text != "1.01 0.31" {
		t.Error(text)
	}
}
