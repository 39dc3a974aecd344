package ofl_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// varied is a scenario of five learners in twelve rounds of two steps.
const varied = `version: 1
name: varied
horizon: 24
nodes: 5
algorithm: {kind: ofl, tau: 2, local_step: 0.2, gradient_bound: 1}
problem: {kind: synthetic-logistic, dimension: 3}
topology: {kind: star}
mechanism: {kind: tree, epsilon: 2, delta: 1e-4}
seeds: {base: 1, count: 1}
plots: []
`

// groups is an override: two learners have an epsilon of 1, one of 4.
const groups = "mechanism.groups=[{first: 1, last: 2, epsilon: 1}, {nodes: [4], epsilon: 4}]"

// noises are mechanisms of learners.
var noises = []string{
	"{kind: tree, epsilon: 2, delta: 1e-4}",
	"{kind: blt, epsilon: 2, delta: 1e-4}",
	"{kind: optimal, epsilon: 2, delta: 1e-4}",
	"{kind: independent, epsilon: 2, delta: 1e-4}",
	"{kind: laplace, epsilon: 2}",
	"{kind: gaussian, epsilon: 2, delta: 1e-4}",
}

// lossesOf are the losses of learners to an observer at the end of a run.
func lossesOf(t *testing.T, overrides ...string) map[int32]float64 {
	t.Helper()
	s := scenariotest.LoadText(t, varied, overrides...)
	_, j := scenariotest.SentBy(t, s, 0, 1)
	return scenariotest.FinalRows(t, s.Arms[0], j)[accountant.Server]
}

// TestLearnersPayForTheirOwn: the loss of a learner with an epsilon of its own is that of an arm in
// which all learners have it, to 1e-12.
func TestLearnersPayForTheirOwn(t *testing.T) {
	for _, mechanism := range noises {
		got := lossesOf(t, "mechanism="+mechanism, groups)
		for epsilon, learners := range map[float64][]int32{1: {1, 2}, 2: {3, 5}, 4: {4}} {
			arm := lossesOf(t, "mechanism="+mechanism, fmt.Sprintf("mechanism.epsilon=%v", epsilon))
			for _, learner := range learners {
				if want := arm[learner]; !(math.Abs(got[learner]-want) <= 1e-12*want) || want == 0 {
					t.Errorf("%s: learner %d loses %v, want %v", mechanism, learner, got[learner], want)
				}
			}
		}
	}
}

// TestWeightsOfLearners: with inverse variances the model moves by the weighted mean of messages, as a
// loop over these computes it. Messages of a learner that hears no model are the same under any weights.
func TestWeightsOfLearners(t *testing.T) {
	list := func(weights string) (sent [5]float64, model float64) { // first entries
		s := scenariotest.LoadText(t, varied, "horizon=2", "mechanism={kind: laplace, epsilon: 2}", groups, "algorithm.weights="+weights)
		all, _ := scenariotest.SentBy(t, s, 0, 0, 1, 2, 3, 4, 5)
		for i := range sent {
			sent[i] = all[messages.NodeID(i+1)][0].First
		}
		return sent, all[0][0].First
	}
	sent, model := list("inverse-variance")
	weights := [5]float64{1, 1, 4, 16, 4} // the variance of Laplace noise is 2/epsilon^2
	sum, total := 0.0, 0.0
	for i, weight := range weights {
		sum += weight * sent[i]
		total += weight
	}
	if want := -0.2 * 2 * sum / total; math.Abs(model-want) > 1e-12 {
		t.Errorf("the model is %v, want %v", model, want)
	}
	if _, plain := list("equal"); math.Abs(plain-model) < 1e-9 {
		t.Errorf("weights change nothing: %v", plain)
	}
}

// TestVariedRuntimes: all runtimes give the same bits, also with effects, and so does a run that is
// saved.
func TestVariedRuntimes(t *testing.T) {
	for _, overrides := range []string{"algorithm.weights=inverse-variance", "network={kind: effects, churn: {fail: 0.1, recover: 0.5}}|algorithm.weights=inverse-variance", "mechanism={kind: laplace, epsilon: 2}"} {
		s := scenariotest.LoadText(t, varied, append(strings.Split(overrides, "|"), groups, "checkpoint={every: 7}")...)
		scenariotest.OneDigest(t, s)
		scenariotest.Resumes(t, s, 7, 0, 1)
	}
}

// TestVariedAudit: an audit of the learner with the least noise does not refute its loss, and refutes
// it where half of the noise is missing.
func TestVariedAudit(t *testing.T) {
	testneeds.Slow(t)
	for _, mechanism := range []string{"{kind: tree, epsilon: 1, delta: 1e-3}", "{kind: laplace, epsilon: 1}"} {
		s := scenariotest.LoadText(t, varied, "mechanism="+mechanism, "mechanism.groups=[{share: 0.5, epsilon: 2}]")
		for _, scale := range []float64{1, 0.4} {
			o := scenariotest.AuditOptions(4000)
			o.Noise = scale
			for _, a := range scenariotest.AuditIn(t, s, o) {
				if a.Refuted() != (scale < 1) || math.Abs(a.Claim-2) > 1e-9 {
					t.Errorf("%s, noise %v: at least %v of %v, claim %v", mechanism, scale, a.Audited, a.Accounted, a.Claim)
				}
			}
		}
	}
}

// TestVariedRefuse: bad groups of learners are refused where they stand.
func TestVariedRefuse(t *testing.T) {
	for _, test := range []struct{ overrides, want string }{
		{"mechanism.groups=[{nodes: [9], epsilon: 1}]", "mechanism.groups[0].nodes[0]: there is no node 9; there are 5"},
		{"mechanism.groups=[{first: 3, last: 2, epsilon: 1}]", "mechanism.groups[0].last: the group is empty"},
		{"mechanism.groups=[{first: 1, last: 2, epsilon: none}]", "mechanism.groups: client 1 has no noise"},
		{"mechanism={kind: independent, epsilon: 2, delta: 1e-4, over_time: {law: inverse-sqrt}}", "mechanism.over_time: noise that differs"},
		{"mechanism={kind: laplace, epsilon: 2, over_time: {law: inverse-sqrt}}", "mechanism.over_time: noise that differs"},
		{groups + "|algorithm={kind: dp-ftrl, learning_rate: 0.5, clip: 1}", "mechanism.groups: noise that differs"},
		{groups + "|algorithm.weights=inverse-variance|topology={kind: tiers, fan: [1, 5]}", "algorithm.weights: a server below the top"},
	} {
		_, err := scenariotest.LoadError(t, varied, strings.Split(test.overrides, "|")...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.overrides, err, test.want)
		}
	}
}
