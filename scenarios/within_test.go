package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// A comparison with a baseline compares within each condition, with the baseline's twin there, unless
// told otherwise or the arms are named one by one. Ratios are those of the means in the summary, and
// marks of arms that state what the scenario says are among the others of that condition.
func TestBaselineWithinConditions(t *testing.T) {
	outcome := scenariotest.RunIn(t, loadText(t, heatGrid), runner.RunOptions{})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := scenarios.Catalog()
	known := kinds.AllMetrics()
	mean := map[string]float64{}
	if err := run.Summary(func(row results.SummaryRow) error {
		if row.Metric == "regret.run" && row.Step == 12 {
			mean[row.Arm] = row.Mean
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var sides []view.Side
	for _, name := range []string{"none,median", "none,mean", "scaled,mean", "scaled,median", "private"} {
		sides = append(sides, view.Side{Run: run, Arm: name})
	}
	for _, test := range []struct {
		options view.BaselineOptions
		want    map[string]string
	}{
		{view.BaselineOptions{}, map[string]string{"none,mean": "none,median", "scaled,mean": "scaled,median", "private": "none,median"}},
		{view.BaselineOptions{AcrossConditions: true}, map[string]string{"none,mean": "none,median", "scaled,mean": "none,median", "scaled,median": "none,median", "private": "none,median"}},
		{view.BaselineOptions{Named: true}, map[string]string{"none,mean": "none,median", "scaled,mean": "none,median", "scaled,median": "none,median", "private": "none,median"}},
	} {
		o := test.options
		o.Metrics = []string{"regret.run"}
		b, err := view.Against(sides, known, o)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, of := range b.Metrics {
			for _, row := range of.Rows {
				if row.Baseline {
					continue
				}
				compared++
				arm := b.Arms[row.Arm]
				base := b.Arms[arm.Baseline].Arm
				if base != test.want[arm.Arm] {
					t.Errorf("%+v: %s is compared with %q, want %q", test.options, arm.Arm, base, test.want[arm.Arm])
				}
				if want := mean[arm.Arm] / mean[base]; math.Abs(row.Ratio.Value/want-1) > 1e-9 && !math.IsNaN(row.Ratio.Value) {
					t.Errorf("%s: ratio %v, want %v", arm.Arm, row.Ratio.Value, want)
				}
			}
		}
		if compared != len(test.want) || b.Tests != len(test.want) {
			t.Errorf("%+v: %d rows and %d tests, want %d", test.options, compared, b.Tests, len(test.want))
		}
		heading := b.Tables()[len(b.Metrics)-1].Heading
		if b.Within() != (len(b.Metrics) == 2) || b.Within() != strings.Contains(heading, "against scaled, median: regret.run") {
			t.Errorf("%+v: %d tables, the last is %q", test.options, len(b.Metrics), heading)
		}
	}
}
