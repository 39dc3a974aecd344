package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm/ofl"
	"starling/scenarios"
	family "starling/scenarios/family/ofl"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
)

// TestOnlineLearningRefuses checks what is wrong with a scenario of online
// federated learning, each under its place.
func TestOnlineLearningRefuses(t *testing.T) {
	tests := []struct{ sets, want string }{
		{"mechanism.epsilon=0", "mechanism.epsilon: epsilon = 0; it must be a finite number > 0, or none"},
		{"mechanism.epsilon=-1", "mechanism.epsilon: epsilon = -1; it must be a finite number > 0, or none"},
		{"mechanism.delta=0", "mechanism.delta: delta = 0; it must be a number > 0 and < 1"},
		{"mechanism.delta=1", "mechanism.delta: delta = 1; it must be a number > 0 and < 1"},
		{"mechanism={kind: tree, delta: 0.1}", `missing required key "epsilon"`},
		{"mechanism={kind: tree, epsilon: 1}", `missing required key "delta"`},
		{"mechanism.calibration=tight", `unknown value "tight"; known: exact, zcdp`},
		{"mechanism={kind: sparse-vector, epsilon: 1}", `"sparse-vector" does not go with the algorithm ofl, which takes 13 others, such as independent, tree, tree-online; starling describe ofl has all`},
		{"mechanism={kind: laplace, epsilon: 1, noise: shifted}", "mechanism.noise: the key noise is for the step sizes of mirror steps"},
		{"mechanism={kind: laplace, epsilon: 0}", "mechanism.epsilon"},
		{"mechanism.kind=optimum", `unknown kind "optimum"; did you mean "optimal"?`},
		{"mechanism={kind: ar-sum, epsilon: 1, delta: 0.1, chains: 0}", "chains"},
		{"topology.kind=ring", `"ring" does not go with the algorithm ofl, which takes star`},
		{"problem={kind: localization}", `missing required key "set"`},
		{"problem={kind: localization, set: {kind: l2-ball, dimension: 2, radius: 2}, sensors: {topology: {low: [0, 0], high: [1, 1]}}}", "problem.sensors.topology: the learners of a server are nowhere; say where their sensors stand"},
		{"problem.set={kind: l2-ball, dimension: 5, radius: 1}", "problem.set: the set has dimension 5; the model has 4 parameters"},
		{"problem.dimension=0", "dimension"},
		{"horizon=13", "horizon: 13 steps are no whole number of rounds of 3"},
		{"algorithm.tau=0", "algorithm.tau: 0 local steps; want at least 1"},
		{"algorithm.version=3", "algorithm.version: version 3; want 1 to 2"},
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
	for want, sets := range map[string][]string{
		"eta = 9 is over 2/L = 8, so that local steps may expand": {"algorithm={kind: ofl, version: 1, tau: 3, local_step: 9, sensitivity: convex}"},
		"convex is for decisions in all of R^d": {
			"algorithm={kind: ofl, version: 1, tau: 3, local_step: 1, sensitivity: convex}", "problem.set={kind: l2-ball, dimension: 4, radius: 1}"},
	} {
		if _, err := scenarios.Load(baseFile(t, learning), parseSets(t, sets...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", sets, err, want)
		}
	}
}

// TestOnlineLearningOfExperts checks regret against the best expert: of losses of which
// one expert has none it is the loss that is paid. Losses without labels have no
// accuracy, and those that are linear the smaller sensitivity of version 1.
func TestOnlineLearningOfExperts(t *testing.T) {
	s := loadText(t, learning, "seeds.count=1", "measure={every: 12}", "problem={kind: uniform-zero, experts: 5}",
		"algorithm={kind: ofl, version: 1, tau: 3, local_step: 0.5, sensitivity: convex}")
	rows := map[string]float64{}
	for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
		rows[row.Metric] = row.Value
		if strings.HasPrefix(row.Metric, "accuracy") || strings.HasPrefix(row.Metric, "bound") {
			t.Errorf("%+v is recorded", row)
		}
	}
	mean := rows[gauge.LossMean]
	if !(mean > 0.01) || rows[family.RegretStatic] != mean || math.Abs(rows[family.RegretDynamic]-mean) > 1e-12 {
		t.Errorf("mean loss %v, static regret %v, dynamic %v; want the same", mean, rows[family.RegretStatic], rows[family.RegretDynamic])
	}
	// By the bound alone a datum moves an input three times as far, and noise is as much
	// larger.
	by := loadText(t, learning, "seeds.count=1", "measure={every: 12}", "problem={kind: uniform-zero, experts: 5}", "algorithm={kind: ofl, version: 1, tau: 3, local_step: 0.5}")
	for _, row := range metricsOf(t, by, runner.RunOptions{Engine: runner.Lockstep}).Rows {
		if row.Metric == family.NoisePrefix && math.Abs(row.Value/rows[row.Metric]/9-1) > 1e-9 {
			t.Errorf("noise of energy %v, by the bound alone %v; want 9 times as much", rows[row.Metric], row.Value)
		}
	}
}

// TestRegretOnASet checks that regret on a set is that against its best decisions: a
// run without noise is above it, and below the loss of the worst.
func TestRegretOnASet(t *testing.T) {
	for _, problem := range []string{
		"{kind: logistic, set: {kind: l1-ball, dimension: 4, radius: 2}}",
		"{kind: synthetic-logistic, dimension: 4, test_samples: 2, l2: 0.1, set: {kind: simplex, dimension: 4}}",
	} {
		s := loadText(t, learning, "seeds.count=1", "measure={every: 12}", "mechanism={kind: none}", "problem="+problem)
		rows := map[string]float64{}
		for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
			rows[row.Metric] = row.Value
		}
		static, dynamic, mean := rows[family.RegretStatic], rows[family.RegretDynamic], rows[gauge.LossMean]
		if !(static > 0 && static <= dynamic && dynamic < mean) {
			t.Errorf("%s: static regret %v, dynamic %v, mean loss %v", problem, static, dynamic, mean)
		}
	}
}

