package noise

import (
	"math/rand/v2"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// Prefix is correlated noise for the inputs of a run: all parties have the same, each
// with draws of its own. It is immutable.
type Prefix struct {
	// Factorization is A = BC over as many inputs as the run has at most.
	Factorization *factorization.Factorization
	// Scale is sigma, the standard deviation of the entries of xi, above 0.
	Scale float64
	// Sensitivity is how far what a party protects moves C G in 2-norm, G its inputs.
	Sensitivity float64
}

// Loss is what all inputs of a party cost together; see Correlated.
func (p *Prefix) Loss() accountant.Loss { return Gaussian{p.Scale}.Loss(p.Sensitivity) }

// PrefixStream is the noise on the inputs of one party. It belongs to one goroutine at a
// time.
type PrefixStream struct {
	stream *factorization.Stream
	noise  Correlated
	row    []float64 // working memory, len d
}

// Stream is that of a party, for inputs of len d >= 1.
func (p *Prefix) Stream(d int) (*PrefixStream, error) {
	stream, err := p.Factorization.Stream(d)
	if err != nil {
		return nil, err
	}
	return &PrefixStream{stream: stream, noise: Correlated{Scale: p.Scale, Sensitivity: p.Sensitivity}, row: make([]float64, d)}, nil
}

// Release adds the noise of the party's next input to x, len d, in place, drawn from r,
// after pay has accepted the loss of all inputs: once, before the first. An error of pay
// is returned as it is. Where there is an error x is unchanged and nothing is drawn.
func (s *PrefixStream) Release(x []float64, r *rand.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := s.noise.Pay(pay); err != nil {
		return accountant.Receipt{}, err
	}
	if err := s.stream.Next(s.row, r); err != nil {
		return accountant.Receipt{}, err
	}
	return s.noise.Release(x, s.row, pay)
}

// State implements messages.Stateful: whether the inputs are paid for, and the stream.
func (s *PrefixStream) State(c *messages.Codec) {
	c.Bool("paid", &s.noise.Paid)
	c.Frame("noise", s.stream)
}
