package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// unbounded has streams whose features are not normalised: no gradient is known to be
// within anything.
const unbounded = `version: 1
name: unbounded
horizon: 4
nodes: 3
algorithm: {kind: noisy-descent KEYS}
problem: {kind: synthetic-logistic, dimension: 4, normalise: false, set: {kind: l2-ball, dimension: 4, radius: 1}}
topology: {kind: complete}
mechanism: {kind: laplace, epsilon: EPSILON}
`

// load reads a scenario with the kinds of the example.
func load(t *testing.T, text string) (*study.Scenario, error) {
	t.Helper()
	catalog, err := scenarios.Catalog().With(kind.Catalog{Algorithms: []kind.Kind{descent.Kind()}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return loading.Loader{Kinds: &catalog}.Load(file)
}

// Noise on gradients without a bound would be infinite: such a problem is refused, and
// taken without noise, or with a bound of the scenario's own.
func TestUnboundedGradientsAreRefused(t *testing.T) {
	for _, test := range []struct{ keys, epsilon, want string }{
		{"", "1", "algorithm.theta: the gradients of the problem synthetic-logistic have no bound"},
		{"", "none", ""},
		{", theta: 1, gradient_bound: clip", "1", ""},
		{", theta: 0", "1", "algorithm.theta: theta = 0; want a finite number > 0"},
		{", missing: guess", "none", `algorithm.missing: unknown value "guess"; known: drop, renormalise, hold`},
		{", late: never", "none", `algorithm.late: unknown value "never"; known: drop, use`},
		{", gradient_bound: hope", "none", `algorithm.gradient_bound: unknown value "hope"; known: error, clip`},
		{", start: [9, 0, 0, 0]", "none", "algorithm.start: start [9 0 0 0] lies outside the l2-ball"},
		{", start: [0]", "none", "algorithm.start: start has 1 entries"},
		{"", "1, noise: shifted", "mechanism.noise: the algorithm noisy-descent has no schedules of noise"},
	} {
		_, err := load(t, strings.NewReplacer("EPSILON", test.epsilon, " KEYS", test.keys).Replace(unbounded))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, epsilon %s: %v, want %q", test.keys, test.epsilon, err, test.want)
		}
	}
}

// noisy is the example's algorithm on a network that loses, delays, and has nodes
// restart.
const noisy = `version: 1
name: noisy
horizon: 7
nodes: 5
algorithm: {kind: noisy-descent, missing: MISSING, late: LATE}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}
topology: {kind: ring}
mechanism: MECHANISM
network: {kind: effects, loss: {probability: 0.3}, delay: {least: 0, longest: 2}, churn: {fail: 0.2, recover: 0.5, forget: true}}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// everyNoise are all mechanisms that the algorithm takes, with a delta, and what seven releases
// cost of noise for one of (1, 1e-5), or for all of them together.
var everyNoise = []struct {
	section      string
	delta, costs float64
}{
	{"{kind: laplace, epsilon: 1}", 0, 7},
	{"{kind: gaussian, epsilon: 1, delta: 1e-5}", 1e-5, 0}, // by sevenfold
	{"{kind: independent, epsilon: 1, delta: 1e-5}", 1e-5, 1},
	{"{kind: none}", 0, math.Inf(1)},
}

// An algorithm of which only its own part is written takes every additive noise, and
// every rule for what a network loses or delays, with the same bits on both runtimes;
// the rules differ.
func TestEveryNoiseAndRule(t *testing.T) {
	digests := map[string]string{}
	for _, mechanism := range everyNoise {
		for _, missing := range []string{"drop", "renormalise", "hold"} {
			for _, late := range []string{"use", "drop"} {
				s, err := load(t, strings.NewReplacer("MISSING", missing, "LATE", late, "MECHANISM", mechanism.section).Replace(noisy))
				if err != nil {
					t.Fatal(err)
				}
				lockstep := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
				actors := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
				name := fmt.Sprintf("%s, %s, %s", mechanism.section, missing, late)
				if lockstep.Digest != actors.Digest {
					t.Errorf("%s: %s in lockstep and %s with actors", name, lockstep.Digest, actors.Digest)
				}
				if other, ok := digests[lockstep.Digest]; ok {
					t.Errorf("%s is the same as %s", name, other)
				}
				digests[lockstep.Digest] = name
			}
		}
	}
}

// What a run costs is what the accountant says of the releases, at the delta of the
// mechanism.
func TestReleasesCostWhatTheyDo(t *testing.T) {
	sigma, err := accountant.GaussianSigma(1, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	sevenfold, err := accountant.GaussianEpsilon(sigma/math.Sqrt(7), 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	ideal := noisy[:strings.Index(noisy, "network:")] + noisy[strings.Index(noisy, "measure:"):]
	for i, mechanism := range everyNoise {
		if !testneeds.Some(i, 2) {
			continue
		}
		s, err := load(t, strings.NewReplacer("MISSING", "drop", "LATE", "use", "MECHANISM", mechanism.section).Replace(ideal))
		if err != nil {
			t.Fatal(err)
		}
		want := mechanism.costs
		if want == 0 {
			want = sevenfold
		}
		loss, err := study.PlannedLossOf(s.Arms[0])
		if err != nil {
			t.Fatal(err)
		}
		total := loss.Total()
		got, err := total.Epsilon(mechanism.delta, accountant.PLD)
		if err != nil || !(got == want || math.Abs(got/want-1) < 1e-6) || loss.Private() == math.IsInf(want, 1) {
			t.Errorf("%s: a run costs %v, %v; want %v", mechanism.section, got, err, want)
		}
		if deltas := s.Arms[0].Privacy.Accounts[0].Delta; deltas != mechanism.delta {
			t.Errorf("%s: stated at %v", mechanism.section, deltas)
		}
	}
}

// The audit runs what a study runs, on the network of the scenario, with noise of any
// law, and finds noise that is too small.
func TestAuditsOfEveryNoise(t *testing.T) {
	for i, mechanism := range everyNoise {
		s, err := load(t, strings.NewReplacer("MISSING", "renormalise", "LATE", "use", "MECHANISM", mechanism.section).Replace(noisy))
		if err != nil {
			t.Fatal(err)
		}
		for k, scale := range []float64{1, 0.3} {
			if !testneeds.Some(i+k, 2) { // all of them in slow tests
				continue
			}
			found, err := auditing.Audit(s, t.Context(), auditing.Options{Samples: 512, Confidence: 0.999, Noise: scale})
			if err != nil {
				t.Fatal(err)
			}
			exceeded := false
			for _, f := range found {
				if f.Private() == math.IsInf(mechanism.costs, 1) {
					t.Errorf("%s: %s private: %v", mechanism.section, f.Mechanism, f.Private())
				}
				exceeded = exceeded || f.Private() && (f.Audited > f.Accounted || !f.NoiseAsStated())
			}
			if exceeded != (scale < 1 && !math.IsInf(mechanism.costs, 1)) || len(found) == 0 {
				t.Errorf("%s, noise times %v: exceeded %v, of %d", mechanism.section, scale, exceeded, len(found))
			}
		}
	}
}
