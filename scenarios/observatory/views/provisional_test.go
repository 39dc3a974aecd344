package views

import (
	"encoding/json"
	"math"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results/live"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// TestInstead announces a statistic over all seeds where it is to come, and where no run has its quantity none.
func TestInstead(t *testing.T) {
	known := gauge.RegretMetrics()
	list := []study.PlotOptions{{Metric: gauge.RegretExpected}, {Metric: "accuracy.instant"}}
	for _, test := range []struct {
		named, recorded string
		comes           bool
	}{{"", "accuracy.instant", false}, {gauge.RegretExpected, "accuracy.instant", true}, {"", gauge.RegretRun, true}} {
		text := instead(list, "accuracy.instant", []string{test.named}, []live.Curve{{Metric: test.recorded}}, known)
		if (text != "") != test.comes {
			t.Errorf("%+v: %q", test, text)
		}
	}
}

// TestProvisionalShades has the darkness of the cells of a grid of two arms so far, and none of others.
func TestProvisionalShades(t *testing.T) {
	p := &Provisional{Better: metric.LowerIsBetter, Arms: []ProvisionalArm{{Arm: "a", mean: 1}, {Arm: "b", mean: 3}, {Arm: "c", mean: math.NaN()}}}
	g := p.grid(plot.Grid{Of: "rule", ColumnLabels: []string{"x", "y"}, RowLabels: []string{"1", "2"}, Arms: [][]string{{"a", "b"}, {"c", ""}}})
	text, err := json.Marshal(g.Shares)
	if want := "[[1,0],[null,null]]"; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}
