package selection_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// exponentialLaw is exp(u_i/scale)/sum: the definition, for small utilities.
func exponentialLaw(utilities []float64, scale float64) []float64 {
	p := make([]float64, len(utilities))
	var total float64
	for i, u := range utilities {
		p[i] = math.Exp(u / scale)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	return p
}

func TestExponentialHasItsLaw(t *testing.T) {
	for name, test := range map[string]struct {
		utilities []float64
		scale     float64
	}{
		"one":    {[]float64{3}, 1},
		"two":    {[]float64{0, 1}, 0.5},
		"equal":  {[]float64{2, 2, 2}, 1},
		"spread": {[]float64{-1, 0, 0.5, 2, -3}, 1.5},
	} {
		m := selection.Exponential{Scale: test.scale}
		checkFrequencies(t, "exponential "+name, exponentialLaw(test.utilities, test.scale), func(r *rng.Rand) int {
			i, _, err := m.Select(test.utilities, r, 1, accept)
			if err != nil {
				t.Fatal(err)
			}
			return i
		})
	}
}

// Utilities of thousands of scales, and differences beyond the largest float64,
// neither overflow nor reach an index without weight.
func TestExponentialIsStable(t *testing.T) {
	for _, utilities := range [][]float64{
		{1e6, 1e6 - 1, 0}, {-1e6, -1e6 - 1, -2e6}, {math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64},
	} {
		seen := map[int]bool{}
		r := generator(1)
		for range 1000 {
			i, _, err := selection.Exponential{Scale: 1}.Select(utilities, r, 1, accept)
			if err != nil {
				t.Fatal(err)
			}
			seen[i] = true
		}
		if seen[2] || !seen[0] || !seen[1] {
			t.Errorf("%v: chose %v, want the first two", utilities, seen)
		}
	}
}

// Neighbouring utilities never move log-probabilities by more than the stated
// loss, and some come near to it: the loss is neither too small nor idle.
func TestExponentialLossHolds(t *testing.T) {
	const scale, sensitivity = 0.7, 1
	general := selection.Exponential{Scale: scale}.Loss(sensitivity).Epsilon
	monotone := selection.Exponential{Scale: scale, Monotone: true}.Loss(sensitivity).Epsilon
	if general != 2*sensitivity/scale || monotone != sensitivity/scale {
		t.Fatalf("losses %v and %v", general, monotone)
	}
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 6).Draw(t, "u")
		v, up := make([]float64, len(u)), make([]float64, len(u))
		for i := range u {
			v[i] = u[i] + rapid.Float64Range(-sensitivity, sensitivity).Draw(t, "move")
			up[i] = u[i] + rapid.Float64Range(0, sensitivity).Draw(t, "rise")
		}
		if worst := worstRatio(exponentialLaw(u, scale), exponentialLaw(v, scale)); worst > general+1e-12 {
			t.Fatalf("log ratio %v, loss %v", worst, general)
		}
		if worst := worstRatio(exponentialLaw(u, scale), exponentialLaw(up, scale)); worst > monotone+1e-12 {
			t.Fatalf("log ratio %v, monotone loss %v", worst, monotone)
		}
	})
	// One utility rises and all others, many, fall: nearly the whole loss.
	u, v := make([]float64, 10_000), make([]float64, 10_000)
	u[0], v[0] = -6, -7
	for i := 1; i < len(v); i++ {
		v[i] = 1
	}
	if worst := worstRatio(exponentialLaw(u, scale), exponentialLaw(v, scale)); worst < 0.99*general {
		t.Errorf("the worst pair has log ratio %v, far below the loss %v", worst, general)
	}
}

func TestExponentialPaysFirst(t *testing.T) {
	m := selection.Exponential{Scale: 2}
	r := generator(0)
	p := &till{refuse: true}
	if _, _, err := m.Select([]float64{1, 2}, r, 3, p.pay); !errors.Is(err, errRefused) {
		t.Errorf("refused payment: %v", err)
	}
	if *r != *generator(0) || len(p.paid) != 1 || p.paid[0] != 3 {
		t.Errorf("numbers are drawn, or paid %v, want [3]", p.paid)
	}
	if _, _, err := m.Select([]float64{1, 2}, r, 3, accept); err != nil || *r == *generator(0) {
		t.Errorf("%v, or no number is drawn", err)
	}
	if i, _, err := (selection.Exponential{}).Select([]float64{1, 4, 4}, r, 1, p.pay); err == nil {
		t.Errorf("chose %d on a refused payment", i)
	}
	if got := p.paid[1]; !math.IsInf(got, 1) {
		t.Errorf("no noise cost %v", got)
	}
	if i, _, err := (selection.Exponential{}).Select([]float64{1, 4, 4}, r, 0, accept); err != nil || i != 1 {
		t.Errorf("without noise: %d, %v, want 1", i, err)
	}
	if got := m.Loss(0); got != (accountant.Loss{}) {
		t.Errorf("utilities that nothing moves cost %v", got)
	}
}

func TestMechanismsRefuse(t *testing.T) {
	good := []float64{1, 2}
	for name, test := range map[string]struct {
		do   func() error
		want string
	}{
		"scale": {func() error {
			_, _, err := selection.Exponential{Scale: -1}.Select(good, generator(0), 1, accept)
			return err
		}, "exponential mechanism: scale -1 is not a finite number >= 0"},
		"nothing": {func() error {
			_, _, err := selection.Exponential{Scale: 1}.Select(nil, generator(0), 1, accept)
			return err
		}, "no candidate to choose from"},
		"infinite": {func() error {
			_, _, err := selection.ReportNoisyMax{Law: selection.LaplaceLaw, Scale: 1}.Select([]float64{0, math.Inf(1)}, generator(0), 1, accept)
			return err
		}, "utility 2 of 2 is +Inf, want a finite number"},
		"law": {func() error {
			_, _, err := selection.ReportNoisyMax{Law: "gumbel", Scale: 1}.Select(good, generator(0), 1, accept)
			return err
		}, `report noisy max: unknown law "gumbel"; known: laplace, exponential`},
		"threshold": {func() error {
			_, err := selection.AboveThreshold{Threshold: math.NaN()}.Arm(generator(0), 1, accept)
			return err
		}, "above threshold: threshold NaN is not a finite number"},
		"query scale": {func() error {
			_, err := selection.AboveThreshold{QueryScale: math.Inf(1)}.Arm(generator(0), 1, accept)
			return err
		}, "above threshold, query: scale +Inf is not a finite number >= 0"},
	} {
		if err := test.do(); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
