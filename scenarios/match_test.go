package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// matchText are arms that protect a record: two budgets of an accountant, Laplace noise whose
// losses add up over the steps, noise that is given by a multiplier, and payments that depend on
// the data, of which the plan guarantees a bound.
const matchText = `version: 1
name: match
horizon: 12
nodes: 4
algorithm: {kind: ofl, tau: 3, local_step: 1}
problem: {kind: synthetic-logistic, dimension: 4, test_samples: 5, set: {kind: l2-ball, dimension: 4, radius: 3}}
topology: {kind: star}
mechanism: {kind: independent, epsilon: 7, delta: 1e-6}
match: {epsilon: 2, delta: 1e-5, unit: record, neighbours: replace}
seeds: {base: 1, count: 1}
sweep:
  list:
    - {name: gaussian, set: {}}
    - {name: laplace, set: {mechanism: {kind: laplace, epsilon: 1}}}
    - {name: multiplier, set: {algorithm: {kind: dp-fedavg, level: record, batch: 4, learning_rate: 0.1, clip: 1, samples: 20, tau: 2}, mechanism: {kind: sampled-gaussian, sigma: 9, delta: 1e-5, neighbours: replace}}}
    - {name: dpfl, set: {algorithm: {kind: dpfl, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, batch: 5}, mechanism: {kind: sampled-gaussian, sigma: 1, delta: 1e-6, neighbours: replace}}}
    - {name: ali, set: {algorithm: {kind: ali-dpfl, learning_rate: 0.1, clip: 1, samples: 20, batch: 5, statistics: private, statistics_sigma: 2000, statistics_clip: 1, statistics_lipschitz: 1}, mechanism: {kind: sampled-gaussian, sigma: 1, delta: 1e-6, neighbours: replace}}}
`

// matchEquals are arms that protect all data of a participant.
const matchEquals = `version: 1
name: match
horizon: 12
nodes: 4
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: synthetic-logistic, dimension: 4, test_samples: 5, set: {kind: l2-ball, dimension: 4, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: laplace, epsilon: 3}
match: {epsilon: 2, delta: 1e-5, unit: node, neighbours: replace}
seeds: {base: 1, count: 1}
sweep:
  list:
    - {name: laplace, set: {}}
    - {name: gaussian, set: {mechanism: {kind: gaussian, epsilon: 1, delta: 1e-9}}}
    - {name: server, set: {algorithm: {kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 20, tau: 2, rate: 0.5}, topology: {kind: star}, mechanism: {kind: sampled-gaussian, epsilon: 9, delta: 1e-5, neighbours: replace}}}
`

// TestMatch holds that the ledger states the epsilon of match for every arm, at its delta, within
// 1e-3 from below, for every epsilon, and that none is no noise.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, text := range []string{matchText, matchEquals} {
		for _, overrides := range [][]string{nil, {"match.epsilon=0.25"}, {"match.observer=peer"}, {"match.epsilon=none"}} {
			s := loadText(t, text, overrides...)
			scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep})
			want := 2.0
			switch strings.Join(overrides, "") {
			case "match.epsilon=0.25":
				want = 0.25
			case "match.epsilon=none":
				want = math.Inf(1)
			}
			for k, arm := range s.Arms {
				_, j := scenariotest.SentBy(t, s, k, 1)
				worst := 0.0
				for _, epsilon := range scenariotest.FinalRows(t, arm, j)[accountant.Peer] {
					worst = max(worst, epsilon)
				}
				if !(worst == want || worst <= want && worst >= want-1e-3) {
					t.Errorf("%v: arm %s costs %v, want %v", overrides, arm.Name, worst, want)
				}
				if account := arm.Privacy.Accounts[0]; account.Relation != accountant.Replace || (account.Protects == ledger.ProtectsRecord) != (text == matchText) {
					t.Errorf("arm %s protects %s", arm.Name, account.Unit)
				}
			}
		}
	}
}

// TestMatchRefuses holds that arms with another unit, other neighbours, no such observer or no noise
// are refused with their name and the reason.
func TestMatchRefuses(t *testing.T) {
	for _, test := range []struct{ overrides, want string }{
		{"match.unit=client", "match.unit: arm gaussian protects a client's datum; set match: null in it"},
		{"match.neighbours=add-or-remove", "match.neighbours: the losses of arm laplace are for one client's datum replaced"},
		{"match.observer=nobody", `match.observer: unknown value "nobody"`},
		{"sweep.list[1].set.mechanism={kind: none}", "match: the mechanism of arm laplace has neither the key epsilon nor sigma; set match: null"},
		{"budget={epsilon: 1, on: stop}", "match states the privacy of the run, and so does budget; give one of them"},
		{"match={epsilon: 1, delta: 1e-5, unit: record}", `match: missing required key "neighbours"`},
		{"match.unit=row", `match.unit: unknown value "row"; known: record, client, node`},
		{"match.epsilon=1e-9", "match.epsilon: epsilon is 1e-09; noise is calibrated to 0.0001 at least"},
		{"match.delta=0", "match: the releases are not private however small epsilon is"},
		{"mechanism.epsilon=none", "mechanism.epsilon: match calibrates noise, and none is no number"},
		{"sweep.list[4].set.algorithm.statistics_sigma=10", "match: the releases cost 4.72259 however small the epsilon of the mechanism is, and 2 is asked for"},
		{"sweep.list[4].set.algorithm={kind: ali-dpfl, learning_rate: 0.1, clip: 1, samples: 20, batch: 5}", "the mechanism's noise bounds no part of their loss: rho_i, beta_i and the gradients behind xi_i are sent as they are"},
	} {
		_, err := scenariotest.LoadError(t, matchText, strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
	if s := loadText(t, matchText, "sweep.list[1].set.mechanism={kind: none}", "sweep.list[1].set.match=null"); len(s.Arms) != 5 {
		t.Errorf("%d arms", len(s.Arms))
	}
}
