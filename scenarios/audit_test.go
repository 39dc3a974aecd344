package scenarios

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/topology"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/messages"
)

func auditOptions(samples int) AuditOptions {
	return AuditOptions{Samples: samples, Confidence: 0.999, Noise: 1}
}

// auditIn audits a scenario.
func auditIn(t *testing.T, s *Scenario, o AuditOptions) []Audited {
	t.Helper()
	found, err := s.Audit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Whole runs keep to what they tell the ledger, at confidence 0.999 for all arms
// of a scenario together, on fixed streams; half the noise is found out; and an
// arm without noise has no loss to hold it to. The accounted losses are those of
// the index shift, eps sqrt 2 at step 2 and eps (sqrt 2 + sqrt 3/2 + sqrt 4/3) up
// to step 4, and of the exact Gaussian at the rho that zCDP gives for (2, 1e-3).
func TestAuditOfScenarios(t *testing.T) {
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
// machine itself says without noise, to the last bit; and the other one does not.
func TestShadowIsTheMachine(t *testing.T) {
	for _, name := range []string{"dpdonc-localization", "ofl-logistic", "ofl-logistic-v1"} {
		s := loadScenario(t, name, "sweep=null")
		family := auditDPDONC
		if strings.HasPrefix(name, "ofl") {
			family = auditOFL
		}
		variants, err := spread(s.document, nil)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := family(variants[0], s.Seeds, &AuditOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			for side := range 2 {
				var sent, shadows [][][]float64
				r.ratio = func(actual, first, second [][]float64) float64 {
					sent, shadows = append(sent, actual), append(shadows, first, second)
					return 0
				}
				if _, err := r.draw(3, side == 1, 0); err != nil {
					t.Fatal(err)
				}
				same := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal) }
				if len(sent[0]) < 2 || !same(sent[0], shadows[side]) || same(sent[0], shadows[1-side]) {
					t.Errorf("%s, %s, side %d: sent %v, shadows %v", name, r.mechanism, side, sent, shadows)
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
	if got := auditIn(t, s, auditOptions(1000)); got[0] != want[0] {
		t.Errorf("on one core %+v, on all %+v", got, want)
	}
}

func TestAuditRefuses(t *testing.T) {
	s := loadScenario(t, "dpdonc-localization", "sweep=null")
	for want, change := range map[string]func(*AuditOptions){
		"want at least 256": func(o *AuditOptions) { o.Samples = 255 },
		"confidence 1":      func(o *AuditOptions) { o.Confidence = 1 },
		"noise scaled by 0": func(o *AuditOptions) { o.Noise = 0 },
		"a time limit of":   func(o *AuditOptions) { o.Time = -1 },
		"would take about":  func(o *AuditOptions) { o.Samples, o.Time = 1_000_000_000, time.Nanosecond },
	} {
		o := auditOptions(1000)
		change(&o)
		if _, err := s.Audit(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	uncovered := loadScenario(t, "svt-realizable")
	if _, err := uncovered.Audit(t.Context(), auditOptions(1000)); err == nil || !strings.Contains(err.Error(), "audit does not cover algorithm fedsvt yet") {
		t.Errorf("error %v", err)
	}
}

// fixedLosses are the losses of experts: side at every expert and step 1.
type fixedLosses float64

func (l fixedLosses) Loss(messages.NodeID, int, []float64) float64 { return 0 }
func (l fixedLosses) Gradient(dst []float64, _ messages.NodeID, step int, _ []float64) {
	for k := range dst {
		dst[k] = 0.5
		if step == 1 {
			dst[k] = float64(l)
		}
	}
}

// A message of Fed-DP-OPE-Stoch holds d noisy numbers, all of which one loss
// moves: what crosses the wire refutes the paper's eps, and not the ledger, which
// counts the coordinates: d of them cost eps/8 each at each of two leaves.
func TestAuditOfExperts(t *testing.T) {
	const claimed, experts, samples = 2.0, 32, 8_000
	graph, err := topology.FromEdges(2, []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 0, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	options := opestoch.Options{
		Clients: 1, Experts: experts, Horizon: 2, Variant: opestoch.Local, Epsilon: claimed, Alpha: 1, Batch: opestoch.Theorem1,
		NoisePurpose: rng.PurposeOf("audit.test.noise"), SamplePurpose: rng.PurposeOf("audit.test.sample"),
	}
	r := &auditedRun{node: 1, private: true, mechanism: "opestoch"}
	var scale float64
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		o := options
		o.Epsilon /= noise
		machines, schedule, err := opestoch.New(o)
		if err != nil {
			return nil, err
		}
		if noise == 1 {
			scale = schedule.Phases[1].Scales[0]
		}
		losses := fixedLosses(0)
		if other {
			losses = 1
		}
		return &algorithm.Run{
			Seed: seed, FirstStep: 1, Steps: o.Horizon, Graphs: topology.Static(graph), Machines: machines, Costs: losses,
			Hops: schedule.Hops, Acts: schedule.Acts,
		}, nil
	}
	r.ratio = func(sent, first, second [][]float64) (sum float64) {
		for i, row := range sent {
			for k, v := range row {
				sum += (math.Abs(v-first[i][k]) - math.Abs(v-second[i][k])) / scale
			}
		}
		return sum
	}
	s, err := r.subject("", 1)
	if err != nil {
		t.Fatal(err)
	}
	a, b := make([]float64, samples), make([]float64, samples)
	if err := s.draw(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	f, err := audit.Judge(s.loss, 0, a, b, 0.999)
	if err != nil || f.Exceeded() || f.Audited <= claimed || f.Accounted != claimed*experts/4 {
		t.Errorf("claimed %v: %+v, %v", claimed, f, err)
	}
}
