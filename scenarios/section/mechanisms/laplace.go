package mechanisms

import (
	"starling/actors/algorithm/dpdonc"
	"starling/scenarios/document"
)

// Laplace is the mechanism of DPDO-NC.
type Laplace struct {
	Kind    string           `yaml:"kind,required"`
	Epsilon document.Epsilon `yaml:"epsilon,required" doc:"privacy parameter of a step, above 0, or none to run without noise"`
	Noise   dpdonc.Noise     `yaml:"noise" doc:"which step size scales the noise of a release: as-printed takes alpha_t, shifted alpha_{t-1}, which makes the claim of epsilon a step exact"`
}

// LaplaceBuilder reads the mechanism of DPDO-NC.
type LaplaceBuilder = func(section *document.Node) (Laplace, error)

// DefaultLaplace returns the section mechanism of Laplace noise with the values of
// keys that are absent.
func DefaultLaplace() Laplace { return Laplace{Noise: dpdonc.AsPrinted} }

// BuildLaplace reads the section of Laplace noise. An error has the place of every
// fault in the file.
func BuildLaplace(section *document.Node) (Laplace, error) {
	s := DefaultLaplace()
	return s, document.Decode(section, &s)
}
