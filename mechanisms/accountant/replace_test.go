package accountant

import (
	"math"
	"testing"
)

// hockeyStick is the chance that outputs of one record's value exceed e^epsilon times
// that of another's: densities (1-q) N(0, s^2) + q N(1, s^2) and (1-q) N(0, s^2) + q
// N(-1, s^2), integrated by the midpoint rule. No replacement of records is further
// apart on a line.
func hockeyStick(q, sigma, epsilon float64) (delta float64) {
	density := func(x, mean float64) float64 {
		z := (x - mean) / sigma
		return math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi))
	}
	const panels = 1 << 16
	low := -1 - 40*sigma
	width := -2 * low / panels
	for i := range panels {
		x := low + (float64(i)+0.5)*width
		p := (1-q)*density(x, 0) + q*density(x, 1)
		r := (1-q)*density(x, 0) + q*density(x, -1)
		delta += width * max(0, p-math.Exp(epsilon)*r)
	}
	return delta
}

// One sampled step: the epsilon for replacing holds for two records that are
// opposite, where that for adding or removing does not, and is at most 3.5 times
// as much. The mechanism is symmetric, so one direction is enough.
func TestReplaceHoldsForOppositeRecords(t *testing.T) {
	for _, s := range []SampledGaussian{{0.01, 1.1, 1}, {0.1, 0.8, 1}, {0.1, 2, 1}, {0.5, 1, 1}, {0.9, 3, 1}} {
		const delta = 1e-5
		for _, by := range Methods() {
			one := Loss{Sampled: s}.Total()
			replace, err := one.ReplaceEpsilon(delta, by)
			if err != nil {
				t.Fatal(err)
			}
			if got := hockeyStick(s.Rate, s.Noise, replace); got > delta {
				t.Errorf("%+v, %s: epsilon %v for replacing has delta %v, more than %v", s, by, replace, got, delta)
			}
			addRemove, err := one.Epsilon(delta, by)
			if err != nil {
				t.Fatal(err)
			}
			if by == PLD && hockeyStick(s.Rate, s.Noise, addRemove) <= delta {
				t.Errorf("%+v: epsilon %v for adding or removing holds for replacing", s, addRemove)
			}
			if replace > 3.5*addRemove {
				t.Errorf("%+v, %s: epsilon %v for replacing, %v for adding or removing", s, by, replace, addRemove)
			}
		}
	}
}

// Without samples replacing a record is Gaussian noise of half the multiplier:
// Balle and Wang's condition, evaluated here by the normal distribution. The upper
// bounds of the loss distribution are within 5 % of delta.
func TestReplaceWithoutSamplingIsExact(t *testing.T) {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, steps := range []int{1, 7, 50} {
		const sigma, delta = 4, 1e-5
		total := Loss{Sampled: SampledGaussian{1, sigma, steps}}.Total()
		epsilon, err := total.ReplaceEpsilon(delta, PLD)
		if err != nil {
			t.Fatal(err)
		}
		mu := 2 * math.Sqrt(float64(steps)) / sigma
		if got := normal(mu/2-epsilon/mu) - math.Exp(epsilon)*normal(-mu/2-epsilon/mu); got > delta || got < 0.95*delta {
			t.Errorf("%d steps: epsilon %v has delta %v, want %v", steps, epsilon, got, delta)
		}
	}
}

// Many sampled steps: for small losses replacing costs about twice adding or
// removing by the bounds of the Rényi methods. Of small losses it is the root of
// 2 (e^s - e^-s)/(e^s - 1) times as much, s = 1/sigma^2, 1.7 here, and by PLD near that.
// A converter gives the same, in any order of questions;
// nothing spent is nothing.
func TestReplaceOfManySteps(t *testing.T) {
	const delta = 1e-5
	var by Converter
	total := Loss{Sampled: SampledGaussian{0.01, 1.1, 1000}}.Total()
	for _, method := range []Method{RDP, RDPCKS, PLD} {
		replace, err := total.ReplaceEpsilon(delta, method)
		if err != nil {
			t.Fatal(err)
		}
		addRemove, err := by.EpsilonOf(AddOrRemove, &total, delta, method)
		if err != nil {
			t.Fatal(err)
		}
		low, high := 1.8, 2.7
		if method == PLD {
			low, high = 1.6, 1.7
		}
		if ratio := replace / addRemove; ratio < low || ratio > high {
			t.Errorf("%s: %v for replacing is %v times the %v for adding or removing", method, replace, ratio, addRemove)
		}
		for range 2 {
			if again, err := by.EpsilonOf(Replace, &total, delta, method); err != nil || math.Abs(again/replace-1) > 1e-12 {
				t.Errorf("%s: the converter has %v, want %v (%v)", method, again, replace, err)
			}
		}
		var nothing Total
		if epsilon, err := nothing.ReplaceEpsilon(delta, method); err != nil || epsilon != 0 {
			t.Errorf("%s: nothing costs %v (%v)", method, epsilon, err)
		}
	}
	unprotected := NotPrivate().Total()
	if epsilon, err := unprotected.ReplaceEpsilon(delta, RDP); err != nil || !math.IsInf(epsilon, 1) {
		t.Errorf("no protection costs %v (%v)", epsilon, err)
	}
}

// A pure total doubles, and Gaussian noise has twice the mean.
func TestReplaceOfUnsampledLosses(t *testing.T) {
	pure := Loss{Epsilon: 0.5}.Total()
	if epsilon, err := pure.ReplaceEpsilon(0, RDP); err != nil || epsilon != 1 {
		t.Errorf("a pure 0.5 costs %v for replacing, want 1 (%v)", epsilon, err)
	}
	rho := Loss{Rho: 0.02}.Total()
	four := Loss{Rho: 0.08}.Total()
	got, err := rho.ReplaceEpsilon(1e-5, PLD)
	want, _ := four.Epsilon(1e-5, PLD)
	if err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("rho 0.02 costs %v for replacing, want %v (%v)", got, want, err)
	}
}

// A total that is not private has no epsilon and is in no budget, whatever is beside its raw part and
// for whichever neighbours.
func TestReplaceNotPrivate(t *testing.T) {
	for _, raw := range []Loss{NotPrivate(), {Rho: math.Inf(1)}, {Concentrated: math.Inf(1)}, {Delta: 1}} {
		var total Total
		total.AddTimes(Loss{Sampled: SampledGaussian{Rate: 0.25, Noise: 256, Steps: 1}}, 60)
		total.Add(raw)
		for _, by := range []Method{PLD, RDP, RDPCKS} {
			var c Converter
			for name, epsilon := range map[string]func(*Total, float64, Method) (float64, error){
				"replaced": (*Total).ReplaceEpsilon, "kept": c.ReplaceEpsilon, "removed": (*Total).Epsilon,
			} {
				if got, err := epsilon(&total, 1e-5, by); err != nil || !math.IsInf(got, 1) {
					t.Errorf("%v, %s, %s: %v, %v; want +Inf", raw, by, name, got, err)
				}
			}
			if within, err := NewReplaceLimit(Loss{Epsilon: 100, Delta: 1e-5}, by).Allows(&total); within || err != nil {
				t.Errorf("%v, %s: within a budget %v, %v", raw, by, within, err)
			}
		}
	}
}
