package mechanisms

import (
	"math"
	"slices"

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
func (s *Sums) vary(v *Varied, base, level float64, levelOf leveller) error {
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
	_, levels, err := levelsOfGroups(&s.varied.Groups, &at, s.base, s.levelOf)
	for client, level := range levels {
		levels[client] = s.level / level
	}
	return levels, err
}

// InverseVariance returns the weights of messages with noise of these scales in their mean, in
// proportion to the inverse of the variance: the mean then has the least variance. Their mean is 1.
func InverseVariance(scales []float64) []float64 {
	weights, sum := make([]float64, len(scales)), 0.0
	for i, scale := range scales {
		weights[i] = 1 / float64(scale*scale)
		sum += weights[i]
	}
	mean := sum / float64(len(weights))
	for i := range weights {
		weights[i] /= mean
	}
	return weights
}

// levelsOfGroups returns the epsilons and deltas, and the levels of the noise of clients, from 0; base is the epsilon of
// clients in no group. It refuses clients without noise. The error has the place of every fault.
func levelsOfGroups(g *personal.Groups, at *personal.Site, base float64, levelOf leveller) (of personal.Assigned, levels []float64, err error) {
	of, err = g.Assign(at, base)
	if err == nil {
		levels, err = levelsOf(&of, levelOf)
	}
	if err != nil {
		return of, nil, at.Section.Resolve(err)
	}
	for client, level := range levels {
		if math.IsInf(level, 1) {
			return of, nil, at.Section.Resolve(document.At("groups", "client %d has no noise, and the models that the server makes of all messages would show its data; want a number, or none for all clients", client+1))
		}
	}
	return of, levels, nil
}

// dearestOf returns the epsilon and the delta of the party with the least noise, with a delta of 0 for
// the section's, and the scales of the noise of all parties, from 0, over the scale of that.
func dearestOf(g *personal.Groups, at *personal.Site, base float64, levelOf leveller) (epsilon, delta float64, factors []float64, err error) {
	of, levels, err := levelsOfGroups(g, at, base, levelOf)
	if err != nil {
		return 0, 0, nil, err
	}
	most := slices.Max(levels)
	dearest := slices.Index(levels, most)
	for i, level := range levels {
		levels[i] = most / level
	}
	return of.Epsilons[dearest], of.Delta(dearest, 0), levels, nil
}
