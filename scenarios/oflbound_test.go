package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// ridge is a small scenario on losses whose constants are known. eta~ = 0.024.
const ridge = `version: 1
name: ridge
horizon: 12
nodes: 3
algorithm: {kind: ofl, tau: 3, local_step: 0.008, gradient_bound: 3}
problem: {kind: synthetic-logistic, dimension: 4, l2: 0.5}
topology: {kind: star}
mechanism: {kind: toeplitz, epsilon: 20, delta: 1e-3}
seeds: {base: 1, count: 2}
`

// The bound that a run without noise has, worked out here from Lemma IV.9 and the
// constants that its notes give. A step that is too large has none, and says why.
func TestBoundsOnRegretOfARun(t *testing.T) {
	for _, test := range []struct {
		sets    []string
		dynamic string // the beginning of the note
		static  string
	}{
		{[]string{"mechanism.kind=none"}, "", ""},
		{nil, "", ""},
		{[]string{"algorithm.version=1"}, "", ""},
		{[]string{"mechanism.kind=independent"}, "", ""},
		{[]string{"algorithm.local_step=0.03"}, "", "undefined: regret bound: eta~ = eta eta_g tau = 0.09, want at most 1/(10 L ln 12)"},
		{[]string{"algorithm.local_step=0.1"}, "undefined: regret bound: eta~ = eta eta_g tau = 0.30000000000000004, want at most alpha/(8 L)", "undefined: "},
	} {
		s := loadText(t, ridge, test.sets...)
		out := runIn(t, s, runner.RunOptions{})
		run, err := results.Open(out.Dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, row := range rowsOf(t, out.Dir) {
			if row.Seed != 1 {
				continue
			}
			got[row.Metric] = true
			if row.Metric == "bound.dynamic" || row.Metric == "bound.static" {
				note := noteOf(run.Manifest.Notes, strings.ReplaceAll(row.Metric, ".", "-"))
				if want := fmt.Sprintf("%.4g = start ", row.Value); !strings.HasPrefix(note, want) || row.Step != 11 {
					t.Errorf("%v: %s at step %d, note %q, want %q", test.sets, row.Metric, row.Step, note, want)
				}
			}
			if row.Metric == "bound.dynamic" && test.sets != nil && test.sets[0] == "mechanism.kind=none" {
				checkBound(t, noteOf(run.Manifest.Notes, "bound-constants"), row.Value)
			}
		}
		for metric, want := range map[string]string{"bound.dynamic": test.dynamic, "bound.static": test.static} {
			note := noteOf(run.Manifest.Notes, strings.ReplaceAll(metric, ".", "-"))
			if got[metric] != (want == "") || !strings.HasPrefix(note, want) {
				t.Errorf("%v: %s is recorded: %v; note %q, want %q", test.sets, metric, got[metric], note, want)
			}
		}
	}
}

func checkBound(t *testing.T, constants string, got float64) {
	t.Helper()
	var step, l, mu, scale, drift, start float64
	if _, err := fmt.Sscanf(constants, "eta~ = %g, L = %g, mu = %g, V_i = %g, C_R/R = %g, ||x^0 - x*||^2 = %g", &step, &l, &mu, &scale, &drift, &start); err != nil {
		t.Fatalf("%q: %v", constants, err)
	}
	if step != 0.024 || l != 0.75 || mu != 0.5 || scale != 0 {
		t.Errorf("constants %q", constants)
	}
	const tau, rounds, eta, bound = 3, 4, 0.008, 3
	want := start/(rounds*step) + (12*l+mu)*drift + (step+1/(12*l)+1/mu)*2*l*l*eta*eta*2*tau*tau*bound*bound
	if math.Abs(got-want) > 1e-3*want { // the constants have four digits
		t.Errorf("bound %v, want %v", got, want)
	}
}

// Without a ridge term, and on a network with effects, no bound is known.
func TestNoBoundsWithoutConstants(t *testing.T) {
	for name, s := range map[string]*study.Scenario{
		"no ridge term": loadText(t, learning),
		"effects":       loadText(t, ridge, "network={kind: effects, loss: {probability: 0.3}}"),
	} {
		for _, row := range rowsOf(t, runIn(t, s, runner.RunOptions{}).Dir) {
			if strings.HasPrefix(row.Metric, "bound.") {
				t.Errorf("%s: %+v", name, row)
			}
		}
	}
}

// A step by a clipped gradient of a ridge-regularised loss may expand, so that the
// smaller sensitivity of convex losses is not to be had; and B_g must be given.
func TestRidgeIsNotForTheSensitivityOfConvexLosses(t *testing.T) {
	for want, change := range map[string][]string{
		"algorithm.sensitivity: convex is only for losses of <x, a>": {"algorithm.version=1", "algorithm.sensitivity=convex"},
		"the gradients have no bound of their own":                   {"algorithm.gradient_bound=null"},
		"problem.l2: is -1, want a finite number >= 0":               {"problem.l2=-1"},
	} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(file, []byte(ridge), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := scenarios.Load(file, parseSets(t, change...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
}
