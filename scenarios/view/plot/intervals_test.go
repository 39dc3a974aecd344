package plot

import (
	"slices"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// TestBandNote says what intervals are, and over how many seeds.
func TestBandNote(t *testing.T) {
	of := func(counts ...int) (runs []Run) {
		for _, n := range counts {
			runs = append(runs, Run{Facts: &Facts{Seeds: results.Seeds{Count: n}}})
		}
		return runs
	}
	for want, got := range map[string]string{
		"Mean and 95 % interval over 12 seeds.":        bandNote(of(12), &study.PlotOptions{Band: study.BandCI}),
		"Mean and standard error over 3 to 12 seeds.":  bandNote(of(12, 3), &study.PlotOptions{Band: study.BandSE}),
		"Value and standard deviation over the seeds.": bandNote(make([]Run, 1), &study.PlotOptions{Metric: gauge.RegretExpected, Known: gauge.RegretMetrics(), Band: study.BandSD}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCutShares cuts intervals of parts of a whole, and leaves values that are none.
func TestCutShares(t *testing.T) {
	f := figure.Figure{Series: []figure.Series{{Y: []float64{0.05, 0.9, 1.5}, Low: []float64{-0.1, 0.7, 1.2}, High: []float64{0.2, 1.1, 1.8}}}}
	cutShares(&f)
	if s := f.Series[0]; !slices.Equal(s.Low, []float64{0, 0.7, 1.2}) || !slices.Equal(s.High, []float64{0.2, 1, 1.8}) {
		t.Errorf("%v to %v", s.Low, s.High)
	}
}

// TestOverlaid: three curves in the bands of each other have intervals at their ends alone, and curves apart keep their bands.
func TestOverlaid(t *testing.T) {
	for apart, want := range map[float64]bool{0.1: true, 10: false} {
		var f figure.Figure
		for k := range 3 {
			y := float64(k) * apart
			f.Series = append(f.Series, figure.Series{Name: string(rune('a' + k)), X: []float64{1, 2}, Y: []float64{y, y}, Low: []float64{y - 1, y - 1}, High: []float64{y + 1, y + 1}})
		}
		thinBands(&f, &study.PlotOptions{})
		if got := f.Series[1].Unbanded && f.HasEndBars(); got != want {
			t.Errorf("%v apart: %v, want %v", apart, got, want)
		}
	}
}
