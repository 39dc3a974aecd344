package mechanisms

import (
	"errors"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// KindSampledGaussian is the mechanism of DP-SGD.
const KindSampledGaussian = "sampled-gaussian"

// Sampled is the mechanism section of DP-SGD.
type Sampled struct {
	Kind       string              `yaml:"kind,required"`
	Sigma      float64             `yaml:"sigma,required" doc:"noise multiplier sigma: the noise on a sum of gradients is N(0, sigma^2 C^2 I)"`
	Delta      float64             `yaml:"delta,required" doc:"delta at which losses are stated, between 0 and 1"`
	Neighbours accountant.Relation `yaml:"neighbours" doc:"data that losses are for: add-or-remove, those with a sample of a client added or removed; replace, those with one replaced, which costs about twice as much"`
	Accountant accountant.Method   `yaml:"accountant" doc:"how steps are accounted for: rdp, whole Renyi orders and the plain conversion, as printed; rdp-cks, many orders and a tighter conversion; pld, privacy loss distributions, tight"`
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
	if err := document.Decode(section, &s); err != nil {
		return s, err
	}
	var errs []error
	if !(s.Delta > 0 && s.Delta < 1) {
		errs = append(errs, document.At("delta", "delta = %v; it must be a number > 0 and < 1", s.Delta))
	}
	if known := accountant.Relations(); !slices.Contains(known, s.Neighbours) {
		errs = append(errs, document.At("neighbours", "unknown neighbours %q; known: %v", string(s.Neighbours), known))
	}
	if known := accountant.Methods(); !slices.Contains(known, s.Accountant) {
		errs = append(errs, document.At("accountant", "unknown accountant %q; known: %v", string(s.Accountant), known))
	}
	return s, section.Resolve(errors.Join(errs...))
}
