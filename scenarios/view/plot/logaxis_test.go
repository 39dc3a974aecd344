package plot

import (
	"maps"
	"math"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

func TestValuesApartByFactorsHaveALogarithmicAxis(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{0.5, 1, 5}, true},
		{[]float64{1, 2, 4, 8}, true},
		{[]float64{0.1, 0.3, 1, 3, 10}, true},
		{[]float64{1, 2, 4}, false}, // a range of 4
		{[]float64{1, 10}, true},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false},
		{[]float64{0, 1, 10}, false}, // 0 has no place
		{[]float64{1, 1.01, 100}, true},
	} {
		if got := apartByFactors(c.values); got != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
}

func TestRelationsAreOfArmsWithALoss(t *testing.T) {
	rows := map[string][]results.SummaryRow{ledger.EpsilonTotal: {{Arm: "a", Mean: 1}, {Arm: "b", Mean: math.Inf(1)}}}
	of := accounts.Relations{"a": "replace", "b": "add-or-remove"}
	if got := withLoss(of, rows); !maps.Equal(got, accounts.Relations{"a": "replace"}) {
		t.Errorf("%v", got)
	}
	rows[ledger.EpsilonTotal][0].Mean = math.Inf(1)
	if got := withLoss(of, rows); !maps.Equal(got, of) {
		t.Errorf("of losses without a bound: %v", got)
	}
}

// TestNoLossIsALine: on a logarithmic axis of accounted losses, which the figure chooses, an arm with no loss is a
// line across, as one without a bound is.
func TestNoLossIsALine(t *testing.T) {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for i, loss := range []float64{0, 0.5, 4, 32, math.Inf(1)} {
		arm := results.ArmEntry{Name: []string{"local", "a", "b", "c", "none"}[i]}
		if i > 0 {
			arm.Values = []results.Value{{Path: "mechanism.epsilon", Value: []string{"", "0.5", "4", "32", "none"}[i]}}
		}
		run.Arms = append(run.Arms, arm)
		take(&run, results.SummaryRow{Arm: arm.Name, Step: 1, Metric: gauge.RegretRun, Mean: float64(1 + i), SE: 0.1, N: 4},
			results.SummaryRow{Arm: arm.Name, Step: 1, Metric: ledger.EpsilonTotal, Mean: loss, N: 4})
	}
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, X: study.AxisLoss, Band: study.BandCI, ChooseX: true, Known: gauge.RegretMetrics()})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, s := range f.Series {
		lines[s.Name+" "+s.Dash] = s.Reference
	}
	if !f.LogX || !lines["ε = 0 "] && !lines["local, ε = 0 "] {
		t.Errorf("logarithmic %v, lines %v", f.LogX, lines)
	}
}
