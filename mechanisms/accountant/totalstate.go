package accountant

import (
	"math"
	"slices"

	"starling/messages"
)

// Private reports whether the total bounds anything: every part is finite and the chance that
// it does not hold is below 1.
func (t *Total) Private() bool {
	return !math.IsInf(t.epsilon, 1) && t.delta < 1 && !math.IsInf(t.rho, 1) && !math.IsInf(t.concentrated, 1) &&
		!slices.ContainsFunc(t.sampled, func(s SampledGaussian) bool { return !s.private() })
}

// Loss returns the composition, by Loss.Compose, of all losses that were added.
func (t *Total) Loss() Loss {
	l := Loss{Epsilon: t.epsilon, Delta: t.delta, Laplace: t.laplace(), Rho: t.rho, Concentrated: t.concentrated}
	for _, s := range t.sampled {
		l.Sampled = l.Sampled.compose(s)
	}
	return l
}

// laplace returns the part of the sum of epsilons that is of Laplace noise.
func (t *Total) laplace() (sum float64) {
	others := false
	for _, p := range t.pure {
		if p.laplace {
			sum += float64(float64(p.count) * p.epsilon)
		}
		others = others || !p.laplace
	}
	if !others && sum > 0 {
		return t.epsilon // to the last bit
	}
	return min(sum, t.epsilon)
}

// Total returns the total of the loss alone, as one release.
func (l Loss) Total() (t Total) {
	t.Add(l)
	return t
}

// Rho returns the sum of the rhos of Gaussian noise and of the Concentrated parts.
func (t *Total) Rho() float64 { return t.rho + t.concentrated }

// Definition returns the definition that states the total best, given the method of
// conversion: the definition of its most general part. Gaussian noise alone is stated by zCDP,
// or by Gaussian differential privacy where the conversion is the exact one of PLD, which
// rests on it: rho of Gaussian noise is mu^2/2 (Dong, Roth, Su 2022, theorem 2.7 and corollary
// 3.3).
func (t *Total) Definition(by Method) Definition {
	sampled := slices.ContainsFunc(t.sampled, func(s SampledGaussian) bool { return !s.idle() })
	switch {
	case !t.Private():
		return NoPrivacy
	case sampled && by != PLD:
		return SampledRDP
	case sampled || t.delta > 0 || t.rho+t.concentrated > 0 && t.epsilon > 0:
		return Approximate
	case t.concentrated > 0:
		return ZCDP
	case t.rho > 0 && by == PLD:
		return GDP
	case t.rho > 0:
		return ZCDP
	}
	return PureDP
}

// AddTotal composes all that another total has added up, release by release.
func (t *Total) AddTotal(other *Total) {
	t.epsilon += other.epsilon
	for _, p := range other.pure {
		t.addPure(p)
	}
	t.delta += other.delta
	t.rho += other.rho
	t.concentrated += other.concentrated
	for _, s := range other.sampled {
		t.addSampled(s)
	}
}

// Clone returns a total that shares nothing with t.
func (t *Total) Clone() Total {
	c := *t
	c.pure, c.sampled = slices.Clone(t.pure), slices.Clone(t.sampled)
	return c
}

// Equal reports whether both totals are the same to the last bit, pure releases and sampled
// Gaussians in the order of their arrival.
func (t *Total) Equal(other *Total) bool {
	return t.epsilon == other.epsilon && t.delta == other.delta && t.rho == other.rho && t.concentrated == other.concentrated &&
		slices.Equal(t.pure, other.pure) && slices.Equal(t.sampled, other.sampled)
}

// Covers reports whether the total is known to cost at least as much as another: it has at
// least each of its parts. False may mean that only a conversion can decide.
func (t *Total) Covers(other *Total) bool {
	// More of a part never costs less, so that a comparison part by part is a proof; the
	// converse does not hold.
	if !(t.epsilon >= other.epsilon && t.delta >= other.delta && t.rho >= other.rho && t.concentrated >= other.concentrated) || len(t.sampled) < len(other.sampled) {
		return false
	}
	for i, s := range other.sampled {
		if of := t.sampled[i]; of.Rate < s.Rate || of.Noise > s.Noise || of.Steps < s.Steps {
			return false
		}
	}
	return slices.Equal(t.pure, other.pure) || t.extends(other)
}

// State implements messages.Stateful.
func (t *Total) State(c *messages.Codec) {
	c.Float("epsilon", &t.epsilon)
	c.Float("delta", &t.delta)
	c.Float("rho", &t.rho)
	c.Float("concentrated", &t.concentrated)
	messages.Slice(c, "pure", &t.pure, math.MaxInt32, func(p *pureReleases) {
		c.Float("epsilon", &p.epsilon)
		c.Int("count", &p.count)
		c.Bool("laplace", &p.laplace)
	})
	messages.Slice(c, "sampled", &t.sampled, math.MaxInt32, func(s *SampledGaussian) { s.state(c) })
}
