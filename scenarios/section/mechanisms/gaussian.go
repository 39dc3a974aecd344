package mechanisms

import (
	"errors"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
)

// gaussianCalibration is the method by which the noise of a release follows from (epsilon,
// delta).
type gaussianCalibration string

// The calibrations of a release.
const (
	calibrateAnalytic gaussianCalibration = "analytic" // the least noise: Balle, Wang 2018, algorithm 1
	calibrateByZCDP   gaussianCalibration = "zcdp"     // by the classic conversion of zCDP
)

// Gaussian is the section of Gaussian noise where every release has a loss of its own.
type Gaussian struct {
	Kind        string              `yaml:"kind,required"`
	Epsilon     document.Epsilon    `yaml:"epsilon,required" example:"1" unit:"nats" doc:"epsilon of a release, above 0, or none to run without noise"`
	Delta       float64             `yaml:"delta,required" example:"1e-5" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta of a release, between 0 and 1, at which losses are stated where the budget names no delta"`
	Calibration gaussianCalibration `yaml:"calibration" oneof:"analytic zcdp" doc:"how noise is calibrated to a release: analytic is the least noise that is private enough, zcdp follows the classic conversion of zero-concentrated privacy"`
	Accountant  accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how losses become an epsilon at delta, in the ledger and for budgets: pld is exact, by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated privacy, and rdp-cks a tighter one"`
	Neighbours  accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"neighbouring data for which losses hold, of data that stay in the run: add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent, add-or-remove for data that stay, and replace for a stream"`
	Varied      Varied              `yaml:",inline"`
}

// DefaultGaussian returns the section mechanism of Gaussian noise with the values of
// keys that are absent.
func DefaultGaussian() Gaussian {
	return Gaussian{Calibration: calibrateAnalytic, Accountant: accountant.PLD}
}

// Law implements OnMessages.
func (*Gaussian) Law() noise.Law { return noise.GaussianLaw }

// OnMessages implements OnMessages. The schedule is noise.Shifted: noise follows the true
// sensitivity of a release.
func (s *Gaussian) OnMessages(section *document.Node) (Additive, error) {
	level, err := s.levelOf(float64(s.Epsilon), 0)
	a := Additive{
		Calibration: noise.Calibration{Law: noise.GaussianLaw, Level: level}, Schedule: noise.Shifted,
		Epsilon: float64(s.Epsilon), Delta: s.Delta, Accountant: s.Accountant,
	}
	return a, section.Resolve(errors.Join(err, a.vary(&s.Varied, s.levelOf), replaced(s.Neighbours)))
}

// Correlates implements OnSums.
func (*Gaussian) Correlates() bool { return false }

// OnSums implements OnSums: every sum has a loss of its own.
func (s *Gaussian) OnSums(section *document.Node) (Sums, error) {
	sums := wholeSums(s.Kind, s.Delta, s.Neighbours, s.Accountant)
	level, err := s.levelOf(float64(s.Epsilon), 0)
	level = s.Varied.reference(level)
	if sums.Sigma = sums.moves() / level; math.IsInf(level, 1) {
		sums.Kind = NoNoise
	}
	return sums, section.Resolve(errors.Join(err, sums.vary(&s.Varied, float64(s.Epsilon), level, s.levelOf)))
}

// levelOf returns mu of a release of an epsilon, at a delta or with 0 at the section's.
func (s *Gaussian) levelOf(epsilon, delta float64) (float64, error) {
	if math.IsInf(epsilon, 1) {
		return epsilon, nil
	}
	if delta == 0 {
		delta = s.Delta
	}
	unit, err := unitNoise(epsilon, delta, s.Calibration == calibrateByZCDP)
	return 1 / unit, err
}
