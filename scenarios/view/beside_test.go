package view

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/view/plot"
)

// TestPrivateArmBesideTheGrid names the best private arm that has no cell, where no arm of the grid is private.
func TestPrivateArmBesideTheGrid(t *testing.T) {
	inf := math.Inf(1)
	cell := &FindingRow{Arm: "mean", Value: 1, Epsilon: inf}
	g := &FindingGrid{
		Grid: plot.Grid{RowLabels: []string{"mean"}, ColumnLabels: []string{"none"}}, Rows: [][]*FindingRow{{cell}},
		Others: []FindingRow{{Arm: "open", Value: 2, Epsilon: inf}, {Arm: "far", Value: 5, Epsilon: 1}, {Arm: "near", Value: 3, Epsilon: 9}},
	}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
	const want = "Best private arm beside it: near (3), with epsilon 9."
	if text := g.privacy(f); !strings.HasSuffix(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
	if g.Others = g.Others[:1]; strings.Contains(g.privacy(f), "beside") {
		t.Error(g.privacy(f))
	}
	if cell.Epsilon = 2; g.privacy(f) != "" {
		t.Error(g.privacy(f))
	}
}
