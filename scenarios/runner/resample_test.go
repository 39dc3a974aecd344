package runner_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// overSeeds has two arms with a statistic over seeds.
const overSeeds = `version: 1
name: over-seeds
horizon: 12
nodes: 3
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 7, count: 4}
measure: {every: 4}
sweep: {grid: {mechanism.epsilon: [1, 5]}}
`

// The statistic of all seeds, made again of the parts of the jobs, is that of the summary, at every
// step of every arm; that of one seed is the regret of its run.
func TestParts(t *testing.T) {
	s := scenariotest.LoadText(t, overSeeds)
	outcome := scenariotest.RunIn(t, s, runner.RunOptions{Build: "test"})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	alone := map[string]map[int64]float64{} // regrets of seed 9
	err = run.RunLevel(func(row results.Row) error {
		if row.Metric == gauge.RegretRun && row.Seed == 9 {
			if alone[row.Arm] == nil {
				alone[row.Arm] = map[int64]float64{}
			}
			alone[row.Arm][row.Step] = row.Value
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := &runner.Parts{Loader: scenariotest.Loader(t)}
	defer parts.Close()
	checked := 0
	err = run.Summary(func(row results.SummaryRow) error {
		if row.Metric != gauge.RegretExpected {
			return nil
		}
		checked++
		statistic, err := parts.Statistic(comparison.Arm{Run: run, Name: row.Arm}, row.Metric, row.Step, []uint64{7, 8, 9, 10})
		if err != nil {
			return err
		}
		values := make([]float64, 4)
		if got := statistic([]float64{0.25, 0.25, 0.25, 0.25}, values); math.Abs(got-row.Mean) > 1e-9*(1+math.Abs(got)) {
			t.Errorf("%s at step %d: %v, want %v", row.Arm, row.Step, got, row.Mean)
		}
		if _, se := results.MeanSE(values); math.Abs(se-row.SE) > 1e-9*(1+se) {
			t.Errorf("%s at step %d: standard error %v, want %v", row.Arm, row.Step, se, row.SE)
		}
		if got, want := statistic([]float64{0, 0, 1, 0}, values), alone[row.Arm][row.Step]; math.Abs(got-want) > 1e-9*(1+want) {
			t.Errorf("%s at step %d: %v under seed 9, want %v", row.Arm, row.Step, got, want)
		}
		return nil
	})
	if err != nil || checked < 6 {
		t.Fatalf("%d rows, %v", checked, err)
	}
}

// What is missing is told: parts of another metric, a step, and the jobs themselves.
func TestNoParts(t *testing.T) {
	s := scenariotest.LoadText(t, overSeeds, "measure.metrics=[regret.run]", "sweep=null")
	o := runner.RunOptions{Build: "test", Out: t.TempDir()}
	without := scenariotest.RunIn(t, s, o)
	with := scenariotest.RunIn(t, scenariotest.LoadText(t, overSeeds), o)
	ask := func(dir, arm, metric string, step int64) string {
		run, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		parts := &runner.Parts{Loader: scenariotest.Loader(t)}
		defer parts.Close()
		_, err = parts.Statistic(comparison.Arm{Run: run, Name: arm}, metric, step, []uint64{7, 8})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	const arm = "epsilon=1"
	for got, want := range map[string]string{
		ask(without.Dir, "base", gauge.RegretExpected, 12): "the arm does not record regret.expected",
		ask(with.Dir, arm, "regret.other", 12):             "no parts of regret.other are kept",
		ask(with.Dir, arm, gauge.RegretExpected, 5):        "step 5 is not recorded",
		ask(with.Dir, "none", gauge.RegretExpected, 12):    `the scenario has no arm "none"`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := ask(with.Dir, arm, gauge.RegretExpected, 12); got != "" {
		t.Error(got)
	}
	if err := os.RemoveAll(results.Jobs(with.Dir)); err != nil {
		t.Fatal(err)
	}
	if got := ask(with.Dir, arm, gauge.RegretExpected, 12); !strings.HasPrefix(got, "its folder jobs/") {
		t.Errorf("%q", got)
	}
}

// The intervals of figures are those of tables, at the last step of each arm, whether a run draws them or the figure of the finished
// run does; between the records with intervals of their own they lie on lines.
func TestFiguresHaveTheIntervalsOfTables(t *testing.T) {
	s := scenariotest.LoadText(t, overSeeds, "seeds.count=6", "horizon=40", "measure.every=1")
	outcome := scenariotest.DrawnIn(t, s, runner.RunOptions{Build: "test"})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	parts := &runner.Parts{Loader: scenariotest.Loader(t)}
	defer parts.Close()
	known := s.Kinds.AllMetrics()
	f, err := plot.DrawMarked([]*results.Run{run}, study.PlotOptions{Metric: gauge.RegretExpected, PerStep: true, LogY: true, Band: study.BandCI, Known: known}, nil,
		func(run *results.Run) plot.Halves { return parts.Halves(run) })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(f.Caption, " "), "(bootstrap over 6 seeds, at 12 records and straight between them)") {
		t.Errorf("the caption is %q", f.Caption)
	}
	text, err := os.ReadFile(filepath.Join(run.Dir, "plots", "regret.json"))
	if err != nil {
		t.Fatal(err)
	}
	var drawn struct {
		Series []struct {
			Name         string
			X, Low, High []*float64
		}
	}
	if err := json.Unmarshal(text, &drawn); err != nil || len(drawn.Series) != 2 {
		t.Fatal(len(drawn.Series), err)
	}
	for i, series := range f.Series {
		arm := []string{"epsilon=1", "epsilon=5"}[i]
		half, err := comparison.HalfWidthOf(comparison.Arm{Run: run, Name: arm}, gauge.RegretExpected, 40, parts.Statistic)
		if err != nil {
			t.Fatal(err)
		}
		last := len(series.X) - 1
		if got := (series.High[last] - series.Low[last]) / 2 * 40; math.Abs(got-half) > 1e-9*half {
			t.Errorf("%s: the figure has %v, tables have %v", arm, got, half)
		}
		for k := range series.X {
			if a, b := series.High[k], *drawn.Series[i].High[k]; math.Abs(a-b) > 1e-12*math.Abs(a) {
				t.Errorf("%s at %v: %v, and %v in the run's own figure", arm, series.X[k], a, b)
			}
		}
	}
}
