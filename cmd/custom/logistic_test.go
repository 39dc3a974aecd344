package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios"
	"starling/scenarios/auditing"
	"starling/scenarios/guide"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// The law is that of gonum: densities, deviation, moments of what is cut off, and draws.
// Kolmogorov's distance of 20,000 draws exceeds 2.7/sqrt(20,000) with a chance of 1e-6.
func TestLogisticIsItsLaw(t *testing.T) {
	const s = 0.7
	law, want := logistic{}, distuv.Logistic{Mu: 0, S: s}
	for _, x := range []float64{-20, -2, 0, 0.3, 5} {
		first, second := math.Log(want.Prob(x-0.4)), math.Log(want.Prob(x+1))
		if got := law.LogRatio(x, 0.4, -1, s); math.Abs(got-(first-second)) > 1e-9 || math.Abs(got) > 1.4/s {
			t.Errorf("log ratio at %v is %v, want %v", x, got, first-second)
		}
	}
	if got := law.Deviation(s); math.Abs(got-want.StdDev()) > 1e-12 {
		t.Errorf("deviation %v, want %v", got, want.StdDev())
	}
	unit := distuv.Logistic{Mu: 0, S: 1 / law.Deviation(1)}
	second, fourth := law.CutMoments(3)
	for k, got := range map[float64]float64{2: second, 4: fourth} {
		inside := quad.Fixed(func(y float64) float64 { return math.Pow(y, k) * unit.Prob(y) }, -3, 3, 200, nil, 0)
		if want := inside + 2*math.Pow(3, k)*unit.CDF(-3); math.Abs(got-want) > 1e-9 {
			t.Errorf("moment %v is %v, want %v", k, got, want)
		}
	}
	x := make([]float64, 20_000)
	var stream rng.Stream
	law.Add(x, s, stream.Open(rng.NewKey(1, rng.PurposeOf("test")), 0, 0, 0))
	slices.Sort(x)
	grid := make([]float64, len(x))
	for i := range grid {
		grid[i] = want.Quantile((float64(i) + 0.5) / float64(len(grid)))
	}
	if d := stat.KolmogorovSmirnov(x, nil, grid, nil); d > 2.7/math.Sqrt(float64(len(x))) {
		t.Errorf("Kolmogorov's distance is %v", d)
	}
}

// A law that nothing else knows runs under every algorithm that takes noise of its own on
// messages or on sums, of equals and of servers: the audit names it and finds its noise as
// stated, and a run costs no more than with Laplace noise of the same epsilon. All of them are
// tried in slow tests, one of equals and one of a server in others.
func TestLogisticUnderEveryAlgorithm(t *testing.T) {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Mechanisms: []kind.Kind{kind.Of("logistic", "logistic noise", logisticSection{})}})
	if err != nil {
		t.Fatal(err)
	}
	tried, some := map[string]bool{}, []string{"dpdonc", "dp-fedavg"}
	if testneeds.SlowWanted() {
		some = []string{"dpdonc", "dsgd", "ofl", "opestoch", "choco", "random-walk", "muffliato", "dpfl", "central", "dp-ftrl", "dp-fedavg", "dp-scaffold", "fedbuff"}
	}
	for _, p := range guide.Pairs(&catalog) {
		if p.Section != "mechanism" || p.Kind != "logistic" || !p.Fits || p.Algorithm == "python" || p.Algorithm == "ali-dpfl" {
			continue // the statistics of ali-dpfl, as printed, are private under no noise
		}
		if !testneeds.SlowWanted() && !slices.Contains(some, p.Algorithm) {
			continue
		}
		tried[p.Algorithm] = true
		t.Run(p.Algorithm, func(t *testing.T) {
			at := slices.IndexFunc(catalog.Algorithms, func(a kind.Kind) bool { return a.Kind == p.Algorithm })
			load := func(mechanism string) (s *study.Scenario, err error) { // the first example that loads
				list := scenariotest.ParseSets(t, "mechanism="+mechanism)
				for _, example := range catalog.Algorithms[at].Examples {
					if s, err = (loading.Loader{Kinds: &catalog}).Load(scenariotest.File(t, example), list...); err == nil {
						break
					}
				}
				return s, err
			}
			s, err := load("{kind: logistic, epsilon: 1}")
			if err != nil {
				t.Fatal(err)
			}
			logisticRun(t, s, load)
		})
	}
	for _, algorithm := range some {
		if !tried[algorithm] {
			t.Errorf("%s was not tried: %v", algorithm, tried)
		}
	}
}

// logisticRun holds a scenario with logistic noise against the same with Laplace noise.
func logisticRun(t *testing.T, s *study.Scenario, load func(mechanism string) (*study.Scenario, error)) {
	found := scenariotest.AuditIn(t, s, auditing.Options{Samples: 400, Confidence: 0.999, Noise: 1})
	for _, a := range found {
		if !strings.HasPrefix(a.Mechanism, "logistic") || !a.NoiseAsStated() || a.Exceeded() {
			t.Errorf("the audit says %s, as stated: %v, %v of %v", a.Mechanism, a.NoiseAsStated(), a.Audited, a.Accounted)
		}
	}
	laplace, err := load("{kind: laplace, epsilon: 1}")
	if err != nil {
		if laplace, err = load("{kind: laplace, epsilon: 1, noise: shifted}"); err != nil {
			t.Fatal(err)
		}
	}
	got, want := planned(t, s), planned(t, laplace)
	if !(got.Epsilon > 0) || math.IsInf(got.Epsilon, 1) || got.Laplace != 0 || got.Epsilon > want.Epsilon*(1+1e-9) {
		t.Errorf("costs %+v, and with Laplace noise %+v", got, want)
	}
}

func planned(t *testing.T, s *study.Scenario) accountant.Loss {
	loss, err := study.PlannedLossOf(s.Arms[0])
	if err != nil {
		t.Fatal(err)
	}
	return loss
}
