package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// spreadText is a scenario of 400 steps with 80 releases, whose budget is spread.
const spreadText = `version: 1
name: spread
horizon: 400
nodes: 4
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 3}}
topology: {kind: complete, self_loops: true, schedule: {every: 5}}
mechanism: {kind: laplace, epsilon: 3}
budget: {epsilon: 8, on: spread}
seeds: {base: 1, count: 1}
`

// spreadServed is the override of an algorithm of a server in spreadText.
const spreadServed = `algorithm={kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 20}|topology={kind: star}|problem={kind: synthetic-logistic, dimension: 4, test_samples: 5}|`

// TestBudgetIsSpread: the releases of a run cost the budget within 1e-3 from below, and no node
// stops before the last step, whatever the mechanism's epsilon was. 80 pure releases have a
// 1/80 of the budget each.
func TestBudgetIsSpread(t *testing.T) {
	for _, test := range []struct {
		overrides string
		want      float64 // a share of the budget that each release has; 0 is any
	}{
		{"", 8.0 / 80},
		{"mechanism.epsilon=0.001", 8.0 / 80},
		{"budget.delta=1e-5", 0},
		{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-6}|budget.delta=1e-5", 0},
		{"mechanism={kind: laplace, epsilon: 1, over_time: {law: geometric, to: 0.1}}", 0},
		{"mechanism={kind: laplace, epsilon: 1, groups: [{first: 1, last: 2, epsilon: 4}]}", 0},
		{"mechanism={kind: independent, epsilon: 1, delta: 1e-5}|budget.delta=1e-5", 0},
		{spreadServed + "mechanism={kind: laplace, epsilon: 1}|budget.delta=1e-5", 0},
		{spreadServed + "algorithm.rate=0.5|mechanism={kind: sampled-gaussian, epsilon: 1, delta: 1e-5}|budget.delta=1e-5", 0},
	} {
		var overrides []string
		if test.overrides != "" {
			overrides = strings.Split(test.overrides, "|")
		}
		s := loadText(t, spreadText, overrides...)
		outcome := scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep})
		for _, w := range outcome.Manifest.Warnings {
			if w.Code == "budget" {
				t.Errorf("%s: %s", test.overrides, w.Message)
			}
		}
		_, j := scenariotest.SentBy(t, s, 0, 1)
		worst := 0.0
		for observer, rows := range scenariotest.FinalRows(t, s.Arms[0], j) {
			for _, epsilon := range rows {
				if observer == accountant.Peer {
					worst = max(worst, epsilon)
				}
			}
		}
		if worst > 8 || worst < 8-1e-3 {
			t.Errorf("%s: the run costs %v of 8", test.overrides, worst)
		}
		if step := s.Arms[0].Privacy.Loss(5); test.want > 0 && !(math.Abs(step.Epsilon/test.want-1) < 1e-5) {
			t.Errorf("%s: a release costs %v, want %v", test.overrides, step, test.want)
		}
	}
}

// TestBudgetCannotBeSpread: where no factor of an epsilon fits a budget, the scenario is refused.
func TestBudgetCannotBeSpread(t *testing.T) {
	for _, test := range []struct{ overrides, want string }{
		{"mechanism={kind: none}", "budget.on: a budget is spread by the key epsilon of the mechanism"},
		{"mechanism.epsilon=none", "mechanism.epsilon: a budget is spread over noise, and none is no number"},
		{"mechanism={kind: gaussian, epsilon: 1, delta: 1e-6}", "budget.on: the releases are not private however small epsilon is"},
		{spreadServed + "mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-5}|budget.delta=1e-5", "budget.on: a budget is spread by the key epsilon"},
		{spreadServed + "algorithm={kind: dpfl, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, batch: 5}|mechanism={kind: sampled-gaussian, epsilon: 1, delta: 1e-5}|budget.delta=1e-5", "budget.on: this algorithm plans its releases with the budget by itself"},
		{"algorithm.learning_rate=-1", "learning_rate"},
		{"mechanism.epsilon=x", "mechanism.epsilon"},
	} {
		_, err := scenariotest.LoadError(t, spreadText, strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}
