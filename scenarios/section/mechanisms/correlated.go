package mechanisms

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/personal"
	"starling/scenarios/study"
)

// calibration is the method by which noise is calibrated to (epsilon, delta).
type calibration string

// The calibrations.
const (
	calibrateExact calibration = "exact" // the least noise that is private enough
	calibrateZCDP  calibration = "zcdp"  // by the classic conversion, as in the paper
)

// Correlated is the section of a mechanism with noise that is correlated over time, or without
// noise.
type Correlated struct {
	Kind        string              `yaml:"kind,required"`
	Epsilon     document.Epsilon    `yaml:"epsilon" unit:"nats" range:"above 0" doc:"epsilon of a client's datum over the whole run, or none to run without noise; every kind but none needs it, or a multiplier; absent, no noise"`
	Delta       float64             `yaml:"delta" unit:"probability" range:"above 0, below 1" doc:"delta of that; every kind but none needs it; absent, no noise"`
	Multiplier  *float64            `yaml:"multiplier" over:"0" says:"noise multiplier %v" unit:"none" doc:"noise multiplier z, in place of epsilon, of clients that come at most some times: the standard deviation of the noise over the distance by which a vector in one round moves the release, as where the columns of C have norm 1; absent, it follows from epsilon"`
	Calibration calibration         `yaml:"calibration" oneof:"exact zcdp" doc:"how noise is calibrated: exact is the least Gaussian noise that is private enough, zcdp the paper's"`
	Accountant  accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how losses become an epsilon at delta, in the ledger and for budgets: pld is exact, by Gaussian differential privacy; rdp is the classic conversion of zero-concentrated privacy, and rdp-cks a tighter one"`
	Chains      int                 `yaml:"chains" unit:"chains" range:"1 to 64" doc:"autoregressive chains of ar-sum"`
	Bands       int                 `yaml:"bands" unit:"diagonals" range:"1 to the horizon" doc:"nonzero diagonals of C of banded-toeplitz"`
	Buffers     int                 `yaml:"buffers" unit:"sequences" range:"1 to 32" doc:"geometric sequences of blt"`
	Fit         bool                `yaml:"fit" doc:"whether the coefficients of banded-toeplitz and blt minimise the mean error for a record that takes part as often as the algorithm permits; absent, the coefficients of the square root, for one input"`
	Gap         float64             `yaml:"gap" unit:"relative" range:"1e-11 to 1" doc:"relative gap to which optimal and ar-sum find the optimum; absent, 1e-8"`
	Groups      personal.Groups     `yaml:"groups" doc:"nodes with an epsilon of their own, in place of the mechanism's: a list of groups, a file with a line for each node, a law from which they are drawn, or a column of the problem's own data; of a stream and of messages; absent, all nodes have that one"`
	Neighbours  accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"neighbouring data for which epsilon holds, of data that stay in the run: add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent, add-or-remove for data that stay, and replace for a stream"`

	matrix   string                  // the file of a strategy, empty for other kinds
	strategy *factorization.Strategy // once it is loaded
}

// DefaultCorrelated returns the section mechanism of correlated noise with the values
// of keys that are absent.
func DefaultCorrelated() Correlated {
	return Correlated{Calibration: calibrateExact, Accountant: accountant.PLD, Chains: 6, Bands: 64, Buffers: 4}
}

// Private reports whether the mechanism adds noise.
func (s *Correlated) Private() bool { return s.Kind != NoNoise }

// OnStreams implements OnStreams.
func (s *Correlated) OnStreams(section *document.Node) (Correlated, error) {
	if err := errors.Join(s.complete(section), section.Resolve(s.Groups.Check()), s.refuseMultiplier(section)); err != nil || !s.Private() {
		return *s, err
	}
	return *s, section.Resolve(replaced(s.Neighbours))
}

// OfDearest returns the noise of the party with the least noise, and the scales of the noise of
// all parties, from 0, over the scale of that; nil where all are alike.
func (s Correlated) OfDearest(at personal.Site) (Correlated, []float64, error) {
	if !s.Groups.Any() || !s.Private() {
		return s, nil, nil
	}
	epsilon, delta, factors, err := dearestOf(&s.Groups, &at, float64(s.Epsilon), s.levelOf)
	if err != nil {
		return s, nil, err
	}
	if s.Epsilon = document.Epsilon(epsilon); delta > 0 {
		s.Delta = delta
	}
	return s, factors, err
}

// levelOf returns the level of noise with an epsilon, at a delta or with 0 at the section's: the inverse
// of its deviation for a datum of sensitivity 1. It is +Inf without noise.
func (s Correlated) levelOf(epsilon, delta float64) (float64, error) {
	if math.IsInf(epsilon, 1) {
		return epsilon, nil
	}
	if delta > 0 {
		s.Delta = delta
	}
	s.Epsilon = document.Epsilon(epsilon)
	unit, err := s.UnitNoise()
	return 1 / unit, err
}

// complete refuses a section that lacks keys that noise needs, or has epsilon or delta that no
// noise has. Where epsilon is none, it sets the kind of no noise.
func (s *Correlated) complete(section *document.Node) error {
	needed := []string{"epsilon", "delta"}
	if s.Multiplier != nil {
		if _, given := section.Get("epsilon"); given {
			return section.Resolve(document.At("multiplier", "noise of a multiplier has the epsilon that follows; leave this or epsilon out"))
		}
		needed = needed[1:]
	}
	var missing document.Issues
	for _, key := range needed {
		if _, given := section.Get(key); !given {
			missing = append(missing, section.Issuef("missing required key %q", key))
		}
	}
	if missing != nil {
		return missing.Err()
	}
	if s.Multiplier != nil {
		return section.Resolve(s.checkDelta())
	}
	if math.IsInf(float64(s.Epsilon), 1) {
		s.Kind = NoNoise
		return nil
	}
	_, err := s.UnitNoise()
	return section.Resolve(err)
}

// Correlates implements OnSums.
func (*Correlated) Correlates() bool { return true }

// OnSums implements OnSums: all sums of a run have one loss together.
func (s *Correlated) OnSums(section *document.Node) (Sums, error) {
	err := errors.Join(s.complete(section), section.Resolve(refuseGroups(&s.Groups)))
	sums := wholeSums(s.Kind, s.Delta, s.Neighbours, s.Accountant)
	if err != nil || !s.Private() {
		return sums, err
	}
	sums.Correlated = s
	if s.Multiplier != nil {
		return sums, nil
	}
	unit, err := s.UnitNoise()
	sums.Unit = sums.moves() * unit
	return sums, section.Resolve(err)
}

// Independent is the section of independent Gaussian noise on every input of a stream or every
// message. The noise is as strong as makes all of a run together (epsilon, delta)-private.
type Independent struct {
	Correlated `yaml:",inline"`
	OverTime   *OverTime `yaml:"over_time" doc:"an epsilon that changes in the course of a run; absent, it stays"`
}

// OnStreams implements OnStreams.
func (s *Independent) OnStreams(section *document.Node) (Correlated, error) {
	c, err := s.Correlated.OnStreams(section)
	return c, errors.Join(err, section.Resolve(s.OverTime.refuse()))
}

// OnSums implements OnSums.
func (s *Independent) OnSums(section *document.Node) (Sums, error) {
	sums, err := s.Correlated.OnSums(section)
	return sums, errors.Join(err, section.Resolve(s.OverTime.refuse()))
}

// Law implements OnMessages.
func (*Independent) Law() noise.Law { return noise.GaussianLaw }

// OnMessages implements OnMessages.
func (s *Independent) OnMessages(section *document.Node) (Additive, error) {
	c, err := s.Correlated.OnStreams(section)
	a := Additive{Calibration: noise.Calibration{Law: noise.GaussianLaw, Level: math.Inf(1)}, Whole: true, Schedule: noise.Shifted}
	if err != nil {
		return a, err
	}
	a.Epsilon, a.Delta, a.Accountant = float64(c.Epsilon), c.Delta, c.Accountant
	a.Calibration.Level, err = c.levelOf(a.Epsilon, 0)
	return a, section.Resolve(errors.Join(err, a.vary(&Varied{s.Groups, s.OverTime}, c.levelOf)))
}

// UnitNoise returns the standard deviation of noise that protects a datum of sensitivity 1 in
// 2-norm.
func (s *Correlated) UnitNoise() (float64, error) {
	if !(s.Epsilon > 0) {
		return 0, document.At("epsilon", "epsilon = %v; it must be a number > 0", s.Epsilon)
	}
	if err := s.checkDelta(); err != nil {
		return 0, err
	}
	return unitNoise(float64(s.Epsilon), s.Delta, s.Calibration == calibrateZCDP)
}

// checkDelta refuses a delta that no noise has.
func (s *Correlated) checkDelta() error {
	if !(s.Delta > 0) || s.Delta >= 1 {
		return document.At("delta", "delta = %v; it must be a number > 0 and < 1", s.Delta)
	}
	return nil
}

// refuseMultiplier refuses a multiplier where data do not come at most some times.
func (s *Correlated) refuseMultiplier(section *document.Node) error {
	if s.Multiplier == nil {
		return nil
	}
	return section.Resolve(document.At("multiplier", "a multiplier is for clients of a trusted server that come at most some times; want epsilon"))
}

// Options returns the options of the factorization over a number of inputs.
func (s *Correlated) Options(inputs int) factorization.Options {
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
	case factorization.Own:
		o.Strategy = s.strategy
	}
	if s.Fit { // the participation is known to the algorithm only
		o.Fit = factorization.Once
	}
	return o
}

// Check refuses options that cannot be factorised, and streams that do not fit in memory,
// without factorising.
func (s *Correlated) Check(inputs, learners, dim int) error {
	o := s.Options(inputs)
	if err := o.Validate(); err != nil {
		return fmt.Errorf("factorization %s: %w", s.Kind, err)
	}
	return checkStreams(o.MemoryPerCoordinate(), learners, dim)
}

// Numbers returns about the count of numbers that the streams of so many parties keep, with
// the factorization and the memory of the search for it.
func (s *Correlated) Numbers(inputs, parties, dim int) float64 {
	o := s.Options(inputs)
	perCoordinate := o.MemoryPerCoordinate()
	numbers := limits.Product(perCoordinate, parties, dim) + float64(o.Bytes()/8)
	switch o.Kind {
	case factorization.Optimal, factorization.ARSum:
		return numbers + limits.Product(2*perCoordinate, o.N)
	}
	return numbers + limits.Product(2, o.N)
}

// factorized is a factorization, or the error of making it.
type factorized struct {
	factorization *factorization.Factorization
	err           error
}

// Factorizer returns a function that makes the factorization of a mechanism, with its section,
// over a number of inputs, for the streams of so many parties of vectors of length dim. in is
// the participation of a record in the inputs. The factorization is made once for all arms and
// seeds, as long as the scenario is kept. Runs may call the function at the same time. It
// returns the errors of Check at once, and the function those that need the factorization.
func Factorizer(b *study.Builder, section *document.Node, s *Correlated, inputs int, in factorization.Participation, parties, dim int) (func() (*factorization.Factorization, error), error) {
	if err := s.load(b, section); err != nil {
		return nil, err
	}
	if err := section.Resolve(s.Check(inputs, parties, dim)); err != nil {
		return nil, err
	}
	o, memo := s.Options(inputs), study.RunMemo[factorization.Options, factorized](b)
	if s.Fit {
		o.Fit = in.Within(inputs)
	}
	return func() (*factorization.Factorization, error) {
		made := memo.Get(o, func() factorized {
			notice := b.Board.Begin(fmt.Sprintf("factorization %s of %d steps", o.Kind, o.N))
			defer notice.End()
			f, err := factorization.Build(o, func(p factorization.Progress) error {
				notice.Tell(p.String())
				return nil
			})
			return factorized{f, err}
		})
		if made.err != nil {
			return nil, section.Resolve(made.err)
		}
		return made.factorization, section.Resolve(checkStreams(made.factorization.MemoryPerCoordinate(), parties, dim))
	}, nil
}

// mostStreamNumbers is the largest count of numbers that the streams of all learners may keep.
const mostStreamNumbers = 1 << 29

// checkStreams refuses a mechanism with streams that do not fit in memory.
func checkStreams(perCoordinate, learners, dim int) error {
	if n := limits.Product(perCoordinate, learners, dim); n > mostStreamNumbers {
		return document.At("kind", "the streams of %d learners in %d dimensions keep %.3g numbers, %d a coordinate; want at most %d: take ar-sum, or a tree",
			learners, dim, n, perCoordinate, mostStreamNumbers)
	}
	return nil
}

// SensitivityRule is the assumption on the sensitivity of an input of the mechanism to one
// datum.
type SensitivityRule string

// The rules.
const (
	SensitivityBound  SensitivityRule = "bound"  // 2 B_g: nothing but the gradient bound
	SensitivityConvex SensitivityRule = "convex" // version 1: 2 B_g/tau, for convex smooth losses with eta <= 2/L
)
