package accountant_test

import (
	"math"
	"testing"

	"starling/mechanisms/accountant"
)

// The budgets of ALI-DPFL (its table of steps) at q = 75/5000, sigma = 1.1 and
// delta = 1e-5: printed are the first steps above each budget, except for the
// last row, which fits nothing. The last step within is one less or a few.
func TestStepsOfALIDPFL(t *testing.T) {
	budgets := []float64{1.55, 1.65, 1.75, 1.85, 2, 2.25, 2.5, 2.75, 3.25}
	printed := []int{79, 122, 177, 231, 317, 457, 598, 775, 1123}
	s := accountant.SampledGaussian{Rate: 75.0 / 5000, Noise: 1.1}
	for i, budget := range budgets {
		steps, epsilon, order, err := s.StepsWithin(budget, 1e-5, accountant.RDP)
		if err != nil {
			t.Fatal(err)
		}
		if steps >= printed[i] || printed[i]-steps > 5 || epsilon > budget || order != math.Trunc(order) {
			t.Errorf("budget %v: %d steps of epsilon %v, order %v; printed are %d", budget, steps, epsilon, order, printed[i])
		}
		s.Steps = steps + 1
		if next, _, err := s.Epsilon(1e-5, accountant.RDP); err != nil || next <= budget {
			t.Errorf("budget %v: %d steps have epsilon %v, %v", budget, s.Steps, next, err)
		}
	}
	s.Steps = 79
	if got, order, err := s.Epsilon(1e-5, accountant.RDP); err != nil || math.Abs(got-1.5504) > 5e-5 || order != 10 {
		t.Errorf("79 steps: %v at order %v, %v", got, order, err)
	}
}

// A sharper accountant allows more steps: several times as many where the
// budget is small.
func TestStepsByMethod(t *testing.T) {
	s := accountant.SampledGaussian{Rate: 0.015, Noise: 1.1}
	var last int
	for _, by := range accountant.Methods() {
		steps, epsilon, _, err := s.StepsWithin(1.55, 1e-5, by)
		if err != nil || epsilon > 1.55 || steps <= last {
			t.Errorf("%s: %d steps of epsilon %v, %v; the looser one allows %d", by, steps, epsilon, err, last)
		}
		last = steps
	}
	if last < 4*78 {
		t.Errorf("the sharp accountant allows %d steps", last)
	}
}

func TestStepsBoundaries(t *testing.T) {
	one := accountant.SampledGaussian{Rate: 0.1, Noise: 1}
	if steps, epsilon, order, err := one.StepsWithin(1e-3, 1e-5, accountant.RDP); err != nil || steps != 0 || epsilon != 0 || !math.IsNaN(order) {
		t.Errorf("a small budget allows %d steps of epsilon %v, order %v, %v", steps, epsilon, order, err)
	}
	if steps, _, _, err := (accountant.SampledGaussian{Rate: 0.1}).StepsWithin(1, 1e-5, accountant.PLD); err != nil || steps != 0 {
		t.Errorf("without noise %d steps are allowed, %v", steps, err)
	}
	for name, test := range map[string]struct {
		s             accountant.SampledGaussian
		budget, delta float64
		by            accountant.Method
	}{
		"nothing sampled":  {accountant.SampledGaussian{Noise: 1}, 1, 1e-5, accountant.RDP},
		"hardly sampled":   {accountant.SampledGaussian{Rate: 1e-9, Noise: 1e4}, 1, 1e-5, accountant.RDP},
		"negative budget":  {one, -1, 1e-5, accountant.RDP},
		"infinite budget":  {one, math.Inf(1), 1e-5, accountant.RDP},
		"no delta":         {one, 1, 0, accountant.RDP},
		"unknown method":   {one, 1, 1e-5, "moments"},
		"impossible noise": {accountant.SampledGaussian{Rate: 0.1, Noise: -1}, 1, 1e-5, accountant.RDP},
	} {
		if _, _, _, err := test.s.StepsWithin(test.budget, test.delta, test.by); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	whole := accountant.SampledGaussian{Rate: 1, Noise: 10, Steps: 25}
	want := must[float64](t)(accountant.GaussianEpsilon(2, 1e-5))
	if got, _, err := whole.Epsilon(1e-5, accountant.PLD); err != nil || got != want {
		t.Errorf("25 steps of all data: %v, %v, want %v", got, err, want)
	}
}
