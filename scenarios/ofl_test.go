package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios"

	"starling/actors/algorithm/ofl"
	"starling/scenarios/meter/federated"
	"starling/scenarios/runner"
)

// TestOnlineLearningRefuses checks what is wrong with a scenario of online
// federated learning, each under its place.
func TestOnlineLearningRefuses(t *testing.T) {
	tests := []struct{ sets, want string }{
		{"mechanism.epsilon=0", "mechanism.epsilon: epsilon = 0; it must be a number > 0"},
		{"mechanism.epsilon=-1", "mechanism.epsilon: epsilon = -1; it must be a number > 0"},
		{"mechanism.delta=0", "mechanism.delta: delta = 0; it must be a number > 0 and < 1"},
		{"mechanism.delta=1", "mechanism.delta: delta = 1; it must be a number > 0 and < 1"},
		{"mechanism={kind: tree, delta: 0.1}", `missing required key "epsilon"`},
		{"mechanism={kind: tree, epsilon: 1}", `missing required key "delta"`},
		{"mechanism.calibration=tight", `unknown value "tight"; known: exact, zcdp`},
		{"mechanism.kind=laplace", `"laplace" does not go with the algorithm ofl, which takes none, independent, tree`},
		{"mechanism.kind=optimum", `unknown kind "optimum"; did you mean "optimal"?`},
		{"mechanism={kind: ar-sum, epsilon: 1, delta: 0.1, chains: 0}", "chains"},
		{"topology.kind=ring", `"ring" does not go with the algorithm ofl, which takes star`},
		{"problem={kind: localization}", `"localization" does not go with the algorithm ofl`},
		{"problem.dimension=0", "dimension"},
		{"horizon=13", "horizon: 13 steps are no whole number of rounds of 3"},
		{"algorithm.tau=0", "algorithm.tau: 0 local steps; want at least 1"},
		{"algorithm.version=3", "algorithm.version: version 3; known: 1 (noise on each round), 2 (noise on each step)"},
		{"algorithm.local_step=0", "algorithm.local_step: local step eta = 0; want a finite number > 0"},
		{"algorithm.global_step=-1", "algorithm.global_step: global step eta_g = -1; want a finite number > 0"},
		{"algorithm.start=[1]", "algorithm.start: start x^0 has 1 entries; the model has 4 parameters"},
		{"algorithm.gradient_bound=0", "algorithm.gradient_bound: gradient bound B_g = 0; want a finite number > 0"},
		{"algorithm.on_bound=ignore", `algorithm.on_bound: unknown value "ignore"; known: error, clip`},
		{"algorithm.sensitivity=convex", "algorithm.sensitivity: convex is for version 1; in version 2 a datum moves one input only"},
		{"algorithm.sensitivity=none", `algorithm.sensitivity: unknown value "none"; known: bound, convex`},
		{"problem.normalise=false", "algorithm: the gradients have no bound of their own: give algorithm.gradient_bound"},
		{"measure.nodes=2", "measure.nodes: the metrics of a federated algorithm are of the whole run; leave this out"},
	}
	for _, test := range tests {
		file := baseFile(t, learning)
		_, err := scenarios.Load(file, parseSets(t, test.sets)...)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), ":") {
			t.Errorf("%s: %v, want %q", test.sets, err, test.want)
		}
	}
	file := baseFile(t, learning)
	_, err := scenarios.Load(file, parseSets(t, "algorithm={kind: ofl, version: 1, tau: 3, local_step: 9, sensitivity: convex}")...)
	if err == nil || !strings.Contains(err.Error(), "eta = 9 is over 2/L = 8, so that local steps may expand") {
		t.Errorf("long steps with sensitivity: convex: %v", err)
	}
}

// TestOnlineLearningMeasures checks what a run records, by counting: messages by
// formula, accuracies as shares of whole samples, every round once.
func TestOnlineLearningMeasures(t *testing.T) {
	const n, rounds, tau, d = 3, 4, 3, 4
	s := loadText(t, learning, "seeds.count=1", "measure={every: 12}")
	rows := map[string][]float64{}
	for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
		rows[row.Metric] = append(rows[row.Metric], row.Value)
	}
	if got := rows[federated.AccuracyInstant]; len(got) != rounds {
		t.Errorf("%d rounds have an accuracy, want %d", len(got), rounds)
	}
	for _, share := range rows[federated.AccuracyInstant] {
		if whole := share * n * tau; whole != float64(int(whole+0.5)) {
			t.Errorf("an accuracy of %v is no share of %d samples", share, n*tau)
		}
	}
	// A datum for each learner and step, a vector up and one down for each
	// learner and round.
	if got, want := rows[federated.MessagesSent][0], float64(n*rounds*tau+2*n*rounds); got != want {
		t.Errorf("%v messages, want %v", got, want)
	}
	if got, want := rows[federated.BytesSent][0], float64(n*rounds*tau*(5+8*(d+1))+2*n*rounds*(5+8*d)); got != want {
		t.Errorf("%v bytes, want %v", got, want)
	}
	if rows[federated.ClipShare][0] != 0 {
		t.Errorf("normalised features, and %v of the gradients are clipped", rows[federated.ClipShare][0])
	}
	arm := s.Arms[0]
	if a := arm.Algorithm; a.FirstStep != 0 || a.FirstLabel != 0 || a.Participants != 1+2*n {
		t.Errorf("steps from %d, participants from %d, %d of them", a.FirstStep, a.FirstLabel, a.Participants)
	}
	if ofl.Learner(0) != 1 {
		t.Errorf("the first learner is participant %d", ofl.Learner(0))
	}
}
