package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view/plot"
)

// TestFactors states the ratios of the best values to their baseline with intervals, of many columns the ends.
func TestFactors(t *testing.T) {
	g := &FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b"}, ColumnLabels: []string{"x", "y", "z"}}, Rows: make([][]*FindingRow, 2)}
	for k, ratio := range []float64{0.5, 0.25, 0.75} {
		base, best := newRow(fmt.Sprint("a", k), 1, 8), newRow(fmt.Sprint("b", k), 1, 8*ratio)
		best.Baseline, best.Ratio = base.Arm, comparison.Ratio{Value: ratio, Low: ratio - 0.1, High: ratio + 0.1}
		g.Rows[0], g.Rows[1] = append(g.Rows[0], &base), append(g.Rows[1], &best)
	}
	f := &Finding{Metric: metric.Metric{Better: metric.LowerIsBetter}, Grid: g}
	if got, want := g.factors(f), `Best ÷ rule "a": from 0.25 (0.15 to 0.35) under y to 0.75 (0.65 to 0.85) under z.`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g.ColumnLabels = g.ColumnLabels[:2]
	if got, want := g.factors(f), `Best ÷ rule "a": 0.50 (0.40 to 0.60) under x, 0.25 (0.15 to 0.35) under y.`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCautions stand above a finding: too few seeds, arms without a finite value, and arms that failed.
func TestCautions(t *testing.T) {
	few := comparison.TooFew(3)
	f := &Finding{Seeds: 3, Marks: few, Rows: []FindingRow{{Arm: "a", Value: 1}, {Arm: "b", Value: 2}, {Arm: "c", Value: math.Inf(1)}}}
	r := &Run{Run: plot.Run{Source: &results.Run{}}}
	r.Source.Manifest.Arms = make([]results.ArmEntry, 3)
	r.Source.Manifest.Failures = []results.Failure{{Arm: "d"}}
	r.Source.Manifest.Warnings = []results.Warning{{Code: "failed", Message: "arm d failed"}, {Code: "noise", Message: "noise"}}
	want := []string{few + ". The order of the arms may be chance.", "c has no finite value: the run diverged, or recorded none.", "1 of 4 arms failed and is left out: d."}
	if f.Cautions = r.cautions(f); !slices.Equal(f.Cautions, want) {
		t.Errorf("%q, want %q", f.Cautions, want)
	}
	if legend := strings.Join(f.Legend(9), " "); strings.Contains(legend, "too few") {
		t.Errorf("the legend repeats a caution: %q", legend)
	}
	if f.Seeds, f.Marks = 9, ""; len(r.cautions(f)) != 2 {
		t.Errorf("enough seeds: %q", r.cautions(f))
	}
	if f.Metric.Name = "epsilon.total"; len(r.cautions(f)) != 1 {
		t.Errorf("a loss without a bound is no divergence: %q", r.cautions(f))
	}
}
