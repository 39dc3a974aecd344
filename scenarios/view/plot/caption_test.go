package plot

import (
	"strings"
	"testing"

	"starling/scenarios/results/figure"
)

// TestCutIntervalsAreSaid: the caption says how an interval that reaches 0 is drawn on a logarithmic axis.
func TestCutIntervalsAreSaid(t *testing.T) {
	f := figure.Figure{LogY: true, Series: []figure.Series{{X: []float64{1}, Y: []float64{1}, Low: []float64{-1}, High: []float64{3}}}}
	if text := clippedText(&f); !strings.Contains(text, "the band is drawn above the curve alone") {
		t.Error(text)
	}
	f.Series[0].Bars = true
	if text := clippedText(&f); !strings.Contains(text, "the bar goes to the edge") {
		t.Error(text)
	}
}
