package aggregation

import (
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Trusted is the noise of a server that is trusted, on the sums of rounds. The zero value is
// none. It is immutable.
type Trusted struct {
	Of Vectors
	// Buffered means that sums are of full buffers, in place of rounds.
	Buffered bool
	// Prefix is noise that is correlated over the rounds, nil where there is none. It is
	// paid for once.
	Prefix *noise.Prefix
	// Amplified, unless its Steps are 0, is the loss of the prefix noise in each round in
	// which pays is true: one in every Most.Apart rounds, up to Most.Times. It takes the place
	// of one payment for all rounds.
	Amplified accountant.SampledGaussian
	// Own is independent noise of a law on every sum. Sigma is the scale of Gaussian noise,
	// and Rate the rate of the sample, which makes its loss smaller.
	Own         noise.Additive
	Sigma, Rate float64
}

// private reports whether there is noise.
func (n *Trusted) private() bool { return n.Prefix != nil || n.Sigma > 0 || n.Own.Scale > 0 }

// Loss implements Noise.
func (n *Trusted) Loss(round int) accountant.Loss {
	switch {
	case !n.private():
		return accountant.NotPrivate()
	case n.Prefix != nil && n.Amplified.Steps == 0:
		if round == 1 {
			return n.Prefix.Loss()
		}
		return accountant.Loss{}
	case !pays(n.Of.Most, round):
		return accountant.Loss{}
	case n.Prefix != nil:
		return accountant.Loss{Sampled: n.Amplified}
	case n.Own.Law != nil:
		return n.Own.Loss(n.Moves())
	}
	return noise.Gaussian{Scale: n.Sigma}.SampledLoss(n.Of.Clip, n.Rate)
}

// Moves is the largest distance that a client moves a sum.
func (n *Trusted) Moves() noise.Moves { return noise.MovesL2(n.Of.Clip, n.Of.Length) }

// Scaled is the noise times a factor, for audits, at the prices of the noise itself.
func (n Trusted) Scaled(by float64) Trusted {
	n.Sigma, n.Own.Scale, n.Prefix = n.Sigma*by, n.Own.Scale*by, n.Prefix.Scaled(by)
	if by == 0 {
		n.Own = noise.Additive{}
		n.Amplified = accountant.SampledGaussian{}
	}
	return n
}

// Bill implements Noise: the server pays in rounds. With a buffer it pays once for every
// buffer in which a client comes to be in more of them than any was before, in all no more
// than the rounds that a client can have taken part in.
func (n *Trusted) Bill(node messages.NodeID, round int, moment ledger.Moment) ledger.ExpectedPayment {
	if node > 0 {
		return ledger.ExpectedPayment{}
	}
	if n.Buffered {
		most := n.Of.Rule.Most(round).Times
		if moment.Payments > most {
			return ledger.ExpectedPayment{}
		}
		return ledger.Pays(n.Loss(1), 0, most)
	}
	if price := n.Loss(round); price != (accountant.Loss{}) {
		return ledger.Pays(price, 1, 1)
	}
	return ledger.ExpectedPayment{}
}

// Drowning implements Noise. It returns zeros for correlated noise: its prefix sums matter.
func (n *Trusted) Drowning() (size, signal float64) {
	if n.Prefix != nil {
		return 0, 0
	}
	deviation := n.Sigma
	if n.Own.Law != nil {
		deviation = n.Own.Deviation()
	}
	return deviation * math.Sqrt(float64(n.Of.Length)), n.Of.Expected * n.Of.Clip
}

// Metrics implements Noise.
func (*Trusted) Metrics() metric.List { return metric.List{roundsNoise} }

// Stated is the noise of a mean, in an audit.
func (n *Trusted) Stated(at auditing.Place) auditing.Noise {
	stated := auditing.Noise{Law: noise.GaussianLaw, Length: at.Length, Scale: n.Sigma}
	switch {
	case n.Prefix != nil:
		stated.Scale = n.Prefix.Scale
	case n.Own.Law != nil:
		stated.Law, stated.Scale = n.Own.Law, n.Own.Scale
	}
	stated.Scale /= n.Of.Expected
	return stated
}

// serverPurpose keys the noise of the server.
var serverPurpose = rng.PurposeOf("federated.noise")

// Drawn is the noise of one trusted server in a run, with its state.
type Drawn struct {
	*Trusted
	stream *noise.PrefixStream   // nil where noise is not correlated, or amplified
	draws  *factorization.Stream // of amplified noise
	added  []float64             // working memory
	total  []float64             // the noise of all rounds so far
}

// Drawn returns the noise of a server at the beginning of its run.
func (n *Trusted) Drawn() (s Drawn, err error) {
	s = Drawn{Trusted: n, added: make([]float64, n.Of.Length), total: make([]float64, n.Of.Length)}
	switch {
	case n.Amplified.Steps > 0:
		s.draws, err = n.Prefix.Factorization.Stream(n.Of.Length)
	case n.Prefix != nil:
		s.stream, err = n.Prefix.Stream(n.Of.Length)
	}
	return s, err
}

// Release adds the noise of the turn's round to a sum in place, once it is paid for. It
// returns the mark of values that follow from the sum. pays is false if the noise is
// independent and an earlier payment covers this round. An error of a budget is returned as it
// is.
func (s *Drawn) Release(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	kernel.Axpy(s.total, -1, sum)
	mark, err := s.add(t, sum, pays)
	kernel.Add(s.total, sum)
	return mark, err
}

// add is Release without the book of noise.
func (s *Drawn) add(t *algorithm.Turn, sum []float64, pays bool) (algorithm.Mark, error) {
	if !s.private() {
		if !pays {
			return algorithm.Raw(), nil
		}
		return algorithm.Raw(), t.Spend(accountant.NotPrivate())
	}
	r := t.Rand(serverPurpose)
	if s.draws != nil {
		receipt, err := s.Prefix.ReleaseAmplified(s.draws, sum, s.added, r, s.Loss(t.Step), accountant.Loss{Sampled: s.Amplified}, t.Spend)
		return algorithm.Released(receipt), err
	}
	release := func(pay func(accountant.Loss) error) (accountant.Receipt, error) {
		switch {
		case s.stream != nil:
			return s.stream.Release(sum, s.added, r, pay)
		case s.Own.Law != nil:
			return s.Own.Release(sum, r, s.Moves(), pay)
		}
		return noise.Gaussian{Scale: s.Sigma}.ReleaseSampled(sum, r, s.Of.Clip, s.Rate, pay)
	}
	if s.stream == nil && !pays {
		receipt, err := noise.Covered(release)
		return algorithm.Released(receipt), err
	}
	receipt, err := release(t.Spend)
	return algorithm.Released(receipt), err
}

// Size is the root of the mean square of the entries of the noise of all sums so far.
func (s *Drawn) Size() float64 {
	return kernel.Norm(s.total) / math.Sqrt(float64(s.Of.Length))
}

// State encodes and decodes the drawn noise.
func (s *Drawn) State(c *messages.Codec) {
	c.Floats("noise so far", s.total)
	switch {
	case s.draws != nil:
		c.Frame("noise", s.draws)
	case s.stream != nil:
		c.Part("", s.stream)
	}
}
