package mechanisms

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
)

// Additive is independent noise on every release of an algorithm that says how far
// neighbouring data move its releases.
type Additive struct {
	Calibration noise.Calibration
	// Whole tells that the calibration is for all releases of a run together.
	Whole    bool
	Schedule noise.Schedule // of what a release moves, from which its noise is taken
	// Epsilon is that of a release by the section, of all together where Whole; +Inf is no
	// noise.
	Epsilon float64
	// Delta is where the section states losses; 0 where it states epsilon alone.
	Delta float64
	// Accountant is how losses become an epsilon.
	Accountant accountant.Method
}

// Over is the calibration of a release of a run with so many. Releases of mu_1, mu_2, ..
// cost sqrt(mu_1^2 + mu_2^2 + ..) together, also where later ones are chosen in view of
// earlier ones (Dong, Roth, Su 2022, corollary 3.3).
func (a *Additive) Over(releases int) noise.Calibration {
	c := a.Calibration
	if a.Whole {
		c.Level /= math.Sqrt(float64(max(1, releases)))
	}
	return c
}

// replaced refuses neighbours that data of which there is one a step do not have.
func replaced(neighbours accountant.Relation) error {
	if neighbours == accountant.AddOrRemove {
		return document.At("neighbours", "%s is for data that stay; this algorithm meets one a step, which is replaced", neighbours)
	}
	return nil
}

// unitNoise is the standard deviation that protects what moves by 1 in 2-norm, the
// least one or that of the classic conversion of zCDP.
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
