package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/testneeds"
)

// repeated has every learner meet its three rows again and again.
const repeated = `version: 1
name: repeated
nodes: 4
horizon: 8
algorithm: {kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}
problem: {kind: table, file: testdata/rows.csv, party: client, label: y, intercept: false, feature_bound: 1, reuse: cycle, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: toeplitz, epsilon: 2, delta: 1e-3}
seeds: {base: 1, count: 1}
plots: []
`

// Of a learner that begins again with its rows, a datum is in three of eight inputs.
// Correlated noise is for all of them; noise of its own is for one, and the ledger adds
// the others. Audits replace the datum wherever it comes: they refute nothing, and less
// noise. Where a datum is met twice in a round of version 1, both steps count.
func TestRepeatedData(t *testing.T) {
	t.Parallel()
	unit, err := accountant.GaussianSigma(2, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	together, err := accountant.GaussianEpsilon(unit/math.Sqrt(3), 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		overrides []string
		accounted float64
		found     float64 // the share of the noise that is found out; 0 is not tried
	}{
		{nil, 2, 0.5},
		{[]string{"mechanism.kind=tree-online"}, 2, 0.5},
		{[]string{"mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}"}, together, 0.5},
		{[]string{"mechanism={kind: laplace, epsilon: 0.5}"}, 1.5, 0.2},
		{[]string{"algorithm.version=1", "algorithm.tau=4"}, 2, 0.5},
		{[]string{"algorithm.version=1", "algorithm.tau=4", "algorithm.sensitivity=convex"}, 2, 0},
	} {
		if !testneeds.Some(i, 6) {
			continue
		}
		s := loadText(t, repeated, c.overrides...)
		o := auditOptions(2500)
		found := auditIn(t, s, o)
		if len(found) != 1 || math.Abs(found[0].Accounted-c.accounted) > 1e-6 || found[0].Exceeded() || found[0].Audited == 0 {
			t.Errorf("%v: %+v, accounted %v", c.overrides, found, c.accounted)
		}
		if o.Noise = c.found; c.found == 0 {
			continue
		}
		if o.Samples = 600; auditIn(t, s, o)[0].Exceeded() {
			continue // few outcomes show it
		}
		if o.Samples = 2500; !auditIn(t, s, o)[0].Exceeded() {
			t.Errorf("%v with %v of the noise is not found", c.overrides, c.found)
		}
	}
}

// The noise of a run is for as many inputs as it has: 8 steps, of which a datum is in 3,
// and in version 1 rounds of 2, of which it is in 4 that follow each other.
func TestRepeatedDataNoise(t *testing.T) {
	for _, c := range []struct {
		overrides []string
		met       factorization.Participation
		n         int
		said      string
	}{
		{nil, factorization.Participation{Times: 3, Apart: 3, Even: true}, 8, "a datum is met 3 times, and is in 3 inputs, exactly 3 apart"},
		{[]string{"algorithm.version=1", "algorithm.tau=2", "horizon=16"}, factorization.Participation{Times: 6, Apart: 1}, 8, "a datum is met 6 times, and is in 6 inputs, at least 1 apart"},
	} {
		f, err := factorization.New(factorization.Options{Kind: factorization.Toeplitz, N: c.n})
		if err != nil {
			t.Fatal(err)
		}
		sensitivity, err := f.SensitivityOf(c.met)
		if err != nil {
			t.Fatal(err)
		}
		run, err := results.Open(runIn(t, loadText(t, repeated, c.overrides...), runner.RunOptions{}).Dir)
		if err != nil {
			t.Fatal(err)
		}
		notes := map[string]string{}
		for _, n := range run.Manifest.Notes {
			notes[n.Key] = n.Value
		}
		if want := fmt.Sprintf("sensitivity %.6g", 2*sensitivity); !strings.Contains(notes["noise"], want) || notes["participation"] != c.said {
			t.Errorf("%v: noise %q, want %s; participation %q", c.overrides, notes["noise"], want, notes["participation"])
		}
	}
}

// A network with hidden layers begins among equals at drawn weights, held to the set.
func TestNetworkOfRowsBeginsInTheSet(t *testing.T) {
	s := loadText(t, repeated, "problem.model={kind: mlp, hidden: [3]}", "problem.set={kind: l2-ball, radius: 0.5}", "topology={kind: ring}",
		"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip}", "mechanism={kind: gaussian, epsilon: 1, delta: 1e-5}")
	lockstep, actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}), metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3})
	if lockstep.Digest != actors.Digest || len(lockstep.Rows) == 0 {
		t.Errorf("digests %s and %s of %d rows", lockstep.Digest, actors.Digest, len(lockstep.Rows))
	}
}

// A learner that is down in two of three steps meets one of its three rows alone. Audits run
// the network of the study and meet rows as often as it does, and refute nothing: inputs
// count by the schedule. Numbered as they come they would be next to each other, and the
// audit of either version says so.
func TestRepeatedDataOfWhoIsDown(t *testing.T) {
	testneeds.Slow(t)
	s := loadText(t, repeated, "horizon=12", "mechanism={kind: banded-toeplitz, epsilon: 2, delta: 1e-2, bands: 3}", downBetween,
		"sweep={grid: {algorithm.version: [1, 2]}}")
	for _, a := range auditIn(t, s, auditOptions(2000)) {
		t.Logf("%s: accounted %.4g, audited %.4g, noise %+v", a.Arm, a.Accounted, a.Audited, a.Noise)
		if a.Exceeded() || !a.NoiseAsStated() || a.Audited < 0.6 || math.Abs(a.Accounted-2) > 1e-6 {
			t.Errorf("%+v %+v", a, a.Noise)
		}
	}
}

// downBetween has learner 1 down in two of three steps.
const downBetween = "network={kind: effects, events: [{at: 1, until: 3, crash: [1]}, {at: 4, until: 6, crash: [1]}, {at: 7, until: 9, crash: [1]}, {at: 10, until: 12, crash: [1]}]}"
