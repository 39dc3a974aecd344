package federated

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// noising is the noise of the server on the sums of rounds, all of one length and each
// moved by at most clip in 2-norm by a client. The zero value is none. It is immutable.
type noising struct {
	clip   float64
	length int
	// prefix is noise that is correlated over the rounds, nil where there is none. It is
	// paid for once.
	prefix *noise.Prefix
	// amplified, unless its Steps are 0, is what the prefix noise costs in every so many
	// rounds, in place of once.
	amplified accountant.SampledGaussian
	// sigma and laplace are scales of noise of its own on every round, and rate that of the
	// sample, which Gaussian noise profits from.
	sigma, laplace, rate float64
	// every and times are how far apart a client's rounds are at least, and how many there
	// are at most. Of the first r rounds it is in ceil(r/every) at most: so many are paid
	// for, the first of every so many.
	every, times int
}

// private tells whether there is noise.
func (n *noising) private() bool { return n.prefix != nil || n.sigma > 0 || n.laplace > 0 }

// price is what the server pays in a round, from 1.
func (n *noising) price(round int) accountant.Loss {
	switch {
	case !n.private():
		return accountant.NotPrivate()
	case n.prefix != nil && n.amplified.Steps == 0:
		if round == 1 {
			return n.prefix.Loss()
		}
		return accountant.Loss{}
	case (round-1)%n.every != 0 || (round-1)/n.every >= n.times:
		return accountant.Loss{}
	case n.prefix != nil:
		return accountant.Loss{Sampled: n.amplified}
	case n.laplace > 0:
		return noise.Laplace{Scale: n.laplace}.Loss(n.moves())
	}
	return noise.Gaussian{Scale: n.sigma}.SampledLoss(n.clip, n.rate)
}

// moves is how far a client moves a sum in 1-norm: a vector of 2-norm C has at most
// sqrt(length) C.
func (n *noising) moves() float64 { return math.Sqrt(float64(n.length)) * n.clip }

// scaled is the noise times a factor, for audits, at the prices of the noise itself.
func (n noising) scaled(by float64) noising {
	n.sigma, n.laplace, n.prefix = n.sigma*by, n.laplace*by, n.prefix.Scaled(by)
	if by == 0 {
		n.amplified = accountant.SampledGaussian{}
	}
	return n
}

// serverPurpose keys the noise of the server.
var serverPurpose = rng.PurposeOf("federated.noise")

// noisy is the noise of one server: what it has drawn so far.
type noisy struct {
	*noising
	stream *noise.PrefixStream   // nil where noise is not correlated, or amplified
	draws  *factorization.Stream // of amplified noise
	added  []float64             // working memory
	total  []float64             // the noise of all rounds so far
}

// noisy is that of a server whose run begins.
func (n *noising) noisy() (s noisy, err error) {
	s = noisy{noising: n, added: make([]float64, n.length), total: make([]float64, n.length)}
	switch {
	case n.amplified.Steps > 0:
		s.draws, err = n.prefix.Factorization.Stream(n.length)
	case n.prefix != nil:
		s.stream, err = n.prefix.Stream(n.length)
	}
	return s, err
}

// release adds the noise of the turn's round to a sum in place, once it is paid for, and
// gives the mark of what follows from the sum; pays is false of noise of its own on a round
// that an earlier payment covers. An error of a budget is returned as it is.
func (s *noisy) release(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	kernel.Axpy(s.total, -1, sum)
	mark, err := s.add(t, sum, pays)
	kernel.Add(s.total, sum)
	return mark, err
}

// add is release without the book of noise.
func (s *noisy) add(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	if !s.private() {
		if !pays {
			return algorithm.Raw(), nil
		}
		return algorithm.Raw(), t.Spend(accountant.NotPrivate())
	}
	r := t.Rand(serverPurpose)
	if s.draws != nil {
		receipt, err := s.prefix.ReleaseAmplified(s.draws, sum, s.added, r, s.price(t.Step), accountant.Loss{Sampled: s.amplified}, t.Spend)
		return algorithm.Released(receipt), err
	}
	release := func(pay func(accountant.Loss) error) (accountant.Receipt, error) {
		switch {
		case s.stream != nil:
			return s.stream.Release(sum, s.added, r, pay)
		case s.laplace > 0:
			return noise.Laplace{Scale: s.laplace}.Release(sum, r, s.moves(), pay)
		}
		return noise.Gaussian{Scale: s.sigma}.ReleaseSampled(sum, r, s.clip, s.rate, pay)
	}
	if s.stream == nil && !pays {
		receipt, err := noise.Covered(release)
		return algorithm.Released(receipt), err
	}
	receipt, err := release(t.Spend)
	return algorithm.Released(receipt), err
}

// state goes through what has been drawn.
func (s *noisy) state(c *messages.Codec) {
	c.Floats("noise so far", s.total)
	switch {
	case s.draws != nil:
		c.Frame("noise", s.draws)
	case s.stream != nil:
		c.Part("", s.stream)
	}
}
