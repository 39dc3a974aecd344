package scenarios_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// calibrated is a scenario whose noise multiplier follows from an epsilon of the run.
const calibrated = `version: 1
name: calibrated
horizon: 8
nodes: 6
algorithm: {kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, rate: 0.5}
problem: {kind: synthetic-logistic, dimension: 3}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, epsilon: 2, delta: 1e-5}
measure: {every: 4}
seeds: {base: 1, count: 2}
`

// calibratedArms are algorithms and settings that take the epsilon of a run.
var calibratedArms = map[string][]string{
	"dp-fedavg":       nil,
	"records":         {"algorithm.level=record", "algorithm.batch=4", "algorithm.rate=1"},
	"dp-scaffold":     {"algorithm={kind: dp-scaffold, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, rate: 0.5}"},
	"scaffold record": {"algorithm={kind: dp-scaffold, level: record, batch: 4, learning_rate: 0.1, clip: 1, samples: 9, tau: 3, rate: 1}"},
	"dp-ftrl":         {"algorithm={kind: dp-ftrl, learning_rate: 0.1, clip: 1, samples: 9, groups: 2}"},
	"limited":         {"algorithm.times=3", "algorithm.apart=2"},
	"fedbuff":         {"algorithm={kind: fedbuff, learning_rate: 0.1, clip: 1, samples: 9, buffer: 6}"},
	"tiers":           {"topology={kind: tiers, fan: [2, 3], noise: edge}"},
	"secure":          {"algorithm.aggregation={kind: secure, survivors: 2}", "algorithm.rate=1"},
	"grid":            {"algorithm.aggregation={kind: secure, survivors: 2, shares: discrete, granularity: 0.01, bits: 16}", "algorithm.rate=1"},
	"local":           {"algorithm.aggregation={kind: local}", "algorithm.rate=1"},
	"shuffle":         {"algorithm.aggregation={kind: shuffle, survivors: 6}", "algorithm.rate=1"},
	"dpfl":            {"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.3, samples: 9, batch: 4}"},
	"central":         {"algorithm={kind: central, learning_rate: 0.5, clip: 1, samples: 9, batch: 30}"},
	"ali-dpfl": {"algorithm={kind: ali-dpfl, learning_rate: 0.5, clip: 1, samples: 9, batch: 4, statistics: private, statistics_sigma: 20, statistics_lipschitz: 1, statistics_clip: 1, control: 1}",
		"horizon=4"},
}

// The ledger of a run states the epsilon that is asked for, within a thousandth from below,
// whatever the algorithm, its accountant and its neighbours.
func TestCalibratedToAnEpsilon(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(calibratedArms)) {
		overrides := calibratedArms[name]
		for j, by := range []string{"rdp", "rdp-cks", "pld"} {
			if !testneeds.Some(i+j, 3) {
				continue
			}
			for _, neighbours := range []string{"add-or-remove", "replace"} {
				if by != "rdp" && neighbours == "replace" && name != "dpfl" {
					continue // slow, and alike
				}
				s, err := loadError(t, calibrated, append([]string{"mechanism.accountant=" + by, "mechanism.neighbours=" + neighbours, "seeds.count=1"}, overrides...)...)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				rows := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows
				got := last(valuesOf(rows, ledger.EpsilonTotal))
				least := 2 - 1e-3
				if name == "grid" {
					least = 1.9 // the noise of a grid has whole variances
				}
				if !(got <= 2 && got >= least) {
					t.Errorf("%s, %s, %s: the ledger states %v", name, by, neighbours, got)
				}
			}
		}
	}
}

// multiplier is the noise multiplier of the steps that an arm plans.
func multiplier(t *testing.T, text string, overrides ...string) accountant.SampledGaussian {
	t.Helper()
	planned, err := study.PlannedLossOf(loadText(t, text, overrides...).Arms[0])
	if err != nil {
		t.Fatal(err)
	}
	return planned.Sampled
}

