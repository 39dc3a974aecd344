package audit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
)

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// sampledTest is the level and the power of the test {x > t} of N(0, 1) against
// the mixture (1-q) N(0, 1) + q N(mu, 1), or the other way round.
func sampledTest(rate, mu, t float64) (without, with float64) {
	return normal(-t), (1-rate)*normal(-t) + rate*normal(mu-t)
}

// A likelihood-ratio test that adds the record has the power that mu allows, and
// no less would do: the measure returns mu, where the trade-off function is that
// of the mixture (levels below Phi(-mu/2)). The test {x <= t} that removes it has
// the same by the inverse. In between, where the two are mixed, and in general,
// the measure is at most mu.
func TestSampledMuIsThatOfItsTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate, mu := rapid.Float64Range(0.05, 1).Draw(t, "rate"), rapid.Float64Range(0.1, 4).Draw(t, "mu")
		at := rapid.Float64Range(-4, 5).Draw(t, "t")
		measure := audit.SampledMu(rate)
		without, with := sampledTest(rate, mu, at)
		for name, got := range map[string]float64{"adding": measure(with, without), "removing": measure(1-without, 1-with)} {
			// A power next to 1 is rounded by 1e-16, which is much of what it lacks of 1.
			if rounded := 1-with < 1e-9; got > mu+1e-5 && !rounded {
				t.Fatalf("%s at q = %v, mu = %v: %v", name, rate, mu, got)
			}
			if tight := without < normal(-mu/2); tight && without > 1e-4 && got < mu-1e-4 {
				t.Fatalf("%s at q = %v, mu = %v is tight: %v", name, rate, mu, got)
			}
		}
	})
}

// The measure agrees with the accountant's privacy loss distribution: an event of
// level q has at most the power e^eps q + delta(eps), and the least over eps is
// that which mu allows.
func TestSampledMuAgreesWithTheAccountant(t *testing.T) {
	const rate, mu, level = 0.3, 1.25, 0.02
	step := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: rate, Noise: 1 / mu, Steps: 1}}
	least := 1.0
	for delta := 1e-3; delta < 0.3; delta *= 1.3 {
		epsilon := must(step.EpsilonAt(delta, accountant.PLD))
		least = min(least, math.Exp(epsilon)*level+delta)
	}
	if got := audit.SampledMu(rate)(least, level); math.Abs(got-mu) > 0.02 {
		t.Errorf("power %v at level %v has mu %v, want %v", least, level, got, mu)
	}
}

// The measure grows with p and falls with q, is that of Gaussians where all is
// sampled, and is infinite beyond what sampling allows at all.
func TestSampledMuIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.05, 0.95).Draw(t, "rate")
		unit := rapid.Float64Range(0.001, 0.999)
		p, q, more := unit.Draw(t, "p"), unit.Draw(t, "q"), rapid.Float64Range(0, 0.1).Draw(t, "more")
		measure := audit.SampledMu(rate)
		if base := measure(p, q); measure(min(1, p+more), q) < base-1e-6 || measure(p, min(1, q+more)) > base+1e-6 {
			t.Fatalf("q = %v at (%v, %v): %v", rate, p, q, base)
		}
		if full := audit.SampledMu(1)(p, q); math.Abs(full-audit.Mu()(p, q)) > 1e-12 {
			t.Fatalf("everything sampled: %v", full)
		}
	})
	if got := audit.SampledMu(0.5)(0.9, 0.01); !math.IsInf(got, 1) {
		t.Errorf("a record sampled every second time is found in 9 of 10: mu %v", got)
	}
	if got := audit.SampledMu(0.5)(0.2, 0.3); !math.IsInf(got, -1) {
		t.Errorf("an event that is less likely: mu %v", got)
	}
}

// Of a participant that has released nothing both inputs have the same outcomes, and its
// loss is 0 at every delta, 0 too.
func TestLossOfNothing(t *testing.T) {
	outcomes := make([]float64, 512)
	for _, delta := range []float64{0, 1e-5} {
		f, err := audit.Judge(accountant.Loss{}, delta, outcomes, outcomes, audit.HalfPilot, 0.99)
		if err != nil || f.Accounted != 0 || f.Exceeded() {
			t.Errorf("at delta %v: %+v, error %v", delta, f, err)
		}
	}
}
