package mechanisms

import (
	"errors"
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

// AdditiveBuilder reads a mechanism of independent noise.
type AdditiveBuilder = func(section *document.Node) (Additive, error)

// ReadAdditive is what a builder makes of a section. A law of noise that algorithms do not know
// by name is refused: they would take it for one that they know.
func ReadAdditive(build AdditiveBuilder, section *document.Node) (Additive, error) {
	a, err := build(section)
	if err != nil {
		return a, err
	}
	if err := a.Calibration.Validate(); err != nil {
		return a, section.Resolve(document.At("kind", "%v", err))
	}
	return a, nil
}

// gaussianCalibration is how the noise of a release follows from (epsilon, delta).
type gaussianCalibration string

// The calibrations of a release.
const (
	calibrateAnalytic gaussianCalibration = "analytic" // the least noise: Balle, Wang 2018, algorithm 1
	calibrateByZCDP   gaussianCalibration = "zcdp"     // by the classic conversion of zCDP
)

// Gaussian is the section of Gaussian noise that every release pays for by itself.
type Gaussian struct {
	Kind        string              `yaml:"kind,required"`
	Epsilon     document.Epsilon    `yaml:"epsilon,required" unit:"nats" doc:"epsilon of a release, above 0, or none to run without noise"`
	Delta       float64             `yaml:"delta,required" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta of a release, between 0 and 1, at which losses are stated where the budget names no delta"`
	Calibration gaussianCalibration `yaml:"calibration" oneof:"analytic zcdp" doc:"how noise is calibrated to a release: analytic is the least noise that is private enough, zcdp follows the classic conversion of zero-concentrated privacy"`
	Accountant  accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how losses become an epsilon at delta, in the ledger and for budgets: pld is exact, by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated privacy, and rdp-cks a tighter one"`
	Neighbours  accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"data that losses are for, where they stay: add-or-remove, the usual, or replace; data of which there is one a step are replaced; absent, add-or-remove of data that stay, replace of a stream"`
}

// DefaultGaussian returns the section mechanism of Gaussian noise with the values of
// keys that are absent.
func DefaultGaussian() Gaussian {
	return Gaussian{Calibration: calibrateAnalytic, Accountant: accountant.PLD}
}

// BuildGaussian is an AdditiveBuilder. Noise follows what a release really moves.
func BuildGaussian(section *document.Node) (Additive, error) {
	s := DefaultGaussian()
	a := Additive{Calibration: noise.Calibration{Law: noise.GaussianLaw}, Schedule: noise.Shifted}
	if err := document.Decode(section, &s); err != nil {
		return a, err
	}
	a.Epsilon, a.Delta, a.Accountant = float64(s.Epsilon), s.Delta, s.Accountant
	var err error
	a.Calibration.Level, err = s.level()
	return a, section.Resolve(errors.Join(err, replaced(s.Neighbours)))
}

// level is mu of a release.
func (s *Gaussian) level() (float64, error) {
	epsilon := float64(s.Epsilon)
	if math.IsInf(epsilon, 1) {
		return epsilon, nil
	}
	unit, err := unitNoise(epsilon, s.Delta, s.Calibration == calibrateByZCDP)
	return 1 / unit, err
}

// BuildIndependent is an AdditiveBuilder: Gaussian noise on every release, as much as
// has all of a run cost epsilon and delta together.
func BuildIndependent(section *document.Node) (Additive, error) {
	a := Additive{Calibration: noise.Calibration{Law: noise.GaussianLaw}, Whole: true, Schedule: noise.Shifted}
	s, err := DecodeCorrelated(section)
	if err != nil {
		return a, err
	}
	a.Epsilon, a.Delta, a.Accountant, a.Calibration.Level = float64(s.Epsilon), s.Delta, s.Accountant, math.Inf(1)
	if !s.Private() {
		return a, nil
	}
	unit, err := s.UnitNoise()
	a.Calibration.Level = 1 / unit
	return a, section.Resolve(err)
}

// NormalBuilder is an AdditiveBuilder whose noise, if there is any, is Gaussian.
type NormalBuilder func(section *document.Node) (Additive, error)

// NoneBuilder reads the section of no noise, for those who take nothing else.
type NoneBuilder func(section *document.Node) (Additive, error)

// BuildNoAdditive is an AdditiveBuilder of no noise. A sweep that takes the noise away
// leaves what it was, with the calibration of any kind of noise.
func BuildNoAdditive(section *document.Node) (Additive, error) {
	var unused struct {
		Kind        string           `yaml:"kind,required"`
		Epsilon     document.Epsilon `yaml:"epsilon"`
		Delta       float64          `yaml:"delta"`
		Calibration string           `yaml:"calibration"`
		Chains      int              `yaml:"chains"`
		Bands       int              `yaml:"bands"`
		Buffers     int              `yaml:"buffers"`
		Gap         float64          `yaml:"gap"`
		Fit         bool             `yaml:"fit"`
		Neighbours  string           `yaml:"neighbours"`
		Accountant  string           `yaml:"accountant"`
	}
	err := document.Decode(section, &unused)
	return Additive{Calibration: noise.Calibration{Law: noise.LaplaceLaw, Level: math.Inf(1)}, Schedule: noise.Shifted, Epsilon: math.Inf(1), Accountant: accountant.PLD}, err
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
