package scenarios

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
)

// calibration is how noise is calibrated to (epsilon, delta).
type calibration string

// The calibrations.
const (
	calibrateExact calibration = "exact" // the least noise that is private enough
	calibrateZCDP  calibration = "zcdp"  // by the classic conversion, as the paper has it
)

func calibrations() []calibration { return []calibration{calibrateExact, calibrateZCDP} }

// correlatedSection is a mechanism with noise that is correlated over time, or
// that says that there is none.
type correlatedSection struct {
	Kind        string      `yaml:"kind,required"`
	Epsilon     float64     `yaml:"epsilon" doc:"epsilon of what a client's datum may cost over the whole run, above 0; every kind but none needs it"`
	Delta       float64     `yaml:"delta" doc:"delta of that, between 0 and 1; every kind but none needs it"`
	Calibration calibration `yaml:"calibration" doc:"how noise is calibrated: exact is the least Gaussian noise that is private enough, zcdp the paper's"`
	Chains      int         `yaml:"chains" doc:"autoregressive chains of ar-sum"`
	Bands       int         `yaml:"bands" doc:"nonzero diagonals of C of banded-toeplitz"`
	Buffers     int         `yaml:"buffers" doc:"geometric sequences of blt"`
	Gap         float64     `yaml:"gap" doc:"relative gap to which optimal and ar-sum find the optimum; absent, 1e-8"`
}

func defaultCorrelated() correlatedSection {
	return correlatedSection{Calibration: calibrateExact, Chains: 6, Bands: 64, Buffers: 4}
}

// private tells whether the mechanism adds noise.
func (s *correlatedSection) private() bool { return s.Kind != noNoise }

// noNoise is the kind of no mechanism.
const noNoise = "none"

func decodeCorrelated(section *document.Node) (correlatedSection, error) {
	s := defaultCorrelated()
	if err := document.Decode(section, &s); err != nil {
		return s, err
	}
	if s.Calibration != calibrateExact && s.Calibration != calibrateZCDP {
		return s, section.Resolve(document.At("calibration", "unknown value %q; known: exact, zcdp", s.Calibration))
	}
	if !s.private() {
		return s, nil
	}
	var missing document.Issues
	for _, key := range []string{"epsilon", "delta"} {
		if _, given := section.Get(key); !given {
			missing = append(missing, section.Issuef("missing required key %q", key))
		}
	}
	if missing != nil {
		return s, missing.Err()
	}
	_, err := s.unitNoise()
	return s, section.Resolve(err)
}

// correlatedBuilder reads a mechanism of noise that is correlated over time.
type correlatedBuilder = func(section *document.Node) (correlatedSection, error)

// unitNoise is the standard deviation that protects what one datum moves by 1
// in 2-norm.
func (s *correlatedSection) unitNoise() (float64, error) {
	if !(s.Epsilon > 0) {
		return 0, document.At("epsilon", "epsilon = %v; it must be a number > 0", s.Epsilon)
	}
	if !(s.Delta > 0) || s.Delta >= 1 {
		return 0, document.At("delta", "delta = %v; it must be a number > 0 and < 1", s.Delta)
	}
	var unit float64
	var err error
	if s.Calibration == calibrateZCDP {
		var rho float64
		rho, err = accountant.RhoOf(s.Epsilon, s.Delta)
		unit = accountant.SigmaOfRho(rho)
	} else {
		unit, err = accountant.GaussianSigma(s.Epsilon, s.Delta)
	}
	if err != nil {
		return 0, document.At("epsilon", "%v", err)
	}
	return unit, nil
}

// options are those of the factorization over a number of inputs.
func (s *correlatedSection) options(inputs int) factorization.Options {
	o := factorization.Options{Kind: factorization.Kind(s.Kind), N: inputs}
	switch o.Kind {
	case factorization.ARSum:
		o.Chains, o.Gap = s.Chains, s.Gap
	case factorization.Optimal:
		o.Gap = s.Gap
	case factorization.BandedToeplitz:
		o.Bands = min(s.Bands, inputs)
	case factorization.BLT:
		o.Buffers = s.Buffers
	}
	return o
}

// check refuses what cannot be factorised, and streams that do not fit, without
// factorising.
func (s *correlatedSection) check(inputs, learners, dim int) error {
	o := s.options(inputs)
	if err := o.Validate(); err != nil {
		return fmt.Errorf("factorization %s: %w", s.Kind, err)
	}
	return checkStreams(o.MemoryPerCoordinate(), learners, dim)
}

// factorized is a factorization, or why there is none.
type factorized struct {
	factorization *factorization.Factorization
	err           error
}

// factorization is that of a mechanism over a number of inputs, made once for all
// arms and seeds, as long as the scenario is kept.
func (b *builder) factorization(s *correlatedSection, inputs int) (*factorization.Factorization, error) {
	o := s.options(inputs)
	made := runMemo[factorization.Options, factorized](b).Get(o, func() factorized {
		f, err := factorization.New(o)
		return factorized{f, err}
	})
	return made.factorization, made.err
}

// mostStreamNumbers is how many numbers the streams of all learners may keep.
const mostStreamNumbers = 1 << 29

// checkStreams refuses a mechanism whose streams do not fit.
func checkStreams(perCoordinate, learners, dim int) error {
	if n := product(perCoordinate, learners, dim); n > mostStreamNumbers {
		return document.At("kind", "the streams of %d learners in %d dimensions keep %.3g numbers, %d a coordinate; want at most %d: take ar-sum, or a tree",
			learners, dim, n, perCoordinate, mostStreamNumbers)
	}
	return nil
}
