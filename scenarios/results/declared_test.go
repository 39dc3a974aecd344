package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// recorded writes and opens a run that has recorded the metrics.
func recorded(t *testing.T, metrics ...metric.Metric) *results.Run {
	t.Helper()
	plan := results.Plan{Arms: []string{"base"}, Seeds: results.Seeds{Base: 1, Count: 1}}
	dir := filepath.Join(t.TempDir(), "run")
	// One that can be recorded, and was not, is no metric of the run.
	known := append(metric.List{{Name: "own.unseen", Summary: "s", Label: "l", Level: metric.OfRun}}, metrics...)
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte("name: demo\n"), Metrics: known})
	must(t, err)
	job := results.NewJob("base", 1)
	for _, m := range metrics {
		job.Add(1, m.Name, 2)
	}
	must(t, folder.WriteJob(job))
	must(t, folder.Commit(results.Manifest{
		Scenario: "demo", Hash: "0123abcd", Status: results.StatusComplete, Digest: "00ff", Seeds: plan.Seeds, Horizon: 1,
		MeasuredNodes: results.MeasuredNodes{All: true}, Arms: []results.ArmEntry{{Name: "base"}}, Versions: results.CurrentVersions("test"),
	}))
	must(t, folder.Close())
	run, err := results.Open(dir)
	must(t, err)
	return run
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func lag(better metric.Direction) metric.Metric {
	return metric.Metric{Name: "own.lag", Summary: "steps since a message came", Label: "lag", Unit: "steps", Better: better, Level: metric.OfRun}
}

// What a run has declared and recorded is known, after what the program knows, which says more
// than a run. Runs that do not agree leave a metric without a better side.
func TestMetrics(t *testing.T) {
	loss := metric.Metric{Name: "loss", Summary: "mean loss", Label: "loss", Better: metric.LowerIsBetter, Level: metric.OfRun}
	other := loss
	other.Summary, other.Better = "of another program", metric.HigherIsBetter
	known := metric.List{loss}
	lower, higher, neither := recorded(t, lag(metric.LowerIsBetter), other), recorded(t, lag(metric.HigherIsBetter)), recorded(t, lag(""))
	for _, c := range []struct {
		name string
		runs []*results.Run
		want metric.Direction
	}{
		{"one", []*results.Run{lower}, metric.LowerIsBetter},
		{"two that agree", []*results.Run{higher, higher}, metric.HigherIsBetter},
		{"two sides", []*results.Run{lower, higher}, ""},
		{"two sides and one again", []*results.Run{lower, higher, lower}, ""},
		{"a side and none", []*results.Run{higher, neither}, ""},
		{"none and a side", []*results.Run{neither, higher}, ""},
		{"none", []*results.Run{neither}, ""},
	} {
		got, err := results.DeclaredMetrics(known, c.runs...)
		must(t, err)
		if want := (metric.List{loss, lag(c.want)}); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got, err := results.DeclaredMetrics(known); err != nil || len(got) != 1 {
		t.Errorf("no runs: %v, %v", got, err)
	}
}

func TestMetricsOfADamagedRun(t *testing.T) {
	run := recorded(t, lag(""))
	must(t, os.WriteFile(filepath.Join(run.Dir, results.SummaryFile), []byte("PAR1"), 0o644))
	if _, err := results.DeclaredMetrics(nil, run); err == nil || !strings.Contains(err.Error(), "damaged or no parquet file") {
		t.Error(err)
	}
}
