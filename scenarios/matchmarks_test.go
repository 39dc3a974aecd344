package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/view"
)

// matchObservers are arms of two families, of which one has an observer more.
const matchObservers = `version: 1
name: match
horizon: 6
nodes: 4
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: synthetic-logistic, dimension: 4, test_samples: 5, set: {kind: l2-ball, dimension: 4, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: laplace, epsilon: 3}
match: {epsilon: 2, delta: 1e-5, unit: client, neighbours: replace, observer: wire}
seeds: {base: 1, count: 6}
sweep:
  list:
    - {name: nodes, set: {}}
    - {name: again, set: {}}
    - {name: clients, set: {algorithm: {kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, aggregation: {kind: local}}, topology: {kind: star}, mechanism: {kind: gaussian, epsilon: 9, delta: 1e-5, neighbours: replace}}}
    - {name: bare, set: {match: null, mechanism: {kind: none}}}
`

// Arms that match has calibrated to one observer have one condition, whatever others see; without an
// observer in match all of them count, and with --observer that one.
func TestConditionsByTheObserverOfMatch(t *testing.T) {
	const apart, together = "nodes again | clients | bare", "nodes again clients | bare"
	for _, test := range []struct{ old, new, observer, want string }{
		{"", "", "", together},
		{", observer: wire}", "}", "", apart},
		{", observer: wire}", "}", "wire", together},
		{"{name: clients, set: {", "{name: clients, set: {match.observer: public, ", "", apart},
	} {
		text := strings.Replace(matchObservers, test.old, test.new, 1)
		outcome := scenariotest.RunIn(t, loadText(t, text), runner.RunOptions{})
		run, err := results.Open(outcome.Dir)
		if err != nil {
			t.Fatal(err)
		}
		kinds := scenarios.Catalog()
		read, err := view.Read(run, kinds.AllMetrics())
		if err != nil {
			t.Fatal(err)
		}
		conditions, _, err := read.Conditions(run.Manifest.Arms, test.observer)
		if err != nil {
			t.Fatal(err)
		}
		var groups []string
		for _, c := range conditions {
			groups = append(groups, strings.Join(c.Arms, " "))
		}
		if got := strings.Join(groups, " | "); got != test.want {
			t.Errorf("%s, observer %q: %s, want %s", test.new, test.observer, got, test.want)
		}
		values, err := read.Values(nil, view.ValuesOptions{PerTable: 9})
		if err != nil {
			t.Fatal(err)
		}
		if named := strings.Contains(values.Marks, "equal privacy against wire;"); named != (test.old == "") {
			t.Errorf("%s: %s", test.new, values.Marks)
		}
	}
}

// A comparison with a baseline has no better and worse between arms of different privacy, and no
// difference of losses for other units. Its p-values are those of the test itself.
func TestBaselineAndPrivacy(t *testing.T) {
	outcome := scenariotest.RunIn(t, loadText(t, matchObservers), runner.RunOptions{})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var sides []view.Side
	for _, name := range []string{"clients", "nodes", "again", "bare"} {
		sides = append(sides, view.Side{Run: run, Arm: name})
	}
	kinds := scenarios.Catalog()
	b, err := view.Against(sides, kinds.AllMetrics(), view.BaselineOptions{Metrics: []string{"accuracy.test", "messages.sent", "epsilon.total"}})
	if err != nil {
		t.Fatal(err)
	}
	var conditions []int
	for i := range b.Arms {
		conditions = append(conditions, b.Arms[i].Condition)
	}
	if !slices.Equal(conditions, []int{0, 0, 0, 1}) {
		t.Errorf("conditions %d", conditions)
	}
	tested := 0
	for _, of := range b.Metrics {
		for i := range of.Rows {
			row := &of.Rows[i]
			apart, verdict := b.Arms[row.Arm].Condition != 0, b.Verdict(row, of.Metric)
			if apart && verdict != "" || !apart && row.Holm <= 1 && verdict == "" {
				t.Errorf("%s of %s: verdict %q", of.Metric.Name, b.Arms[row.Arm].Label, verdict)
			}
			if row.Holm <= 1 {
				tested++
			}
		}
	}
	if tested < 3 || tested != b.Tests {
		t.Errorf("%d tests, of which %d have p", b.Tests, tested)
	}
	for _, table := range b.Tables() {
		if strings.HasPrefix(table.Heading, "accuracy.test") && (!strings.Contains(table.Heading, "higher is better") || !slices.Contains(table.Header, "epsilon")) {
			t.Errorf("%s: %q", table.Heading, table.Header)
		}
	}
	if text := strings.Join(b.Texts(), "\n"); !strings.Contains(text, "epsilon: of the whole run at delta 1e-05 for all data of a participant (replace), against eavesdropper (wire).") {
		t.Error(text)
	}
	if _, err := view.Against(sides, kinds.AllMetrics(), view.BaselineOptions{Observer: "nobody"}); err == nil {
		t.Error("there is no observer nobody")
	}
	fmt.Fprint(t.Output(), b.Tables())
}
