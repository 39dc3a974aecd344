package views

import (
	"encoding/json"
	"math"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// TestInstead announces a statistic over all seeds where the run is to record it, and nothing else before the headline.
func TestInstead(t *testing.T) {
	list := []study.PlotOptions{{Metric: gauge.RegretExpected}, {Metric: "accuracy.instant"}}
	for _, test := range []struct {
		shown string
		later []string
		comes bool
	}{{"accuracy.instant", nil, false}, {"accuracy.instant", []string{gauge.RegretExpected}, true}, {gauge.RegretExpected, []string{gauge.RegretExpected}, false}} {
		if text := instead(list, test.shown, test.later); (text != "") != test.comes {
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
