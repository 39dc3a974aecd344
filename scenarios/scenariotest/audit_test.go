package scenariotest_test

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/family/prediction"
	"starling/scenarios/testneeds"
)

// Whole runs keep to what they tell the ledger, at confidence 0.999 for all arms
// of a scenario together, on fixed streams; half the noise is found out; and an
// arm without noise has no loss to hold it to. The accounted losses are those of
// the index shift, eps sqrt 2 at step 2 and eps (sqrt 2 + sqrt 3/2 + sqrt 4/3) up
// to step 4, and of the exact Gaussian at the rho that zCDP gives for (2, 1e-3).
func TestAuditOfScenarios(t *testing.T) {
	testneeds.Slow(t)
	printed := []float64{math.Sqrt2, math.Sqrt2 + math.Sqrt(1.5) + math.Sqrt(4.0/3)}
	for _, c := range []struct {
		scenario  string
		overrides []string
		accounted []float64
	}{
		{"dpdonc-localization", []string{"sweep=null"}, printed},
		{"dpdonc-localization", []string{"sweep=null", "mechanism.epsilon=none"}, []float64{math.Inf(1)}},
		{"ofl-logistic", []string{"sweep=null"}, []float64{1.3649924}},
		{"ofl-logistic", []string{"sweep=null", "mechanism.kind=optimal"}, []float64{1.3649924}},
		{"ofl-logistic-v1", []string{"sweep=null", "mechanism.kind=toeplitz", "algorithm.sensitivity=convex"}, []float64{1.3649924}},
	} {
		s := loadScenario(t, c.scenario, c.overrides...)
		o := auditOptions(2500)
		found := auditIn(t, s, o)
		o.Noise = 0.5
		sabotaged := auditIn(t, s, o)
		if len(found) != len(c.accounted) || len(sabotaged) != len(found) {
			t.Fatalf("%s %v: %+v", c.scenario, c.overrides, found)
		}
		for k, a := range found {
			if math.Abs(a.Accounted-c.accounted[k]) > 1e-6 {
				t.Errorf("%s %v: accounted %v, want %v", c.scenario, c.overrides, a.Accounted, c.accounted[k])
			}
			private := !math.IsInf(c.accounted[k], 1)
			if a.Private() != private || a.Exceeded() || private && a.Audited == 0 {
				t.Errorf("%s %v: %+v", c.scenario, c.overrides, a)
			}
			// The tail of four steps takes more samples than a test has.
			if k == 0 && sabotaged[k].Exceeded() != private || sabotaged[k].Accounted != a.Accounted {
				t.Errorf("%s %v with half the noise: %+v", c.scenario, c.overrides, sabotaged[k])
			}
		}
	}
}

// The shadow of the side that the canary is on says, without noise, what the
// machine itself says without noise, to the last bit; and the other one does not. The
// seed is one whose samples leave out the canary, since shadows do not know of that.
func TestShadowIsTheMachine(t *testing.T) {
	for name, r := range wholeRuns(t) {
		if r.Outcome != nil {
			continue // nothing is judged by shadows
		}
		for side := range 2 {
			o, err := r.Observe(12, side == 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			shadows := [2][][]float64{o.First, o.Second}
			same := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal) }
			if len(o.Sent) == 0 || !same(o.Sent, shadows[side]) || same(o.Sent, shadows[1-side]) {
				t.Errorf("%s, side %d: sent %v, shadows %v", name, side, o.Sent, shadows)
			}
			for _, release := range o.Releases {
				if slices.ContainsFunc(release.Residual, func(v float64) bool { return v != 0 }) {
					t.Errorf("%s, side %d: a run without noise has noise %v at %s", name, side, release.Residual, release)
				}
			}
		}
	}
}

// Online federated learning is audited on the scenario's own problem: with a set, with
// losses of experts, on images of few of whose parameters are learned, and where it is for
// as many learners, or steps, as the scenario has.
func TestAuditOfProblems(t *testing.T) {
	for i, problem := range []string{
		"{kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {positions: [[2, 1], [-2, 1], [0, 2.5]]}}",
		"{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}",
		"{kind: from-file, file: ../testdata/losses.csv}",
		"{kind: images, data: synthetic, train: 300, test: 60, model: {kind: cnn}, partition: {kind: iid}}",
	} {
		for j, mechanism := range []string{"{kind: laplace, epsilon: 3}", "{kind: tree, epsilon: 3, delta: 1e-3}"} {
			if !testneeds.Some(i+j, 2) {
				continue
			}
			s := loadText(t, learning, "problem="+problem, "mechanism="+mechanism, "nodes=3", "algorithm.tau=2", "algorithm.gradient_bound=0.5")
			for _, a := range auditIn(t, s, auditOptions(600)) {
				if math.Abs(a.Accounted-3) > 1e-6 || a.Audited > a.Accounted || a.Audited <= 0 || !a.NoiseAsStated() || a.BeyondClaim() {
					t.Errorf("%s with %s: %+v", problem, mechanism, a)
				}
			}
		}
	}
}

