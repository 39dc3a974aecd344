package mechanisms

import (
	"math"

	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// reference returns the level of noise that groups are compared with: the mechanism's or, where it
// has no noise and a group has, 1.
func (v *Varied) reference(level float64) float64 {
	if math.IsInf(level, 1) && v.Groups.Any() && v.Groups.Private() {
		return 1
	}
	return level
}

// vary sets the keys of noise that differs between clients. Noise that changes over time is
// refused.
func (s *Sums) vary(v *Varied, base, level float64, levelOf func(epsilon float64) (float64, error)) error {
	switch {
	case v.OverTime != nil:
		return document.At("over_time", onlyEquals)
	case v.Groups.Any() && s.Private():
		s.varied, s.base, s.level, s.levelOf = v, base, level, levelOf
	}
	return v.Groups.Check()
}

// Varies reports whether clients have noise of their own.
func (s *Sums) Varies() bool { return s.varied != nil }

// Factors returns the scales of the noise of clients, from 0, over the scale of the mechanism; nil
// means that all are alike. Clients without noise are refused: the server makes its models of all
// messages, and a model that shows one of them as it is counts as raw for all clients. The error has
// all faults of groups, each at its place.
func (s *Sums) Factors(at personal.Site) ([]float64, error) {
	if s.varied == nil {
		return nil, nil
	}
	of, err := s.varied.Groups.Assign(&at, s.base)
	if err != nil {
		return nil, at.Section.Resolve(err)
	}
	factors, err := levelsOf(of.Epsilons, s.levelOf)
	if err != nil {
		return nil, at.Section.Resolve(err)
	}
	for client, level := range factors {
		if math.IsInf(level, 1) {
			return nil, at.Section.Resolve(document.At("groups", "client %d has no noise, and the models that the server makes of all messages would show its data; want a number, or none for all clients", client+1))
		}
		factors[client] = s.level / level
	}
	return factors, nil
}
