package accountant

import (
	"encoding/binary"
	"math"
	"slices"

	"starling/messages"
)

// Private tells whether the total bounds anything: every part is finite and the
// chance that it does not hold is below 1.
func (t *Total) Private() bool {
	return !math.IsInf(t.epsilon, 1) && t.delta < 1 && !math.IsInf(t.rho, 1) &&
		!slices.ContainsFunc(t.sampled, func(s SampledGaussian) bool { return !s.private() })
}

// Loss returns the composition of all that was added up: Loss.Compose of it.
func (t *Total) Loss() Loss {
	l := Loss{Epsilon: t.epsilon, Delta: t.delta, Rho: t.rho}
	for _, s := range t.sampled {
		l.Sampled = l.Sampled.compose(s)
	}
	return l
}

// Total returns the total of the loss alone, as one release.
func (l Loss) Total() (t Total) {
	t.Add(l)
	return t
}

// Rho returns the sum of the rhos of Gaussian noise.
func (t *Total) Rho() float64 { return t.rho }

// Definition returns the definition that states the total best, given how it is
// converted: that of its most general part. Gaussian noise alone is stated by
// zCDP, or by Gaussian differential privacy where the conversion is the exact
// one of PLD, which rests on it: rho of Gaussian noise is mu^2/2 (Dong, Roth, Su
// 2022, theorem 2.7 and corollary 3.3).
func (t *Total) Definition(by Method) Definition {
	sampled := slices.ContainsFunc(t.sampled, func(s SampledGaussian) bool { return !s.idle() })
	switch {
	case !t.Private():
		return NoPrivacy
	case sampled && by != PLD:
		return SampledRDP
	case sampled || t.delta > 0 || t.rho > 0 && t.epsilon > 0:
		return Approximate
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
	t.squares += other.squares
	t.means += other.means
	t.delta += other.delta
	t.rho += other.rho
	for _, s := range other.sampled {
		t.addSampled(s)
	}
}

// Clone returns a total that shares nothing with t.
func (t *Total) Clone() Total {
	c := *t
	c.sampled = slices.Clone(t.sampled)
	return c
}

// Equal tells whether both totals are the same to the last bit, sampled
// Gaussians in the order of their arrival.
func (t *Total) Equal(other *Total) bool {
	return t.epsilon == other.epsilon && t.squares == other.squares && t.means == other.means &&
		t.delta == other.delta && t.rho == other.rho && slices.Equal(t.sampled, other.sampled)
}

// AppendBinary appends the total as states keep it.
func (t *Total) AppendBinary(dst []byte) []byte {
	dst = messages.AppendFloats(dst, t.epsilon, t.squares, t.means, t.delta, t.rho)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(t.sampled)))
	for _, s := range t.sampled {
		dst = messages.AppendInt(messages.AppendFloats(dst, s.Rate, s.Noise), s.Steps)
	}
	return dst
}

// ReadTotal reads a total that AppendBinary wrote.
func ReadTotal(r *messages.Reader) Total {
	t := Total{epsilon: r.Float(), squares: r.Float(), means: r.Float(), delta: r.Float(), rho: r.Float()}
	for range r.Length(3 * 8) {
		t.sampled = append(t.sampled, SampledGaussian{Rate: r.Float(), Noise: r.Float(), Steps: r.Int()})
	}
	return t
}