// Without a sample a run of T steps is one Gaussian mechanism of mu = sqrt(T)/sigma. Its delta at
// epsilon is Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2). The accountant pld is
// within 0.5 % of it.
func TestCalibratedByTheClosedForm(t *testing.T) {
	t.Parallel()
	for _, epsilon := range []float64{0.3, 2, 20} {
		for i, steps := range []int{1, 8, 10000} {
			if !testneeds.Some(i, 2) {
				continue
			}
			s := multiplier(t, calibrated, "algorithm.rate=1", "mechanism.accountant=pld", fmt.Sprintf("mechanism.epsilon=%v", epsilon), fmt.Sprintf("horizon=%d", steps))
			mu := math.Sqrt(float64(s.Steps)) / s.Noise
			phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
			delta := func(epsilon float64) float64 {
				return phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
			}
			if s.Steps != steps || !(delta(epsilon) <= 1e-5*(1+1e-9)) || !(delta(epsilon*0.995-1e-3) > 1e-5) {
				t.Errorf("epsilon %v in %d steps: %+v has delta %v, and %v a little below", epsilon, steps, s, delta(epsilon), delta(epsilon*0.995-1e-3))
			}
		}
	}
}

// wholeOrders is the epsilon of sampled steps by the binomial sum over whole Rényi orders.
func wholeOrders(s accountant.SampledGaussian, delta float64) float64 {
	least := math.Inf(1)
	for a := 2; a <= 64; a++ {
		var sum, binomial float64 = 0, 1
		for k := range a + 1 {
			if k > 0 {
				binomial *= float64(a-k+1) / float64(k)
			}
			sum += binomial * math.Pow(1-s.Rate, float64(a-k)) * math.Pow(s.Rate, float64(k)) * math.Exp(float64(k*k-k)/(2*s.Noise*s.Noise))
		}
		least = min(least, float64(s.Steps)*math.Log(sum)/float64(a-1)+math.Log(1/delta)/float64(a-1))
	}
	return least
}

// Under sampling the epsilon is the one of the binomial sum, for local steps and for rounds. The
// multiplier 4 of Abadi et al. 2016, section 5, has the epsilon 1.26 at 1e-5 after 10,000 steps at
// a rate of 0.01.
func TestCalibratedUnderSampling(t *testing.T) {
	published := multiplier(t, calibrated, "algorithm.rate=0.01", "horizon=10000", "mechanism.epsilon=1.26")
	if !(math.Abs(published.Noise-4) < 0.02) {
		t.Errorf("%+v, want a multiplier of 4", published)
	}
	for name, overrides := range map[string][]string{
		"rounds":      {"horizon=10000", "algorithm.rate=0.05"},
		"local steps": {"algorithm={kind: dpfl, tau: 5, learning_rate: 0.5, clip: 0.3, samples: 90, batch: 4}", "horizon=2000"},
		"records":     {"algorithm.level=record", "algorithm.batch=2", "algorithm.tau=5", "horizon=2000"},
	} {
		for _, epsilon := range []float64{0.5, 8} {
			s := multiplier(t, calibrated, append([]string{fmt.Sprintf("mechanism.epsilon=%v", epsilon)}, overrides...)...)
			if got := wholeOrders(s, 1e-5); s.Steps != 10000 || !(got <= epsilon*(1+1e-9) && got >= epsilon-1e-3) {
				t.Errorf("%s: %+v has epsilon %v, want %v", name, s, got, epsilon)
			}
		}
	}
}

// A calibration to 10,000 rounds takes less than a second by each accountant.
func TestCalibrationIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes time")
	}
	for _, by := range accountant.Methods() {
		begin := time.Now()
		multiplier(t, calibrated, "algorithm.rate=0.1", "horizon=10000", "mechanism.epsilon=8", "mechanism.accountant="+string(by))
		t.Logf("%s: %v", by, time.Since(begin))
		if took := time.Since(begin); took > 10*time.Second { // also on a machine with much else to do
			t.Errorf("%s: %v", by, took)
		}
	}
}

