package scenarios_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
)

// ownSigmas are clients that protect their samples, with noise multipliers of their own.
var ownSigmas = strings.NewReplacer("clip: none", "clip: 1, level: record, batch: 4", "mechanism: {kind: none}",
	"mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5, sigmas: [{first: 1, last: 2, value: 0.9}, {nodes: [4], value: 5}]}").Replace(honestStar)

// The loss of each client is that of an arm in which all have its multiplier; the largest is in metrics.
func TestSigmasOfTheirOwn(t *testing.T) {
	for _, arm := range [][]string{nil, {"algorithm.kind=dp-scaffold"}, {"mechanism.accountant=pld"}, {"mechanism.neighbours=replace"}, {"algorithm.tau=3", "algorithm.stragglers={share: 0.5, steps: 1}"}} {
		got := finalLosses(t, ownSigmas, arm...)
		for client, sigma := range map[int32]string{1: "0.9", 2: "0.9", 3: "2", 4: "5", 5: "2"} {
			want := finalLosses(t, ownSigmas, append(arm, "mechanism.sigmas=null", "mechanism.sigma="+sigma)...)
			for _, observer := range accountant.Observers() {
				a, b := got[observer][client], want[observer][client]
				if b == 0 || !(math.Abs(a-b) <= 1e-12*b) {
					t.Errorf("%v: client %d loses %v to %s, and %v where all have its multiplier", arm, client, a, observer, b)
				}
			}
		}
		total := last(valuesOf(scenariotest.MeasuredIn(t, ownSigmas, arm...).Rows, ledger.EpsilonTotal))
		if most := slices.Max([]float64{got[accountant.Wire][1], got[accountant.Wire][2], got[accountant.Wire][3]}); total != most {
			t.Errorf("%v: the metrics state %v, and the ledger %v", arm, total, most)
		}
	}
}

// Of clients with different rates and multipliers the plan states the one that pays the most, found here
// by trying all.
func TestDearestOfSigmasOfTheirOwn(t *testing.T) {
	divided := "problem={kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: dirichlet, alpha: 1, min_size: 6}}"
	s := loadText(t, ownSigmas, divided, "algorithm.samples=null", "mechanism.sigmas={law: log-uniform, from: 0.5, to: 3}")
	_, j := scenariotest.SentBy(t, s, 0, 0)
	most := 0.0
	for _, loss := range scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Wire] {
		most = max(most, loss)
	}
	if claimed := s.Arms[0].Privacy.Accounts[0].Claimed.Epsilon; !(math.Abs(claimed-most) <= 1e-9*most) {
		t.Errorf("the plan states %v, and the dearest client loses %v", claimed, most)
	}
}

// Budgets stop clients one by one, runs have one digest on all runtimes and go on from where they
// stopped, and match scales all multipliers by one factor.
func TestRunsOfSigmasOfTheirOwn(t *testing.T) {
	s := loadText(t, ownSigmas, "horizon=6", "budget={epsilon: 5, delta: 1e-5, on: stop}")
	through := oneDigest(t, s, 3, 0, 1, 4)
	if len(through[1]) >= len(through[4]) {
		t.Errorf("client 1 sends %d messages, and client 4 with more noise %d", len(through[1]), len(through[4]))
	}
	matched := loadText(t, ownSigmas, "match={epsilon: 3, delta: 1e-5, unit: record, neighbours: add-or-remove}")
	got := last(valuesOf(metricsOf(t, matched, runner.RunOptions{Engine: runner.Lockstep}).Rows, ledger.EpsilonTotal))
	if !(got <= 3 && got >= 3-1e-4) {
		t.Errorf("match finds %v, want 3", got)
	}
	loadText(t, ownSigmas, "match={epsilon: none, delta: 1e-5, unit: record, neighbours: add-or-remove}")
}

// An audit of the first client does not refute its own multiplier, and refutes half of its noise.
func TestAuditOfSigmasOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{1, 0.5} {
		o := scenariotest.AuditOptions(1024)
		o.Noise = noise
		found := false
		for _, a := range scenariotest.AuditIn(t, loadText(t, ownSigmas), o) {
			t.Logf("noise %v, %s: accounted %.4g, audited %.4g", noise, a.Mechanism, a.Accounted, a.Audited)
			found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
		}
		if found != (noise < 1) {
			t.Errorf("noise %v: found %v", noise, found)
		}
	}
}

func TestSigmasOfTheirOwnAreRefused(t *testing.T) {
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"algorithm.level=user", "algorithm.batch=null"}, "mechanism.sigmas: one server adds the noise of a round"},
		{[]string{"mechanism.sigma=null", "mechanism.epsilon=2"}, "mechanism.sigmas: clients have multipliers in place of sigma: give sigma in place of epsilon"},
		{[]string{"mechanism.sigmas=[{nodes: [6], value: 1}]"}, "mechanism.sigmas[0].nodes[0]: there is no node 6; there are 5"},
		{[]string{"mechanism.sigmas={law: uniform, from: 1}"}, "mechanism.sigmas.to: to is for the laws"},
		{[]string{"mechanism.sigmas={column: s}"}, "mechanism.sigmas.column: "},
		{[]string{"algorithm={kind: dpfl, tau: 1, learning_rate: 0.1, clip: 1, samples: 10}"}, "mechanism.sigmas: noise multipliers of clients are for algorithms with level: record"},
		{[]string{"mechanism.sigmas={file: a.csv, value: s}", "match={epsilon: 3, delta: 1e-5, unit: record, neighbours: add-or-remove}"}, "mechanism.sigmas.file: "},
	} {
		if _, err := loadError(t, ownSigmas, test.overrides...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
}
