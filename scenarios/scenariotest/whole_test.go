package scenariotest_test

import (
	"math"
	"testing"

	"starling/scenarios"
	"starling/scenarios/testneeds"

	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/problem/dataset"
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
	"dpdonc":                       {"dpdonc-localization", []string{"sweep=null"}, 0},
	"dpdonc, gaussian":             {"dpdonc-localization", []string{"sweep=null", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}"}, 0},
	"ofl":                          {"ofl-logistic", []string{"sweep=null"}, 0},
	"ofl, laplace":                 {"ofl-logistic", []string{"sweep=null", "mechanism={kind: laplace, epsilon: 2}"}, 0},
	"ofl, set":                     {"ofl-logistic", []string{"sweep=null", "problem={kind: robust-regression, set: {kind: l2-ball, dimension: 3, radius: 0.5}}", "algorithm.version=1"}, 0},
	"opestoch":                     {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4"}, 0},
	"opestoch, central":            {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4", "algorithm.variant=central"}, 0},
	"opestoch, by delta":           {"privacy-coordinates", []string{"sweep=null", "mechanism.epsilon=4", "mechanism.delta=1e-3", "algorithm.variant=approximate"}, 0},
	"opestoch, laplace":            {"privacy-coordinates", []string{"sweep=null", "mechanism={kind: laplace, epsilon: 2}"}, 0},
	"opestoch, gaussian":           {"privacy-coordinates", []string{"sweep=null", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-3}"}, 0},
	"fedsvt":                       {"svt-realizable", []string{"sweep=null", "mechanism.epsilon=4"}, 0},
	"dpfl, sampled":                localSGD(0, "{kind: dpfl, tau: 1, learning_rate: 0.1, batch: 8, clip: 0.5}", auditedImages, "{kind: sampled-gaussian, sigma: 1.1, delta: 1e-3}"),
	"dpfl, everything":             localSGD(1, "{kind: dpfl, tau: 1, learning_rate: 0.1, batch: 8, clip: 0.5}", "{kind: synthetic-logistic, dimension: 3}", "{kind: sampled-gaussian, sigma: 1.1, delta: 1e-3}"),
	"dpfl, laplace":                localSGD(0, "{kind: dpfl, tau: 1, learning_rate: 0.1, clip: 0.5}", "{kind: synthetic-logistic, dimension: 3}", "{kind: laplace, epsilon: 1}"),
	"ali-dpfl, private statistics": localSGD(1, "{kind: ali-dpfl, learning_rate: 0.1, batch: 8, clip: 0.5, statistics: private, statistics_sigma: 2, statistics_lipschitz: 1, statistics_clip: 0.5}", "{kind: synthetic-logistic, dimension: 3}", "{kind: sampled-gaussian, sigma: 1.1, delta: 1e-3}"),
}

// auditedImages are few.
const auditedImages = "{kind: images, data: synthetic, train: 128, test: 64, public: 16, model: {kind: softmax}, partition: {kind: iid}}"

// runOf is the run of an audit.
func (c smallAudit) runOf(t *testing.T) *auditing.Run {
	t.Helper()
	s := loadScenario(t, c.scenario, c.overrides...)
	variants, err := loading.Spread(s.Document, nil)
	if err != nil {
		t.Fatal(err)
	}
	section, _ := variants[0].Document.Find("algorithm")
	audited, err := kind.PieceOf[auditing.Auditable](scenarios.NewLoader("").Kinds.Algorithms, section, "the audit")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := audited.Audit(study.NewBuilder(scenarios.NewLoader("").Kinds, s.Seeds, dataset.NewFolder("")), variants[0])
	if err != nil {
		t.Fatal(err)
	}
	return runs[c.size]
}

// localSGD is an audit of federated learning by local steps.
func localSGD(size int, algorithm, problem, mechanism string) smallAudit {
	return smallAudit{"privacy-observers", []string{
		"sweep=null", "topology={kind: star}", "nodes=4", "horizon=4", "algorithm=" + algorithm, "problem=" + problem, "mechanism=" + mechanism,
	}, size}
}

// wholeRuns are runs of all families.
func wholeRuns(t *testing.T) map[string]*auditing.Run {
	runs := map[string]*auditing.Run{}
	for name, c := range smallAudits {
		runs[name] = c.runOf(t)
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
	testneeds.Slow(t)
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
	testneeds.Slow(t)
	samples := map[string]int{
		"dpdonc": 2000, "dpdonc, gaussian": 2000, "ofl": 1500, "ofl, laplace": 1500, "ofl, set": 1500, "opestoch": 3000, "opestoch, central": 6000, "opestoch, by delta": 3000, "opestoch, laplace": 3000, "opestoch, gaussian": 3000, "fedsvt": 12_000,
		"dpfl, sampled": 1500, "dpfl, everything": 500, "dpfl, laplace": 1500, "ali-dpfl, private statistics": 500,
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
		book := &auditing.Ledger{Node: run.Node}
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
		if _, ok := k.Piece.(auditing.Auditable); !ok {
			t.Errorf("no audit of %s", k.Kind)
		}
	}
}