// Clients of other sizes under other seeds have a multiplier of their own: every run has the
// epsilon.
func TestCalibratedUnderEverySeed(t *testing.T) {
	divided := "problem={kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: dirichlet, alpha: 1, min_size: 6}}"
	for name, arm := range map[string]string{
		"records": "algorithm={kind: dp-fedavg, level: record, batch: 4, learning_rate: 0.1, clip: 1, tau: 2}",
		"dpfl":    "algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.3, batch: 4}",
	} {
		s := loadText(t, calibrated, divided, arm, "seeds.count=4")
		states := map[float64]bool{}
		for _, row := range metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Rows {
			if row.Metric == ledger.EpsilonTotal && row.Step == 8 {
				states[row.Value] = true
				if !(row.Value <= 2 && row.Value >= 2-1e-3) {
					t.Errorf("%s, seed %d: the ledger states %v", name, row.Seed, row.Value)
				}
			}
		}
		if len(states) < 2 {
			t.Errorf("%s: clients are alike under all seeds", name)
		}
	}
}

// All runtimes leave the same bits, and a budget stops the run that would pay more than it.
func TestCalibratedRuns(t *testing.T) {
	for _, name := range []string{"dp-fedavg", "records", "dpfl", "secure"} {
		s := loadText(t, calibrated, calibratedArms[name]...)
		digests := map[string]bool{}
		for _, o := range scenariotest.SomeEngines(s) {
			digests[metricsOf(t, s, o).Digest] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: digests %v", name, digests)
		}
		budget := "budget={epsilon: 1.5, delta: 1e-5, on: stop}"
		stopped := loadText(t, calibrated, append([]string{budget}, calibratedArms[name]...)...)
		got := last(valuesOf(metricsOf(t, stopped, runner.RunOptions{Engine: runner.Lockstep}).Rows, ledger.EpsilonTotal))
		if !(got <= 1.5 && got > 0.5) {
			t.Errorf("%s: a budget of 1.5 is spent to %v", name, got)
		}
		if fits, err := loadError(t, calibrated, append([]string{"budget={epsilon: 2, delta: 1e-5, on: refuse}"}, calibratedArms[name]...)...); err != nil {
			t.Errorf("%s: a budget of the same epsilon: %v, %v", name, fits, err)
		}
	}
}

// A grid of epsilons ends with none, of which the ledger says that nothing is private.
func TestGridOfCalibratedEpsilons(t *testing.T) {
	for _, name := range []string{"dp-fedavg", "records", "dpfl", "fedbuff", "secure"} {
		s := loadText(t, calibrated+"sweep: {grid: {mechanism.epsilon: [1, 8, none]}}\n", calibratedArms[name]...)
		for i, want := range []float64{1, 8, math.Inf(1)} {
			planned, err := study.PlannedLossOf(s.Arms[i])
			if err != nil {
				t.Fatal(err)
			}
			if total := planned.Total(); planned.Private() {
				epsilon, err := total.Epsilon(1e-5, accountant.RDP)
				if err != nil || !(epsilon <= want*(1+1e-9) && epsilon >= want-1e-3) {
					t.Errorf("%s: epsilon %v of %v, %v", name, epsilon, want, err)
				}
			} else if !math.IsInf(want, 1) {
				t.Errorf("%s: epsilon %v is not private", name, want)
			}
		}
	}
}

