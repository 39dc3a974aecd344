package noise_test

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// The noise has the epsilon that is asked for, and a little less noise has more; of a sample
// that holds everything it is that of the Gaussian mechanism.
func TestCalibrateSampled(t *testing.T) {
	for _, test := range []struct {
		rate    float64
		steps   int
		epsilon float64
		by      accountant.Method
	}{{0.5, 4, 1, accountant.PLD}, {0.01, 1000, 0.5, accountant.RDP}, {0.1, 10, 20, accountant.RDPCKS}, {0.01, 1, 50, accountant.RDP}, {1, 9, 3, accountant.PLD}} {
		s, err := noise.CalibrateSampled(accountant.SampledGaussian{Rate: test.rate, Steps: test.steps}, test.epsilon, 1e-5, test.by)
		if err != nil {
			t.Fatal(err)
		}
		epsilon, _, err := s.Epsilon(1e-5, test.by)
		less := s
		less.Noise *= 1 - 1e-5
		more, _, failed := less.Epsilon(1e-5, test.by)
		if err != nil || failed != nil || !(epsilon <= test.epsilon && more > test.epsilon) && s.Noise > 0.05 {
			t.Errorf("%+v: %+v has epsilon %v, with less noise %v", test, s, epsilon, more)
		}
		if test.rate == 1 {
			unit, err := accountant.GaussianSigma(test.epsilon, 1e-5)
			if err != nil || math.Abs(s.Noise/(unit*3)-1) > 1e-5 {
				t.Errorf("noise %v, want %v, %v", s.Noise, unit*3, err)
			}
		}
	}
	for _, epsilon := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := noise.CalibrateSampled(accountant.SampledGaussian{Rate: 0.5, Steps: 1}, epsilon, 1e-5, accountant.PLD); err == nil {
			t.Errorf("epsilon %v is accepted", epsilon)
		}
	}
}

// halved is the scale by doubling and halving alone, which asks for every epsilon.
func halved(t *testing.T, s accountant.SampledGaussian, epsilon float64, by accountant.Method) float64 {
	t.Helper()
	enough := func(noise float64) bool {
		s.Noise = noise
		found, _, err := s.Epsilon(1e-5, by)
		if err != nil {
			t.Fatal(err)
		}
		return found <= epsilon
	}
	low, high := 0.5, 1.0
	for !enough(high) {
		low, high = high, 2*high
	}
	for low > 0.05 && enough(low) {
		low, high = low/2, low
	}
	for high > low*(1+1e-6) {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// The secant rule spares evaluations, and changes no bit of the scale.
func TestCalibrateSampledByHalving(t *testing.T) {
	for _, test := range []struct {
		rate    float64
		steps   int
		epsilon float64
		by      accountant.Method
	}{
		{0.01, 40, 0.3, accountant.RDP}, {0.3, 1, 30, accountant.RDP}, {1, 40, 2, accountant.RDP},
		{0.3, 40, 2, accountant.RDPCKS}, {0.01, 1, 2, accountant.PLD}, {1, 1, 2, accountant.PLD},
	} {
		of := accountant.SampledGaussian{Rate: test.rate, Steps: test.steps}
		s, err := noise.CalibrateSampled(of, test.epsilon, 1e-5, test.by)
		if want := halved(t, of, test.epsilon, test.by); err != nil || s.Noise != want {
			t.Errorf("%+v: noise %v, want %v, %v", test, s.Noise, want, err)
		}
	}
}

// The least multiplier costs almost what is allowed, with a rough estimate of costs and without.
// A rough estimate that is wrong, or fails, changes the number of calls alone. An epsilon that no
// noise has is refused with the nearest one that some noise has.
func TestLeastMultiplier(t *testing.T) {
	calls := 0
	costs := func(multiplier float64) (float64, error) {
		calls++
		return 0.2 + 3/multiplier + 1/(multiplier*multiplier), nil
	}
	for _, epsilon := range []float64{0.21, 1, 8, 400} {
		most := math.Inf(1)
		for name, rough := range map[string]noise.Costs{
			"none": nil, "near": func(m float64) (float64, error) { return 0.3 + 3.1/m + 1/(m*m), nil },
			"far": func(m float64) (float64, error) { return 1e3 / m, nil }, "faulty": func(float64) (float64, error) { return 0, errors.New("no estimate") },
		} {
			calls = 0
			got, err := noise.LeastMultiplier(epsilon, costs, rough)
			if at, _ := costs(got); err != nil || !(at <= epsilon && at >= epsilon*(1-1e-5)) {
				t.Errorf("epsilon %v, estimate %s: %v costs %v, %v", epsilon, name, got, at, err)
			}
			if name == "near" {
				most = float64(calls)
			}
		}
		if epsilon >= 1 && most > 8 { // the estimate of the others is above them
			t.Errorf("epsilon %v: %v calls", epsilon, most)
		}
	}
	for epsilon, want := range map[float64]string{0.1: "no noise has an epsilon of 0.1; the least is 0.200003", 1e4: "an epsilon of 10000 needs a noise multiplier below 0.05; the largest is 460.2"} {
		var unreachable noise.UnreachableError
		if _, err := noise.LeastMultiplier(epsilon, costs, nil); !errors.As(err, &unreachable) || err.Error() != want {
			t.Errorf("epsilon %v: %v, want %s", epsilon, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := noise.LeastMultiplier(1, func(float64) (float64, error) { return 0, broken }, nil); !errors.Is(err, broken) {
		t.Errorf("costs that fail: %v", err)
	}
}
