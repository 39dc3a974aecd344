package mechanisms

import (
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// Noise that is for all releases of a run costs what it is calibrated to once all are made,
// by the exact epsilon of that many Gaussian releases, and a release less or more does not.
func TestWholeRunsAreCalibrated(t *testing.T) {
	const epsilon, delta = 1.5, 1e-4
	unit, err := accountant.GaussianSigma(epsilon, delta)
	if err != nil {
		t.Fatal(err)
	}
	a := Additive{Calibration: noise.Calibration{Law: noise.GaussianLaw, Level: 1 / unit}, Whole: true}
	for _, releases := range []int{1, 2, 7, 1000} {
		c := a.Over(releases)
		for _, extra := range []int{-1, 0, 1} {
			var total accountant.Total
			total.AddTimes(c.Fit(noise.Moves{L1: 9, L2: 3}).Loss(noise.Moves{L1: 9, L2: 3}), releases+extra)
			got, err := total.Epsilon(delta, accountant.PLD)
			if err != nil || math.Signbit(got-epsilon*(1-1e-9)) != (extra < 0) || (got > epsilon*(1+1e-9)) != (extra > 0) {
				t.Errorf("%d releases of a run of %d cost %v (%v), and all %v", releases+extra, releases, got, err, epsilon)
			}
		}
	}
}