func TestCalibrationIsRefused(t *testing.T) {
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"mechanism={kind: sampled-gaussian, delta: 1e-5}"}, `mechanism: missing required key "sigma", or "epsilon" in its place`},
		{[]string{"mechanism={kind: sampled-gaussian, delta: 1e-5, sigma: 1, epsilon: 2}"}, "mechanism.sigma: sigma and epsilon exclude each other"},
		{[]string{"mechanism={kind: sampled-gaussian, delta: 1e-5, sigma: null, epsilon: null}"}, `missing required key "sigma", or "epsilon"`},
		{[]string{"mechanism={kind: sampled-gaussian, epsilon: 0}"}, "epsilon = 0; it must be"},
		{[]string{"mechanism={kind: sampled-gaussian, epsilon: 0}"}, `missing required key "delta"`},
		{[]string{"mechanism.epsilon=0.1"}, "mechanism.epsilon: no noise has an epsilon of 0.1; the least is 0.18"},
		{[]string{"mechanism.epsilon=0.1"}, "at delta 1e-05 by rdp; the accountant pld states less"},
		{[]string{"algorithm.clip=none"}, "algorithm.clip: no noise hides a vector without a bound; give a 2-norm"},
		{[]string{"algorithm.clip=none", "algorithm.level=record", "algorithm.batch=4", "algorithm.rate=1"}, "algorithm.clip: no noise hides a vector without a bound; give a 2-norm"},
		{[]string{"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, samples: 9, batch: 4}"}, `algorithm: missing required key "clip"`},
		{[]string{"algorithm={kind: central, learning_rate: 0.5, samples: 9, batch: 30}"}, "algorithm.clip: clipping norm C = +Inf; want a finite number > 0"},
		{[]string{"algorithm.rate=1", "mechanism.epsilon=0.05", "algorithm.aggregation={kind: secure, survivors: 2, shares: discrete, granularity: 0.01, bits: 16}"},
			"algorithm.aggregation.granularity: a share of 36203"},
		{[]string{"mechanism.epsilon=1e6"}, "mechanism.epsilon: an epsilon of 1e+06 needs a noise multiplier below 0.05"},
	} {
		if _, err := loadError(t, calibrated, test.overrides...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
	if _, err := loadError(t, calibrated, "algorithm={kind: central, learning_rate: 0.5, samples: 9, batch: 30}"); strings.Contains(fmt.Sprint(err), "sigma") {
		t.Errorf("the noise is not at fault: %v", err)
	}
	if _, err := loadError(t, calibrated, "mechanism.epsilon=0.1", "mechanism.accountant=pld"); err != nil {
		t.Errorf("by pld: %v", err)
	}
}

// A start that is not private is the fault, and not the accountant.
func TestCalibrationFromAnOpenStart(t *testing.T) {
	const images = "problem={kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}}"
	open := loadText(t, calibrated, images, "algorithm={kind: fedavg, learning_rate: 0.1, tau: 2}", "mechanism={kind: none}", "measure={model: true}", "seeds.count=1", "horizon=1", "nodes=2")
	models, err := filepath.Glob(filepath.Join(runIn(t, open, runner.RunOptions{}).Dir, "models", "*"))
	if err != nil || len(models) != 1 {
		t.Fatalf("%d models, %v", len(models), err)
	}
	for name, algorithm := range map[string]string{
		"rounds":  "{kind: dp-fedavg, learning_rate: 0.1, clip: 1, tau: 2}",
		"records": "{kind: dp-fedavg, level: record, batch: 4, learning_rate: 0.1, clip: 1, tau: 2}",
		"steps":   "{kind: dpfl, tau: 2, learning_rate: 0.1, batch: 8, clip: 1}",
		"central": "{kind: central, batch: 8, learning_rate: 0.1, clip: 1}",
	} {
		_, err := loadError(t, calibrated, images, "problem.model.weights="+models[0], "nodes=2", "algorithm="+algorithm)
		if err == nil || !strings.Contains(err.Error(), ".yaml:8:") || !strings.Contains(err.Error(), "mechanism.epsilon: no noise has an epsilon of 2: the run starts from "+models[0]) || strings.Contains(err.Error(), "pld") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An audit does not refute the multiplier that was found, and refutes half of it.
func TestAuditOfCalibratedNoise(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"dp-fedavg", "records", "dpfl"} {
		if !testneeds.Some(i, 3) {
			continue
		}
		text := scenariotest.Edited(t, calibrated, "epsilon: 2", "epsilon: 4")
		s := loadText(t, text, calibratedArms[name]...)
		for _, noise := range []float64{1, 0.5} {
			o := scenariotest.AuditOptions(1024)
			o.Noise = noise
			found := false
			for _, a := range scenariotest.AuditIn(t, s, o) {
				t.Logf("%s, noise %v, %s: accounted %.4g, audited %.4g", name, noise, a.Mechanism, a.Accounted, a.Audited)
				found = found || a.Audited > a.Accounted || !a.NoiseAsStated()
			}
			if found != (noise < 1) {
				t.Errorf("%s, noise %v: found %v", name, noise, found)
			}
		}
	}
}
