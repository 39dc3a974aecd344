package scenarios_test

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios"

	"starling/actors/algorithm/dpfl"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/scenarios/auditing"
	dpflfamily "starling/scenarios/family/dpfl"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// smallAudit is an audit of a family at its first size.
type smallAudit struct {
	scenario  string
	overrides []string
	size      int // which of the audited sizes
}

// smallAudits have an eps at which a few thousand samples say something.
var smallAudits = map[string]smallAudit{
	"dpdonc":             {"dpdonc-localization", []string{"sweep=null"}, 0},
	"dpdonc, gaussian":   {"dpdonc-localization", []string{"sweep=null", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}"}, 0},
	"ofl":                {"ofl-logistic", []string{"sweep=null"}, 0},
	"ofl, laplace":       {"ofl-logistic", []string{"sweep=null", "mechanism={kind: laplace, epsilon: 2}"}, 0},
	"ofl, set":           {"ofl-logistic", []string{"sweep=null", "problem={kind: robust-regression, set: {kind: l2-ball, dimension: 3, radius: 0.5}}", "algorithm.version=1"}, 0},
	"opestoch":           {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4"}, 0},
	"opestoch, central":  {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4", "algorithm.variant=central"}, 0},
	"opestoch, by delta": {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4", "mechanism.delta=1e-3", "algorithm.variant=approximate"}, 0},
	"opestoch, laplace":  {"privacy-coordinates", []string{"sweep=null", "mechanism={kind: laplace, epsilon: 2}"}, 0},
	"opestoch, gaussian": {"privacy-coordinates", []string{"sweep=null", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}"}, 0},
	"fedsvt":             {"svt-realizable", []string{"sweep=null", "mechanism.epsilon=4"}, 0},
}

// runOf is the run of an audit.
func (c smallAudit) runOf(t *testing.T) *auditing.Run {
	t.Helper()
	s := loadScenario(t, c.scenario, c.overrides...)
	variants, err := loading.Spread(s.Document, nil)
	if err != nil {
		t.Fatal(err)
	}
	section, _ := variants[0].Document.Find("algorithm")
	build, err := kind.Find[auditing.Builder](scenarios.NewLoader("").Kinds.Algorithms, section, "the audit")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := build(study.NewBuilder(scenarios.NewLoader("").Kinds, s.Seeds, dataset.NewFolder("")), variants[0])
	if err != nil {
		t.Fatal(err)
	}
	return runs[c.size]
}

// points are data of one parameter vector of three numbers whose samples have
// long gradients, so that all are clipped.
type points struct{ first int } // coordinate of the first sample

func (points) Size() int { return dpflfamily.AuditedSamples }
func (p points) SumClipped(dst, params []float64, samples []int, clip float64) int {
	clear(dst)
	for _, k := range samples {
		dst[p.first+k] += clip
	}
	return len(samples)
}
func (points) SumLossChanges(from, to []float64, samples []int, bound float64) (sum float64) {
	for _, k := range samples {
		sum += max(-bound, min(bound, to[k]-from[k]))
	}
	return sum
}

// tinyDPFL is a plan of three parameters, which runs as an image's thousands do.
func tinyDPFL(adaptive bool, size dpflfamily.AuditSize) *dpflfamily.Plan {
	star := &topologies.Plan{Sequence: func(uint64) (topology.Sequence, error) { return topology.Star{Leaves: 2}.Sequence() }}
	sampled := mechanisms.Sampled{Kind: mechanisms.KindSampledGaussian, Sigma: 1.1, Delta: 1e-3, Accountant: accountant.RDP}
	p := &dpflfamily.Plan{Arm: &study.Arm{Topology: star}, Adaptive: adaptive, Mechanism: mechanisms.Sums{Sampled: sampled}}
	p.Options = dpfl.Options{
		Rounds: size.Rounds, Tau: 1, Batch: size.Batch, Clients: []dpfl.Data{points{}, points{1}}, LearningRate: 0.1, Clip: 0.5, Sigma: p.Mechanism.Sigma, Start: make([]float64, 3),
		SamplePurpose: rng.PurposeOf("audit.test.sample"), NoisePurpose: rng.PurposeOf("audit.test.noise"), StatisticsPurpose: rng.PurposeOf("audit.test.statistics"),
	}
	if adaptive {
		p.Section.Statistics = dpfl.Private
		p.Options.Rounds, p.Options.Tau = size.Rounds+1, 0
		p.Options.Adaptive = &dpfl.Adaptive{Statistics: dpfl.Private, Sigma: 2, Lipschitz: 1, Clip: 0.5}
	}
	return p
}

// wholeRuns are runs of all families.
func wholeRuns(t *testing.T) map[string]*auditing.Run {
	runs := map[string]*auditing.Run{}
	for name, c := range smallAudits {
		runs[name] = c.runOf(t)
	}
	for name, c := range map[string]struct {
		adaptive bool
		size     dpflfamily.AuditSize
	}{
		"dpfl, sampled": {false, dpflfamily.AuditSize{Batch: 1, Rounds: 1}}, "dpfl, everything": {false, dpflfamily.AuditSize{Batch: 2, Rounds: 2}}, "ali-dpfl, private statistics": {true, dpflfamily.AuditSize{Batch: 2, Rounds: 2}},
	} {
		run, err := tinyDPFL(c.adaptive, c.size).Audited(c.size)
		if err != nil {
			t.Fatal(err)
		}
		runs[name] = run
	}
	return runs
}

// parameterOf is what a loss is judged by and what it comes to, without the
// conversion to an epsilon.
func parameterOf(l accountant.Loss, delta float64) (audit.Measure, float64) {
	switch {
	case l.Rho > 0:
		return audit.Mu(), math.Sqrt(2 * l.Rho)
	case l.Sampled.Steps > 0:
		return audit.SampledMu(l.Sampled.Rate), 1 / l.Sampled.Noise
	}
	return audit.Epsilon(delta), l.Epsilon
}

// boundsOf are bounds from samples number repeat, at two confidences.
func boundsOf(t *testing.T, s *auditing.Subject, m audit.Measure, repeat, samples int, confidences ...float64) (bounds []float64) {
	t.Helper()
	a, b := make([]float64, samples), make([]float64, samples)
	sampler, err := s.Sampler(s.Noise)
	if err != nil {
		t.Fatal(err)
	}
	key := rng.NewKey(uint64(repeat), auditing.AuditPurpose.Of("repeated"))
	for block := range audit.Blocks(samples) {
		if err := sampler.Draw.Fill(a, b, key, block); err != nil {
			t.Fatal(err)
		}
	}
	if s.Classes > 0 {
		if a, b, err = audit.Scores(auditing.ClassesOf(a), auditing.ClassesOf(b), s.Classes, s.Pilot()); err != nil {
			t.Fatal(err)
		}
	}
	for _, confidence := range confidences {
		bound, err := audit.LowerBound(a, b, s.Pilot(), m, confidence)
		if err != nil {
			t.Fatal(err)
		}
		bounds = append(bounds, bound.Value)
	}
	return bounds
}

// In 200 audits of whole runs of each family, none at confidence 0.9999 exceeds
// the loss that the ledger is told. Were this not a fixed stream, an audit of a
// run that attains its loss would with chance 1e-4, so any of a family's with
// chance 0.02. At confidence 0.9 at most a binomial number of mean 20 do, over 45
// with chance 7e-8.
func TestNoFalseAlarm(t *testing.T) {
	const repeats, most, samples = 200, 45, 32
	for name, run := range wholeRuns(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := run.Subject("", 1)
			if err != nil {
				t.Fatal(err)
			}
			m, limit := parameterOf(s.Loss, s.Delta)
			alarms, over := 0, 0
			for k := range repeats {
				bounds := boundsOf(t, s, m, k, samples, 0.9999, 0.9)
				if bounds[0] > limit {
					alarms++
				}
				if bounds[1] > limit {
					over++
				}
			}
			if alarms > 0 || over > most {
				t.Errorf("of %d bounds on %v %d of confidence 0.9999 exceed it, and %d of confidence 0.9", repeats, limit, alarms, over)
			}
		})
	}
}

// Half the noise is found in every family, at confidence 0.9, with the samples
// that longer audits needed; and all of it is no alarm at confidence 0.999.
func TestHalfTheNoiseIsFound(t *testing.T) {
	samples := map[string]int{
		"dpdonc": 2000, "dpdonc, gaussian": 2000, "ofl": 1500, "ofl, laplace": 1500, "ofl, set": 1500, "opestoch": 3000, "opestoch, central": 6000, "opestoch, by delta": 3000, "opestoch, laplace": 3000, "opestoch, gaussian": 3000, "fedsvt": 12_000,
		"dpfl, sampled": 1500, "dpfl, everything": 500, "ali-dpfl, private statistics": 500,
	}
	for name, run := range wholeRuns(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, noise := range []float64{1, 0.5} {
				s, err := run.Subject("", noise)
				if err != nil {
					t.Fatal(err)
				}
				m, limit := parameterOf(s.Loss, s.Delta)
				got := boundsOf(t, s, m, 1, samples[name], 0.9, 0.999)
				if noise == 1 && got[1] > limit || noise != 1 && got[0] <= limit {
					t.Errorf("%v of the noise: bounds %v on %v", noise, got, limit)
				}
			}
		})
	}
}

// The loss that an audit of Fed-SVT plans with is the most that its meter is told,
// in runs that switch: nearly all.
func TestAuditPlansWithTheMetersLoss(t *testing.T) {
	run := smallAudits["fedsvt"].runOf(t)
	want := *run.Planned
	run.Planned = nil
	var most float64
	for seed := range uint64(20) {
		spec, err := run.Run(seed, false, 1)
		if err != nil {
			t.Fatal(err)
		}
		book := &auditing.Book{Node: run.Node}
		spec.Meter = book
		if err := lockstep.Run(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		most = max(most, book.Paid.Epsilon)
	}
	if most != want.Epsilon {
		t.Errorf("spent up to %v, planned %v", most, want.Epsilon)
	}
}

// Every algorithm that a scenario can have can be audited.
func TestEveryFamilyIsAudited(t *testing.T) {
	for _, k := range scenarios.NewLoader("").Kinds.Algorithms {
		if !slices.ContainsFunc(k.Builds, func(b any) bool { _, ok := b.(auditing.Builder); return ok }) {
			t.Errorf("no audit of %s", k.Kind)
		}
	}
}
