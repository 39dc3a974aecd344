package mechanisms

import (
	"errors"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// Additive is independent noise on every release of an algorithm. The algorithm states the
// sensitivity of its releases.
type Additive struct {
	Calibration noise.Calibration
	// Whole is true if the calibration is for all releases of a run together.
	Whole    bool
	Schedule noise.Schedule // of the sensitivity that scales the noise of a release
	// Epsilon is the section's epsilon of a release, or of all releases together if Whole is
	// true; +Inf means no noise.
	Epsilon float64
	// Delta is the delta at which the section states losses; 0 where it states epsilon alone.
	Delta float64
	// Accountant is the method by which losses become an epsilon.
	Accountant accountant.Method
	// varied are the keys of noise that varies, nil where it does not, and levelOf returns the
	// level of an epsilon.
	varied  *Varied
	levelOf leveller
}

// vary sets the keys of noise that varies.
func (a *Additive) vary(v *Varied, levelOf leveller) error {
	if !v.any() {
		return nil
	}
	err := v.check(a.Epsilon)
	if a.Calibration.Private() || v.Groups.Private() { // else there is no noise to vary, in a grid that ends with none
		a.varied, a.levelOf = v, levelOf
	}
	if !a.Calibration.Private() && v.Groups.Private() {
		a.Calibration.Level = 1 // of no node: Levels has the level of each
	}
	return err
}

// Varies reports whether noise differs between nodes or over time.
func (a *Additive) Varies() bool { return a.varied != nil }

// OfDearest returns the noise of the party with the least noise, and the scales of the noise of
// all parties, from 0, over the scale of that; nil where all are alike. It refuses noise that changes
// over time.
func (a Additive) OfDearest(at personal.Site) (Additive, []float64, error) {
	v := a.varied
	switch {
	case v == nil:
		return a, nil, nil
	case v.OverTime != nil:
		return a, nil, at.Section.Resolve(v.OverTime.refuse())
	}
	epsilon, delta, factors, err := dearestOf(&v.Groups, &at, a.Epsilon, a.levelOf)
	if err != nil {
		return a, nil, err
	}
	a.Epsilon = epsilon
	a.Calibration.Level, err = a.levelOf(epsilon, delta)
	return a, factors, err
}

// AdditiveOf reads the noise of a section that has been decoded. It refuses noise without a law
// or at no level, which a mechanism from outside the catalog may ask for, and noise that varies.
func AdditiveOf(m OnMessages, section *document.Node) (Additive, error) {
	a, err := VariedOf(m, section)
	if a.varied != nil {
		err = errors.Join(err, a.varied.refuse(section))
	}
	return a, err
}

// VariedOf is AdditiveOf where noise may differ between nodes and over time; see Levels.
func VariedOf(m OnMessages, section *document.Node) (Additive, error) {
	a, err := m.OnMessages(section)
	if err != nil {
		return a, err
	}
	if err := a.Calibration.Validate(); err != nil {
		return a, section.Resolve(document.At("kind", "%v", err))
	}
	return a, nil
}

// Over returns the calibration of one release of a run with so many releases. Releases of
// mu_1, mu_2, .. cost sqrt(mu_1^2 + mu_2^2 + ..) together, also where later ones are chosen in
// view of earlier ones (Dong, Roth, Su 2022, corollary 3.3).
func (a *Additive) Over(releases int) noise.Calibration {
	c := a.Calibration
	if a.Whole {
		c.Level /= math.Sqrt(float64(max(1, releases)))
	}
	return c
}

// replaced refuses the relation of neighbours that does not exist for data with one datum a
// step.
func replaced(neighbours accountant.Relation) error {
	if neighbours == accountant.AddOrRemove {
		return document.At("neighbours", "%s is for data that stay; this algorithm meets one a step, which is replaced", neighbours)
	}
	return nil
}

// unitNoise returns the standard deviation of noise that protects a release of sensitivity 1
// in 2-norm: the least one, or the one of the classic conversion of zCDP.
func unitNoise(epsilon, delta float64, zcdp bool) (unit float64, err error) {
	if zcdp {
		var rho float64
		rho, err = accountant.RhoOf(epsilon, delta)
		unit = accountant.SigmaOfRho(rho)
	} else {
		unit, err = accountant.GaussianSigma(epsilon, delta)
	}
	if err != nil {
		return 0, document.At("epsilon", "%v", err)
	}
	return unit, nil
}
