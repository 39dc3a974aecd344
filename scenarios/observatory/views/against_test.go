package views_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// attacked has two rules without and with an attack.
const attacked = `version: 1
name: attacked
horizon: 12
nodes: 6
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5, set: {kind: l2-ball, dimension: 3, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: none}
seeds: {base: 1, count: 6}
measure: {headline: regret.run}
sweep:
  list:
    - {name: "none,mean", set: {algorithm.combine.kind: mean, adversaries.kind: none}}
    - {name: "none,median", set: {algorithm.combine.kind: median, adversaries.kind: none}}
    - {name: "scaled,mean", set: {algorithm.combine.kind: mean, adversaries: {kind: scaled, nodes: [1], factor: -20}}}
    - {name: "scaled,median", set: {algorithm.combine.kind: median, adversaries: {kind: scaled, nodes: [1], factor: -20}}}
`

// The arms of one condition have the p-values that the comparison of all arms gives them, and a text
// says for how many comparisons they are corrected.
func TestAgainstHasOneFamily(t *testing.T) {
	o := runner.RunOptions{Out: t.TempDir()}
	outcome := scenariotest.RunIn(t, scenariotest.LoadText(t, attacked), o)
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := views.NewFolder(o.Out, scenarios.NewLoader(""))
	if err != nil {
		t.Fatal(err)
	}
	id, err := filepath.Rel(o.Out, outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var sides []view.Side
	for _, arm := range run.Manifest.Arms {
		sides = append(sides, view.Side{Run: run, Arm: arm.Name})
	}
	kinds := scenarios.Catalog()
	all, err := view.Against(sides, kinds.AllMetrics(), view.BaselineOptions{Metrics: []string{"regret.run"}})
	if err != nil || all.Tests != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	want := map[string]string{}
	for _, of := range all.Metrics {
		for _, row := range of.Rows[1:] {
			want[all.Arms[row.Arm].Shown] = comparison.FormatP(row.Holm)
		}
	}
	one, err := f.Against(views.AgainstQuery{IDs: []string{filepath.ToSlash(id)}, Baseline: views.Side{ID: filepath.ToSlash(id), Arm: sides[0].Arm}, Metric: "regret.run"})
	if err != nil || len(one.Tables) != 1 || len(one.Conditions) != 2 || one.Condition == "" {
		t.Fatalf("%+v, %v", one, err)
	}
	table := one.Tables[0]
	p := slices.Index(table.Header, "p, Holm")
	if len(table.Rows) != 2 || p < 0 || one.Tests != all.Tests {
		t.Fatalf("%d tests, %+v", one.Tests, table)
	}
	for _, row := range table.Rows[1:] {
		if want[row[0]] == "" || row[p] != want[row[0]] {
			t.Errorf("%s: p %s, want %q", row[0], row[p], want[row[0]])
		}
	}
	if text := strings.Join(one.Texts, " "); !strings.Contains(text, "Holm's method for 2 comparisons of all conditions;") {
		t.Error(text)
	}
}
