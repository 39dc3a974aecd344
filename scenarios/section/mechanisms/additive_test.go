package mechanisms

import (
	"math"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
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

// lawless is a mechanism that asks for noise of a law and at a level.
type lawless struct{ noise.Calibration }

func (l lawless) Law() noise.Law { return l.Calibration.Law }

func (l lawless) OnMessages(*document.Node) (Additive, error) {
	return Additive{Calibration: l.Calibration}, nil
}

// A mechanism that asks for noise without a law, or at no level, is refused at its kind.
func TestNoiseWithoutALawIsRefused(t *testing.T) {
	doc, err := document.Parse("study.yaml", []byte("mechanism:\n  kind: own\n"))
	if err != nil {
		t.Fatal(err)
	}
	section, _ := doc.Find("mechanism")
	for want, asked := range map[string]noise.Calibration{
		"study.yaml:2:9: mechanism.kind: noise without a law":                       {Level: 1},
		"study.yaml:2:9: mechanism.kind: noise at level 0; want a number above 0":   {Law: noise.LaplaceLaw},
		"study.yaml:2:9: mechanism.kind: noise at level NaN; want a number above 0": {Law: noise.LaplaceLaw, Level: math.NaN()},
		"": {Law: noise.LaplaceLaw, Level: 2},
	} {
		if _, err := AdditiveOf(lawless{asked}, section); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%+v: %v; want %q", asked, err, want)
		}
	}
}
