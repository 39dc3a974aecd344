package mechanisms

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// KindSampledGaussian is the mechanism of DP-SGD.
const KindSampledGaussian = "sampled-gaussian"

// Sampled is the mechanism section of DP-SGD.
type Sampled struct {
	Kind       string              `yaml:"kind,required"`
	Sigma      float64             `yaml:"sigma,required" over:"0" says:"noise multiplier sigma = %v" doc:"noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I)"`
	Delta      float64             `yaml:"delta,required" over:"0" under:"1" says:"delta = %v" doc:"delta at which losses are stated, between 0 and 1"`
	Neighbours accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"data that losses are for: add-or-remove, those with a sample of a client added or removed; replace, those with one replaced, which costs about twice as much"`
	Accountant accountant.Method   `yaml:"accountant" oneof:"rdp rdp-cks pld" doc:"how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions, tight"`
}

// DefaultSampled returns the section mechanism of local DP-SGD with the values of keys
// that are absent.
func DefaultSampled() Sampled {
	return Sampled{Accountant: accountant.RDP, Neighbours: accountant.AddOrRemove}
}

// SampledBuilder reads the mechanism of local DP-SGD.
type SampledBuilder func(section *document.Node) (Sampled, error)

// BuildNoSampling is no noise. A sweep that takes the noise away leaves what it was.
func BuildNoSampling(section *document.Node) (Sampled, error) {
	var unused struct {
		Kind       string              `yaml:"kind,required"`
		Sigma      float64             `yaml:"sigma"`
		Delta      float64             `yaml:"delta"`
		Accountant accountant.Method   `yaml:"accountant"`
		Neighbours accountant.Relation `yaml:"neighbours"`
	}
	s := DefaultSampled()
	s.Kind = NoNoise
	return s, document.Decode(section, &unused)
}

// BuildSampled reads the section of the mechanism of local DP-SGD. An error has the
// place of every fault in the file.
func BuildSampled(section *document.Node) (Sampled, error) {
	s := DefaultSampled()
	return s, document.Decode(section, &s)
}
