package scenarios_test

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"starling/scenarios"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// nullStudies is the number of studies of TestNull.
var nullStudies = flag.Int("null", 40, "number of studies of equal arms in TestNull")

// nullText is a small private study. Its arms say the same under other names; what each of them has
// recorded comes from seeds of its own.
const nullText = `version: 1
name: equal-arms
horizon: 8
nodes: 3
algorithm: {kind: dsgd, learning_rate: 0.5}
problem: {kind: synthetic-logistic, dimension: 2, test_samples: 40, set: {kind: l2-ball, dimension: 2, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: laplace, epsilon: 2}
measure: {every: 8, metrics: [accuracy.test, regret.run]}
seeds: {base: 1, count: 8}
plots: []
sweep: {list: [{name: a, set: {}}, {name: b, set: {}}, {name: c, set: {}}, {name: d, set: {}}]}
`

// nullValues runs the study under many seeds, and returns the last values of a metric in the order
// of the seeds.
func nullValues(t *testing.T, seeds int, metrics []string) map[string][]float64 {
	s := scenariotest.LoadText(t, nullText, "sweep=null", fmt.Sprintf("seeds.count=%d", seeds))
	outcome := scenariotest.RunIn(t, s, runner.RunOptions{})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]float64{}
	err = run.RunLevel(func(row results.Row) error {
		if row.Step == 8 {
			values[row.Metric] = append(values[row.Metric], row.Value)
		}
		return nil
	})
	for _, name := range metrics {
		if err != nil || len(values[name]) != seeds {
			t.Fatalf("%d values of %s of %d seeds, %v", len(values[name]), name, seeds, err)
		}
	}
	return values
}

// nullStudy writes a run of equal arms whose values are the next of each metric, and opens it. The
// last arm is shifted by some standard deviations.
func nullStudy(t *testing.T, values map[string][]float64, metrics []string, study int, shift float64) *results.Run {
	const seeds = 8
	arms := []string{"a", "b", "c", "d"}
	dir := filepath.Join(t.TempDir(), "run")
	plan := results.Plan{Arms: arms, Seeds: results.Seeds{Base: 1, Count: seeds}}
	folder, err := results.Create(dir, results.Options{Plan: plan, Scenario: []byte(nullText)})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	manifest := results.Manifest{Scenario: "equal-arms", Hash: "0123abcd", Status: results.StatusComplete, Digest: "00ff", Seeds: plan.Seeds, Horizon: 8,
		FirstStep: 1, MeasuredNodes: results.MeasuredNodes{All: true}, Versions: results.CurrentVersions("test")}
	for i, arm := range arms {
		for k := range seeds {
			job := results.NewJob(arm, uint64(1+k))
			for _, name := range metrics {
				list := values[name]
				value := list[(study*len(arms)+i)*seeds+k]
				if i == len(arms)-1 && shift != 0 {
					_, se := results.MeanSE(list)
					value += shift * se * math.Sqrt(float64(len(list)))
				}
				job.Add(8, name, value)
			}
			if err := folder.WriteJob(job); err != nil {
				t.Fatal(err)
			}
		}
		manifest.Arms = append(manifest.Arms, results.ArmEntry{Name: arm})
	}
	if err := folder.Commit(manifest); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// marked counts, by metric, the arms that the marks of the last values tell from the best. lacking
// are the metrics on which the first arm is one of them. verdicts reports whether a comparison with the
// first arm calls any better or worse.
func marked(t *testing.T, run *results.Run, known metric.List, metrics []string) (told map[string]int, lacking map[string]bool, verdicts bool) {
	read, err := view.Read(run, known)
	if err != nil {
		t.Fatal(err)
	}
	told, lacking = map[string]int{}, map[string]bool{}
	for _, name := range metrics {
		marks, err := read.MarksOf(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, arm := range run.Manifest.Arms {
			if marks != nil && marks.Of[arm.Name] == "" {
				told[name]++
				lacking[name] = lacking[name] || i == 0
			}
		}
	}
	var sides []view.Side
	for _, arm := range run.Manifest.Arms {
		sides = append(sides, view.Side{Run: run, Arm: arm.Name})
	}
	b, err := view.Against(sides, known, view.BaselineOptions{Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range b.Metrics {
		for i := range of.Rows {
			switch b.Verdict(&of.Rows[i], of.Metric) {
			case comparison.BetterWord, comparison.WorseWord:
				verdicts = true
			}
		}
	}
	return told, lacking, verdicts
}

// Of equal arms under other names, whose values are those of a real study, the marks of a metric tell
// the first arm from the best, and a comparison with a baseline calls one better or worse, in at most
// 5 % of the studies, up to three standard errors. Marks tell any of the 4 arms from the best in at
// most 10 %: for each of the 6 pairs, which are all that may be tested, the least p is compared with
// Level/3, and 6*Level/3 is 2*Level. An arm that is four standard deviations off is found.
func TestNull(t *testing.T) {
	const arms, seeds = 4, 8
	studies, metrics := *nullStudies, []string{"accuracy.test", "regret.run"}
	catalog := scenarios.Catalog()
	known := catalog.AllMetrics()
	values := nullValues(t, studies*arms*seeds, metrics)
	first, some := map[string]int{}, map[string]int{}
	for study := range studies {
		told, lacking, verdicts := marked(t, nullStudy(t, values, metrics, study, 0), known, metrics)
		for _, name := range metrics {
			if lacking[name] {
				first["marks of the first arm on "+name]++
			}
			if told[name] > 0 {
				some["marks on "+name]++
			}
		}
		if verdicts {
			first["compare"]++
		}
	}
	n := float64(studies)
	hold := func(wrong map[string]int, level float64, names ...string) {
		bound := n*level + 3*math.Sqrt(n*level*(1-level))
		for _, of := range names {
			t.Logf("%s: %d of %d studies", of, wrong[of], studies)
			if float64(wrong[of]) > bound {
				t.Errorf("%s tell equal arms apart in %d of %d studies, above %.1f", of, wrong[of], studies, bound)
			}
		}
	}
	hold(first, comparison.Level, "marks of the first arm on accuracy.test", "marks of the first arm on regret.run", "compare")
	hold(some, comparison.Level*arms/2, "marks on accuracy.test", "marks on regret.run")
	told, _, verdicts := marked(t, nullStudy(t, values, metrics, 0, 4), known, metrics)
	if told["accuracy.test"] == 0 || told["regret.run"] == 0 || !verdicts {
		t.Errorf("an arm that is off is not found: marks %v, verdicts %v", told, verdicts)
	}
}
