package view

import (
	"testing"

	"starling/scenarios/metric"
)

// Intervals of shares end at 0 and 1, also where they are not wide; other values keep ±.
func TestIntervalsOfShares(t *testing.T) {
	for want, of := range map[string]struct {
		unit        string
		value, half float64
	}{
		"0.52 (0.00 to 1.00)":    {metric.Share, 0.5158, 0.525},
		"0.921 (0.826 to 1.000)": {metric.Share, 0.921, 0.095},
		"0.500 ± 0.095":          {metric.Share, 0.5, 0.095},
		"0.921 ± 0.095":          {"", 0.921, 0.095},
		"0.52 (-0.01 to 1.04)":   {"", 0.5158, 0.525},
	} {
		if got := withEnds(of.unit, of.value, of.half); got != want {
			t.Errorf("%+v: %s, want %s", of, got, want)
		}
	}
}