// TestOnlineLearningWithNoiseOfItsOwn checks the ledger of noise on every input by
// itself: a datum is in one input, so that the run costs it what one release costs, on
// both runtimes. Gaussian noise is that of the mechanism independent.
func TestOnlineLearningWithNoiseOfItsOwn(t *testing.T) {
	rowsWith := func(mechanism string) (rows []results.Row) {
		s := loadText(t, learning, "seeds.count=1", "mechanism="+mechanism)
		got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		if actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); actors.Digest != got.Digest {
			t.Errorf("%s: digest %s in lockstep and %s with actors", mechanism, got.Digest, actors.Digest)
		}
		return got.Rows
	}
	laplace, gaussian := rowsWith("{kind: laplace, epsilon: 0.75}"), rowsWith("{kind: gaussian, epsilon: 0.75, delta: 1e-3}")
	for name, rows := range map[string][]results.Row{"laplace": laplace, "gaussian": gaussian} {
		last := rows[len(rows)-1].Step
		for _, row := range rows {
			if row.Metric == ledger.EpsilonTotal && row.Step == last && math.Abs(row.Value/0.75-1) > 1e-6 {
				t.Errorf("%s: epsilon %v in all, want 0.75", name, row.Value)
			}
			if row.Metric == ledger.Delta && name == "laplace" && row.Value != 0 {
				t.Errorf("Laplace noise has a delta of %v", row.Value)
			}
		}
	}
	if diff := cmp.Diff(rowsWith("{kind: independent, epsilon: 0.75, delta: 1e-3}"), gaussian, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("Gaussian noise on every input (-independent +gaussian):\n%s", diff)
	}
	none := rowsWith("{kind: gaussian, epsilon: none, delta: 1e-3}")
	if diff := cmp.Diff(rowsWith("{kind: none}"), none, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(results.Row{}, "Value")); diff != "" {
		t.Errorf("without noise (-none +epsilon none):\n%s", diff)
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
	if got := rows[family.AccuracyInstant]; len(got) != rounds {
		t.Errorf("%d rounds have an accuracy, want %d", len(got), rounds)
	}
	for _, share := range rows[family.AccuracyInstant] {
		if whole := share * n * tau; whole != float64(int(whole+0.5)) {
			t.Errorf("an accuracy of %v is no share of %d samples", share, n*tau)
		}
	}
	// A datum for each learner and step, a vector up and one down for each
	// learner and round.
	if got, want := rows[gauge.MessagesSent][0], float64(n*rounds*tau+2*n*rounds); got != want {
		t.Errorf("%v messages, want %v", got, want)
	}
	if got, want := rows[gauge.BytesSent][0], float64(n*rounds*tau*(5+8*(d+1))+2*n*rounds*(5+8*d)); got != want {
		t.Errorf("%v bytes, want %v", got, want)
	}
	if rows[gauge.ClipShare][0] != 0 {
		t.Errorf("normalised features, and %v of the gradients are clipped", rows[gauge.ClipShare][0])
	}
	arm := s.Arms[0]
	if a := arm.Extent; a.FirstStep != 0 || a.FirstLabel != 0 || a.Participants != 1+2*n {
		t.Errorf("steps from %d, participants from %d, %d of them", a.FirstStep, a.FirstLabel, a.Participants)
	}
	if ofl.Learner(0) != 1 {
		t.Errorf("the first learner is participant %d", ofl.Learner(0))
	}
}
