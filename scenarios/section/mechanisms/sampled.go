package mechanisms

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// Sampled is the mechanism section of DP-SGD. It has either sigma or epsilon.
type Sampled struct {
	Kind       string              `yaml:"kind,required"`
	Sigma      *float64            `yaml:"sigma" or:"epsilon" over:"0" says:"noise multiplier sigma = %v" unit:"clipping norms" doc:"noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I); absent, the least one with the epsilon"`
	Epsilon    *document.Epsilon   `yaml:"epsilon" unit:"nats" range:"above 0" doc:"epsilon of a whole run at delta, as the ledger states it, for which the noise multiplier is found; or none to run without noise; absent, it follows from sigma"`
	Delta      float64             `yaml:"delta,required" example:"1e-5" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses are stated, between 0 and 1"`
	Neighbours accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"neighbouring data for which losses hold: add-or-remove, a sample of a client is added or removed; replace, a sample is replaced, which costs more, and for which the accountant pld is sharp"`
	Accountant accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions, tight"`
	Groups     personal.Groups     `yaml:"groups" doc:"clients with an epsilon of their own in the whole run, where a trusted server adds noise of multiplier sigma: a list of groups, a file with a line for each client, a law from which they are drawn, or a column of the problem's own data; needs by; absent, the values of the algorithm decide"`
	Sigmas     personal.Values     `yaml:"sigmas" doc:"noise multipliers of single clients in place of sigma, where clients protect their samples by noise of their own: a list of groups, a file with a line for each client, a law from which they are drawn, or a column of the problem's own data; needs level: record; absent, all have sigma"`
	By         By                  `yaml:"by" oneof:"rate clip filter" doc:"the value that is found for the epsilon of each group, the largest one: rate, the sampling rate of the client; clip, the bound on its vectors, at the same noise, also of sums of Gaussian shares that hide clients; filter, the rho of its individual filter; needed by groups, and only there; absent, none"`
}

// By is the value of a client that is found for its epsilon.
type By string

// The values.
const (
	ByRate   By = "rate"
	ByClip   By = "clip"
	ByFilter By = "filter"
)

// DefaultSampled returns the section mechanism of local DP-SGD with the values of keys
// that are absent.
func DefaultSampled() Sampled {
	return Sampled{Accountant: accountant.RDP, Neighbours: accountant.AddOrRemove}
}

// Correlates implements OnSums.
func (*Sampled) Correlates() bool { return false }

// OnSums implements OnSums: the noise of DP-SGD. Sums.Calibrate finds the multiplier of an epsilon.
func (s *Sampled) OnSums(section *document.Node) (Sums, error) {
	sums := Sums{Kind: s.Kind, Delta: s.Delta, Neighbours: s.Neighbours, Accountant: s.Accountant}
	if err := section.Resolve(s.check()); err != nil {
		return sums, err
	}
	if s.Groups.Any() {
		sums.By, sums.targets = s.By, &s.Groups
	}
	if s.Sigmas.Any() {
		sums.sigmas = &s.Sigmas
	}
	switch {
	case s.Sigma != nil:
		sums.Sigma = *s.Sigma
	case math.IsInf(float64(*s.Epsilon), 1):
		sums.Kind = NoNoise
	default:
		sums.target = accountant.Loss{Epsilon: float64(*s.Epsilon), Delta: s.Delta}
	}
	return sums, nil
}

// OnSamples implements OnSamples.
func (*Sampled) OnSamples() {}

// Sums is noise on sums of clipped gradients of data that stay. Noise other than the noise of
// DP-SGD is for sums over all data of a client: it gains nothing by sampling.
type Sums struct {
	Kind string
	// Sigma is the noise multiplier, unless the noise is Own or Correlated: in units of the 2-norm
	// by which adding or removing a sample moves a sum. It is 0 where Calibrate has to find it.
	Sigma float64
	// Delta, Neighbours and Accountant state losses.
	Delta      float64
	Neighbours accountant.Relation
	Accountant accountant.Method
	// target, unless it is zero, is the epsilon of all sums of a run together, with its delta.
	target accountant.Loss
	// varied are the keys of noise that differs between clients, nil where it does not. base is the
	// epsilon of clients in no group, level the level of Sigma or of Own, and levelOf returns the
	// level of an epsilon.
	varied      *Varied
	base, level float64
	levelOf     leveller
	// By is the value that is found for the epsilons of targets; empty where targets is nil.
	By      By
	targets *personal.Groups
	sigmas  *personal.Values // nil where all have Sigma
	// Whole is true if sums are over all data.
	Whole bool
	// Own, unless its law is nil, is the calibration of noise of a law on each sum.
	Own noise.Calibration
	// Correlated, unless it is nil, is noise that is correlated over the sums of a run, and
	// Unit is its standard deviation, in units of the 2-norm by which such a sample moves all
	// of them. It is 0 where the noise has a multiplier; see UnitOn.
	Correlated *Correlated
	Unit       float64
}

// UnitOn returns the standard deviation of correlated noise of a factorization, in units of
// moved, the 2-norm by which a sample with vectors of norm 1 moves all sums of a run.
func (s *Sums) UnitOn(f *factorization.Factorization, moved float64) float64 {
	if z := s.Correlated.Multiplier; z != nil {
		return *z * f.Sensitivity() / moved
	}
	return s.Unit
}

// Private reports whether there is noise.
func (s *Sums) Private() bool { return s.Kind != NoNoise }

