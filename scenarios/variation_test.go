package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// drifting has models of true labels that change once, after 100 steps of 200.
const drifting = `version: 1
name: drifting
nodes: 10
horizon: 200
algorithm: {kind: dsgd, learning_rate: 1, decay: 0}
problem: {kind: synthetic-logistic, dimension: 6, shared: 1, test_samples: 100, drift: {kind: abrupt, period: 100}, set: {kind: l2-ball, dimension: 6, radius: 10}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: none}
measure: {every: 200, at: [99, 101, 199], metrics: [accuracy.test, loss.fresh]}
seeds: {base: 1, count: 1}
`

// Fresh data are of the models of their step, for equals and for learners of a server:
// what was learned is of no use after the jump, and is learned anew. Data that stay know
// no time.
func TestFreshDataDrift(t *testing.T) {
	for _, overrides := range [][]string{nil, {"algorithm={kind: ofl, tau: 1, local_step: 0.3}", "topology={kind: star}"}} {
		s := loadText(t, drifting, overrides...)
		at := map[string]map[int]float64{}
		for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
			if at[row.Metric] == nil {
				at[row.Metric] = map[int]float64{}
			}
			at[row.Metric][int(row.Step)] = row.Value
		}
		accuracy, loss := at["accuracy.test"], at["loss.fresh"]
		if len(accuracy) < 3 || !(accuracy[99] > accuracy[101]+0.1 && accuracy[199] > accuracy[101]+0.1) {
			t.Errorf("%v: accuracy by step %v", overrides, accuracy)
		}
		if !(loss[99] < loss[101]-0.1 && loss[199] < loss[101]-0.1) {
			t.Errorf("%v: loss by step %v", overrides, loss)
		}
	}
	if _, err := loadError(t, drifting, "algorithm={kind: dpfl, tau: 1, learning_rate: 1, clip: none}", "topology={kind: star}"); err == nil || !strings.Contains(err.Error(), "problem.drift: data that stay have no time") {
		t.Errorf("data that stay: %v", err)
	}
}
