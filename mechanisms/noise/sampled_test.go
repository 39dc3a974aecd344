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