// Calibrated reports whether the noise multiplier follows from the epsilon of a run.
func (s *Sums) Calibrated() bool { return s.target != (accountant.Loss{}) }

// Calibrate sets the noise multiplier of calibrated sums: the least one at which a run has the
// section's epsilon. epsilon returns the epsilon of all that the ledger of a run states, given
// sums with a multiplier. open is the reason why no noise makes the run private, empty if some
// does. An error is at the section's epsilon if no multiplier has it.
func (s *Sums) Calibrate(section *document.Node, open string, epsilon func(tried *Sums) (float64, error)) error {
	switch {
	case !s.Calibrated():
		return nil
	case open != "":
		return section.Resolve(document.At("epsilon", "no noise has an epsilon of %.6g: %s", s.target.Epsilon, open))
	}
	costs := func(by accountant.Method) noise.Costs {
		tried := *s
		tried.Accountant, tried.Delta = by, s.target.Delta
		return func(multiplier float64) (float64, error) {
			tried.Sigma = multiplier
			return epsilon(&tried)
		}
	}
	rough := costs(accountant.RDP)
	if s.Accountant == accountant.RDP {
		rough = nil
	}
	var err error
	s.Sigma, err = noise.LeastMultiplier(s.target.Epsilon, costs(s.Accountant), rough)
	var unreachable noise.UnreachableError
	if !errors.As(err, &unreachable) {
		return err
	}
	sharper := ""
	if s.Accountant != accountant.PLD && unreachable.Reached > unreachable.Epsilon {
		sharper = "; the accountant pld states less"
	}
	return section.Resolve(document.At("epsilon", "%v at delta %v by %s%s", err, s.target.Delta, s.Accountant, sharper))
}

// Calibration describes the multiplier that was found; empty where none was.
func (s *Sums) Calibration() string {
	if !s.Calibrated() {
		return ""
	}
	return fmt.Sprintf("noise multiplier %.6g, the least with an epsilon of %.6g at delta %.6g in the whole run", s.Sigma, s.target.Epsilon, s.target.Delta)
}

// Subsampled reports whether losses count on the sample of each sum being secret.
func (s *Sums) Subsampled() bool { return s.Private() && !s.Whole }

// Held is about the number of bytes of the noise of a run: of correlated noise, on so many
// inputs of so many streams of vectors of length dim. Other noise holds nothing.
func (s *Sums) Held(inputs, streams, dim int) float64 {
	if s.Correlated == nil {
		return 0
	}
	return float64(8 * s.Correlated.Numbers(inputs, streams, dim))
}

// SumsOf reads the noise of a section that has been decoded. It refuses noise of a law at no
// level, which a mechanism from outside the catalog may ask for, and noise that differs between
// clients.
func SumsOf(m OnSums, section *document.Node) (Sums, error) {
	s, err := VariedSumsOf(m, section)
	if s.varied != nil {
		err = errors.Join(err, s.varied.refuse(section))
	}
	if s.By != "" {
		err = errors.Join(err, section.Resolve(document.At("groups", "clients with an epsilon of their own are for a trusted server that adds noise to the sum of their messages")))
	}
	if s.OwnSigmas() {
		err = errors.Join(err, section.Resolve(document.At("sigmas", "noise multipliers of clients are for algorithms with level: record; here there is one")))
	}
	return s, err
}

// VariedSumsOf is SumsOf where clients may have noise of their own; see Factors.
func VariedSumsOf(m OnSums, section *document.Node) (Sums, error) {
	s, err := m.OnSums(section)
	if err != nil || s.Own == (noise.Calibration{}) {
		return s, err
	}
	if err := s.Own.Validate(); err != nil {
		return s, section.Resolve(document.At("kind", "%v", err))
	}
	return s, nil
}

// OwnSums returns noise of a law on each sum over all data, for mechanisms whose losses are
// epsilons alone. A level of +Inf is no noise.
func OwnSums(kind string, own noise.Calibration, neighbours accountant.Relation) Sums {
	s := wholeSums(kind, 0, neighbours, accountant.PLD)
	if s.Own = own; !own.Private() {
		s.Kind, s.Own = NoNoise, noise.Calibration{}
	}
	return s
}

// Owned reports whether each sum has noise of its own, of the law of Own.
func (s *Sums) Owned() bool { return s.Own.Law != nil }

// Noise returns the noise of Own on a sum that adding or removing a sample moves by moves. A
// sample that is replaced moves it twice as far. The scale is proportional to moves.
func (s *Sums) Noise(moves noise.Moves) noise.Additive {
	if !s.Owned() {
		return noise.Additive{}
	}
	times := s.moves()
	unit := s.Own.Fit(noise.Moves{L1: times, L2: times, Entries: moves.Entries})
	unit.Scale *= unit.Law.Norm().Of(moves)
	return unit
}

// wholeSums returns noise on sums over all data.
func wholeSums(kind string, delta float64, neighbours accountant.Relation, by accountant.Method) Sums {
	if neighbours == "" {
		neighbours = accountant.AddOrRemove
	}
	return Sums{Kind: kind, Delta: delta, Neighbours: neighbours, Accountant: by, Whole: true}
}

// moves returns the sensitivity of a sum to neighbouring data, divided by its sensitivity to a
// sample that is added or removed.
func (s *Sums) moves() float64 {
	if s.Neighbours == accountant.Replace {
		return 2
	}
	return 1
}
