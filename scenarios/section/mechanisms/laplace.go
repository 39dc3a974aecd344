package mechanisms

import (
	"errors"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/scenarios/document"
)

// Laplace is the section of Laplace noise, the noise of DPDO-NC.
type Laplace struct {
	Kind       string              `yaml:"kind,required"`
	Epsilon    document.Epsilon    `yaml:"epsilon,required" example:"1" unit:"nats" doc:"privacy parameter of a step, above 0, or none to run without noise"`
	Noise      noise.Schedule      `yaml:"noise" oneof:"as-printed shifted" doc:"which step size scales the noise of a release: as-printed takes alpha_t, shifted alpha_{t-1}, which makes the claim of epsilon a step exact"`
	Neighbours accountant.Relation `yaml:"neighbours" oneof:"add-or-remove replace" doc:"neighbouring data for which losses hold, of data that stay in the run: add-or-remove, the usual, or replace; a stream with one datum a step is replaced; absent, add-or-remove for data that stay, and replace for a stream"`
	Varied     Varied              `yaml:",inline"`
}

// DefaultLaplace returns the section mechanism of Laplace noise with the values of
// keys that are absent.
func DefaultLaplace() Laplace { return Laplace{Noise: noise.AsPrinted} }

// Law implements OnMessages.
func (*Laplace) Law() noise.Law { return noise.LaplaceLaw }

// noDelta is the reason why nodes have no deltas of their own.
const noDelta = "Laplace noise follows only from epsilon; losses are stated at deltas of their own by budget.groups"

// pureLevel is the level of noise that follows from epsilon alone.
func pureLevel(epsilon, _ float64) (float64, error) { return epsilon, nil }

// OnMessages implements OnMessages.
func (s *Laplace) OnMessages(section *document.Node) (Additive, error) {
	a := Additive{Calibration: noise.Calibration{Law: noise.LaplaceLaw, Level: float64(s.Epsilon)}, Schedule: s.Noise, Epsilon: float64(s.Epsilon), Accountant: accountant.PLD}
	err := a.vary(&s.Varied, pureLevel)
	return a, section.Resolve(errors.Join(err, s.Varied.Groups.RefuseDeltas(noDelta), replaced(s.Neighbours)))
}

// Correlates implements OnSums.
func (*Laplace) Correlates() bool { return false }

// OnSums implements OnSums: every sum has a loss of its own.
func (s *Laplace) OnSums(section *document.Node) (Sums, error) {
	level := s.Varied.reference(float64(s.Epsilon))
	sums := OwnSums(s.Kind, noise.Calibration{Law: noise.LaplaceLaw, Level: level}, s.Neighbours)
	if noise, given := section.Get("noise"); given && noise.Kind() != document.Null {
		return sums, noise.Issuef("the step sizes alpha_t belong to online mirror descent; leave this out")
	}
	return sums, section.Resolve(errors.Join(sums.vary(&s.Varied, float64(s.Epsilon), level, pureLevel), s.Varied.Groups.RefuseDeltas(noDelta)))
}
