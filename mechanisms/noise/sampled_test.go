package noise_test

import (
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