// What an audit finds does not depend on the number of cores.
func TestAuditIsReproducible(t *testing.T) {
	s := loadScenario(t, "ofl-logistic", "sweep=null")
	want := auditIn(t, s, auditOptions(1000))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := auditIn(t, s, auditOptions(1000)); !reflect.DeepEqual(got, want) {
		t.Errorf("on one core %+v, on all %+v", got, want)
	}
}

func TestAuditRefuses(t *testing.T) {
	s := loadScenario(t, "dpdonc-localization", "sweep=null")
	for want, change := range map[string]func(*auditing.Options){
		"want at least 256":              func(o *auditing.Options) { o.Samples = 255 },
		"confidence 1":                   func(o *auditing.Options) { o.Confidence = 1 },
		"noise scaled by 0":              func(o *auditing.Options) { o.Noise = 0 },
		"a time limit of":                func(o *auditing.Options) { o.Time = -1 },
		"the time limit of 1ns was over": func(o *auditing.Options) { o.Samples, o.Time = 1_000_000_000, time.Nanosecond },
	} {
		o := auditOptions(1000)
		change(&o)
		var input *document.InputError
		if _, err := auditing.Audit(s, t.Context(), o); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want bad input and %q", err, want)
		}
	}
}

// A message of Fed-DP-OPE-Stoch holds d noisy numbers, all of which one loss
// moves: what crosses the wire refutes the paper's eps, and not the ledger, which
// counts the coordinates: d of them cost eps/8 each at each of two leaves.
func TestAuditOfExperts(t *testing.T) {
	found := auditIn(t, loadScenario(t, "privacy-coordinates", "sweep=null", "problem.experts=32", "mechanism.epsilon=2"), auditOptions(4000))
	if len(found) != 2 || found[0].Accounted != 2*2.0/4 || found[0].BeyondClaim() || found[0].Exceeded() {
		t.Fatalf("%+v", found)
	}
	if a := found[1]; a.Claim != 2 || a.Accounted != 2*32.0/4 || !a.BeyondClaim() || a.Exceeded() {
		t.Errorf("%+v", a)
	}
}

// What is not private has no loss to hold it to, whatever else an arm sends.
func TestAuditOfWhatIsNotPrivate(t *testing.T) {
	const printed = "algorithm={kind: ali-dpfl, learning_rate: 0.1, batch: 8, clip: 1, statistics: as-printed}"
	images := []string{"sweep=null", "problem=" + auditedImages, "topology={kind: star}", "nodes=4", "horizon=4", "mechanism={kind: sampled-gaussian, sigma: 1.1, delta: 1e-3}", printed}
	for _, c := range []struct {
		scenario  string
		overrides []string
		private   []bool
	}{
		{"privacy-observers", images, []bool{true, true, false}},
		{"privacy-observers", append(slices.Clone(images), "mechanism={kind: none}"), []bool{false}},
		{"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=none"}, []bool{false}},
		{"svt-realizable", []string{"sweep=null", "mechanism.epsilon=none"}, []bool{false}},
	} {
		var private []bool
		for _, a := range auditIn(t, loadScenario(t, c.scenario, c.overrides...), auditOptions(256)) {
			private = append(private, a.Private())
			if a.Exceeded() {
				t.Errorf("%s: %+v", c.scenario, a)
			}
		}
		if !slices.Equal(private, c.private) {
			t.Errorf("%s %v: private rows %v, want %v", c.scenario, c.overrides, private, c.private)
		}
	}
}

// Arms whose small runs are the same share one audit, and its confidence.
func TestArmsShareAnAudit(t *testing.T) {
	s := loadScenario(t, "svt-realizable")
	runs := len(prediction.SvtRuns())
	found := auditIn(t, s, auditOptions(300))
	if len(found) != 4*runs {
		t.Fatalf("%+v", found)
	}
	for i, a := range found[runs:] {
		if first := found[i%runs]; a.Finding != first.Finding || a.Arm == first.Arm {
			t.Errorf("%+v, want the finding of %+v", a, first)
		}
	}
	if want := 1 - 0.001/float64(runs); math.Abs(found[0].Confidence-want) > 1e-12 {
		t.Errorf("one of %d bounds has confidence %v, want %v", runs, found[0].Confidence, want)
	}
}
