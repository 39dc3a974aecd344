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

// TestLeading names the best mean so far among arms at one step, or the best of each column, and none of a metric without a
// better side.
func TestLeading(t *testing.T) {
	p := &Provisional{Better: metric.LowerIsBetter, Seeds: 5, Arms: []ProvisionalArm{
		{Arm: "a", Step: 9, Seeds: 3, Text: "2", mean: 2}, {Arm: "b", Step: 9, Seeds: 2, Text: "3", mean: 3}, {Arm: "c", Step: 4, Seeds: 1, Text: "1", mean: 1}, {Arm: "d", mean: math.NaN()},
	}}
	labels := map[string]string{"a": "no noise", "b": "b", "c": "c", "d": "d"}
	if got, want := p.leading(labels), "Lowest mean so far, not tested: no noise, 2, over 3 of 5 seeds."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Grid = p.grid(plot.Grid{Of: "rule", ColumnLabels: []string{"x", "y"}, RowLabels: []string{"1", "2"}, Arms: [][]string{{"a", "d"}, {"b", "c"}}})
	if got, want := p.leading(labels), "Lowest mean so far, not tested: 1 under x (2)."; got != want || !p.Grid.Best[0][0] || p.Grid.Best[1][1] {
		t.Errorf("%q, want %q; best %v", got, want, p.Grid.Best)
	}
	if p.Better = ""; p.leading(labels) != "" {
		t.Error("a metric without a better side has a best arm")
	}
}

// TestStandIn has a metric of the headline's family stand for a headline that comes when all seeds are done.
func TestStandIn(t *testing.T) {
	known := metric.List{
		{Name: gauge.RegretExpected, Level: metric.OfSummary, Better: metric.LowerIsBetter}, {Name: gauge.Consensus, Level: metric.OfRun, Better: metric.LowerIsBetter},
		{Name: gauge.RegretNode, Level: metric.OfNode, Better: metric.LowerIsBetter}, {Name: gauge.RegretRun, Level: metric.OfRun, Better: metric.LowerIsBetter},
	}
	list := []study.PlotOptions{{Metric: gauge.RegretExpected, PerStep: true}, {Metric: gauge.Consensus}}
	curves := []live.Curve{{Metric: gauge.Consensus}, {Metric: gauge.RegretNode}, {Metric: gauge.RegretRun}}
	for _, test := range []struct {
		later  []string
		curves []live.Curve
		want   string
	}{{[]string{gauge.RegretExpected}, curves, gauge.RegretRun}, {[]string{gauge.RegretExpected}, curves[:2], gauge.Consensus}, {nil, curves, gauge.Consensus}} {
		if o, ok := headlineOf(list, &live.Run{Later: test.later, Curves: test.curves}, known); !ok || o.Metric != test.want {
			t.Errorf("%v of %d curves: %q, want %q", test.later, len(test.curves), o.Metric, test.want)
		}
	}
}
