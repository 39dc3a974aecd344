package mechanisms

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// KindSampledGaussian is the mechanism of DP-SGD.
const KindSampledGaussian = "sampled-gaussian"

// Sampled is the mechanism section of DP-SGD.
type Sampled struct {
	Kind       string              `yaml:"kind,required"`
	Sigma      float64             `yaml:"sigma,required" over:"0" says:"noise multiplier sigma = %v" unit:"clipping norms" doc:"noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I)"`
	Delta      float64             `yaml:"delta,required" over:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses are stated, between 0 and 1"`
	Neighbours accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"data that losses are for: add-or-remove, those with a sample of a client added or removed; replace, those with one replaced, which costs more: the accountant pld is sharp"`
	Accountant accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions, tight"`
}

// DefaultSampled returns the section mechanism of local DP-SGD with the values of keys
// that are absent.
func DefaultSampled() Sampled {
	return Sampled{Accountant: accountant.RDP, Neighbours: accountant.AddOrRemove}
}

// Sums is noise on sums of clipped gradients of data that stay. Noise other than that of
// DP-SGD is for sums over all data of a client: it gains nothing by sampling.
type Sums struct {
	// Sampled has how losses are stated, and sigma, unless the noise is Laplace or
	// Correlated: in units of what a sample that is added or removed moves a sum by in
	// 2-norm.
	Sampled
	// Whole tells that sums are over all data.
	Whole bool
	// Laplace, unless it is 0, is the scale of Laplace noise in units of what a sample
	// that is added or removed moves a sum by in 1-norm.
	Laplace float64
	// Correlated, unless it is nil, is noise that is correlated over the sums of a run, and
	// Unit its standard deviation in units of what such a sample moves all of them by.
	Correlated *Correlated
	Unit       float64
}

// Private tells whether there is noise.
func (s *Sums) Private() bool { return s.Kind != NoNoise }

// OwnSumsBuilder is a SumsBuilder of noise that each sum has of its own, whatever others have:
// for those who take sums when they come, as often as they come.
type OwnSumsBuilder SumsBuilder

// SumsBuilder reads a mechanism of noise on sums of clipped gradients. An error has the
// place of every fault in the file.
type SumsBuilder func(section *document.Node) (Sums, error)

// BuildNoSums is no noise. A sweep that takes the noise away leaves what it was.
func BuildNoSums(section *document.Node) (Sums, error) {
	var unused struct {
		Kind        string           `yaml:"kind,required"`
		Sigma       float64          `yaml:"sigma"`
		Epsilon     document.Epsilon `yaml:"epsilon"`
		Delta       float64          `yaml:"delta"`
		Accountant  string           `yaml:"accountant"`
		Neighbours  string           `yaml:"neighbours"`
		Calibration string           `yaml:"calibration"`
		Chains      int              `yaml:"chains"`
		Bands       int              `yaml:"bands"`
		Buffers     int              `yaml:"buffers"`
		Gap         float64          `yaml:"gap"`
		Fit         bool             `yaml:"fit"`
	}
	s := Sums{Sampled: DefaultSampled()}
	s.Kind = NoNoise
	return s, document.Decode(section, &unused)
}

// BuildSampled is the noise of DP-SGD.
func BuildSampled(section *document.Node) (Sums, error) {
	s := Sums{Sampled: DefaultSampled()}
	return s, document.Decode(section, &s.Sampled)
}

// wholeSums is noise on sums over all data.
func wholeSums(kind string, delta float64, neighbours accountant.Relation, by accountant.Method) Sums {
	if neighbours == "" {
		neighbours = accountant.AddOrRemove
	}
	return Sums{Sampled: Sampled{Kind: kind, Delta: delta, Neighbours: neighbours, Accountant: by}, Whole: true}
}

// moves is by how much neighbouring data move a sum, over what a sample that is added or
// removed does.
func (s *Sums) moves() float64 {
	if s.Neighbours == accountant.Replace {
		return 2
	}
	return 1
}

// BuildGaussianSums is Gaussian noise that every sum pays for by itself.
func BuildGaussianSums(section *document.Node) (Sums, error) {
	g := DefaultGaussian()
	err := document.Decode(section, &g)
	s := wholeSums(g.Kind, g.Delta, g.Neighbours, g.Accountant)
	if err != nil {
		return s, err
	}
	level, err := g.level()
	if s.Sigma = s.moves() / level; math.IsInf(level, 1) {
		s.Kind = NoNoise
	}
	return s, section.Resolve(err)
}

// BuildLaplaceSums is Laplace noise that every sum pays for by itself.
func BuildLaplaceSums(section *document.Node) (Sums, error) {
	l := DefaultLaplace()
	err := document.Decode(section, &l)
	s := wholeSums(l.Kind, 0, l.Neighbours, accountant.PLD)
	if err != nil {
		return s, err
	}
	if noise, given := section.Get("noise"); given && noise.Kind() != document.Null {
		return s, noise.Issuef("the step sizes alpha_t are those of online mirror descent; leave this out")
	}
	if s.Laplace = s.moves() / float64(l.Epsilon); s.Laplace == 0 {
		s.Kind = NoNoise
	}
	return s, nil
}

// BuildCorrelatedSums is Gaussian noise that is correlated over the sums of a run, which
// are paid for together.
func BuildCorrelatedSums(section *document.Node) (Sums, error) {
	c, err := decodeCorrelated(section)
	s := wholeSums(c.Kind, c.Delta, c.Neighbours, c.Accountant)
	if err != nil || !c.Private() {
		return s, err
	}
	unit, err := c.UnitNoise()
	s.Correlated, s.Unit = &c, s.moves()*unit
	return s, section.Resolve(err)
}
