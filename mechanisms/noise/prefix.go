package noise

import (
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Prefix is noise for the inputs of a run: all parties have the same, each with draws of its
// own. It is correlated over time by a factorization, or each input has noise of its own, of a
// law: a datum is then in one input, and the run costs it as much as one release. It is
// immutable.
type Prefix struct {
	// Factorization is A = BC over as many inputs as the run has at most; nil for noise
	// of its own on each input.
	Factorization *factorization.Factorization
	// Law is the law of noise of its own; nil for correlated noise.
	Law Law
	// Scale is sigma, the standard deviation of the entries of xi, or the scale of the
	// law, above 0.
	Scale float64
	// Sensitivity is the distance by which the data of a protected unit of a party move C G in
	// 2-norm, G its inputs, or move an input, in the norm of the law.
	Sensitivity float64
	// Entries is the length of an input, for laws with a loss that depends on it.
	Entries int
}

// Loss is the cost of all inputs of a party together; see Correlated and Disjoint.
func (p *Prefix) Loss() accountant.Loss {
	if p.Law != nil {
		own := p.own()
		return own.Loss()
	}
	return Gaussian{p.Scale}.Loss(p.Sensitivity)
}

func (p *Prefix) own() Disjoint {
	return Disjoint{Additive: Additive{Law: p.Law, Scale: p.Scale}, Moves: MovesL1(p.Sensitivity, p.Entries)}
}

// Scaled is the noise times a factor, for audits, which compare it with the loss of the noise
// itself. Times 0 it is nil, no noise, and so is the result for nil.
func (p *Prefix) Scaled(by float64) *Prefix {
	if p == nil || by == 0 {
		return nil
	}
	scaled := *p
	scaled.Scale *= by
	return &scaled
}

// PrefixStream is the noise on the inputs of one party. It belongs to one goroutine at a
// time.
type PrefixStream struct {
	stream     *factorization.Stream // nil of noise of its own
	correlated Correlated
	own        Disjoint
}

// Stream is the noise of a party, for inputs of len d >= 1; nil where there is no noise.
func (p *Prefix) Stream(d int) (*PrefixStream, error) {
	switch {
	case p == nil:
		return nil, nil
	case p.Law != nil:
		return &PrefixStream{own: p.own()}, nil
	}
	stream, err := p.Factorization.Stream(d)
	if err != nil {
		return nil, err
	}
	return &PrefixStream{stream: stream, correlated: Correlated{Scale: p.Scale, Sensitivity: p.Sensitivity}}, nil
}

// Pay pays for all inputs, unless they are paid for. An error of pay is returned as it is,
// and they are then not paid for.
func (s *PrefixStream) Pay(pay func(accountant.Loss) error) error {
	if s.stream == nil {
		return s.own.Pay(pay)
	}
	return s.correlated.Pay(pay)
}

// Release adds the noise of the party's next input to x, len d, in place, drawn from r,
// after pay has accepted the loss of all inputs: once, before the first. It overwrites
// added, len d and apart from x, with the noise. An error of pay is returned as it is.
// Where there is an error x is unchanged.
func (s *PrefixStream) Release(x, added []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	next := 0
	if s.stream != nil {
		next = s.stream.Step()
	}
	return s.ReleaseAt(next, x, added, r, pay)
}

// ReleaseAt is Release of the party's input of a number, from 0, that is above those before
// it. Inputs in between that were not released are zeros: a datum is in inputs by their
// number, and so as far apart as stated, also where a party misses inputs. Correlated noise is
// then the noise of all prefix sums since the last release, as factorization.Stream.NextAt
// draws it.
func (s *PrefixStream) ReleaseAt(input int, x, added []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if s.stream == nil {
		return s.own.Release(x, added, r, pay)
	}
	if err := s.Pay(pay); err != nil {
		return accountant.Receipt{}, err
	}
	if err := s.stream.NextAt(input, added, r); err != nil {
		return accountant.Receipt{}, err
	}
	receipt, err := s.correlated.Release(x, added, pay)
	kernel.Scale(added, s.correlated.Scale, added)
	return receipt, err
}

// ReleaseAmplified adds the noise of the next input of draws, a stream of the matrix of p for
// inputs of len d, to x, len d, in place, where a sample of the parties makes each input and
// the price is therefore not Release's. pay has to accept due first, the loss that falls due
// with this input, unless that is nothing. The receipt stands for price, the loss that is paid
// each time. added, len d and apart from x, is overwritten. An error of pay is returned as it
// is. Where there is an error x is unchanged.
func (p *Prefix) ReleaseAmplified(draws *factorization.Stream, x, added []float64, r *rng.Rand, due, price accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if due != (accountant.Loss{}) {
		if err := pay(due); err != nil {
			return accountant.Receipt{}, err
		}
	}
	if err := draws.Next(added, r); err != nil {
		return accountant.Receipt{}, err
	}
	for k, v := range added {
		x[k] += float64(p.Scale * v)
	}
	return accountant.Standing(price), nil
}

// Covered makes a release that an earlier payment covers: of inputs of parties of which none
// made one that the payment was for. The release gets a pay that accepts.
func Covered(release func(pay func(accountant.Loss) error) (accountant.Receipt, error)) (accountant.Receipt, error) {
	receipt, err := release(func(accountant.Loss) error { return nil })
	if err != nil {
		return accountant.Receipt{}, err
	}
	return accountant.Standing(receipt.Loss()), nil
}

// Receipt is the receipt of all releases, once they are paid for, and none before.
func (s *PrefixStream) Receipt() accountant.Receipt {
	if s.stream == nil {
		return s.own.Receipt()
	}
	return s.correlated.Receipt()
}

// State implements messages.Stateful: whether the inputs are paid for, and the stream.
func (s *PrefixStream) State(c *messages.Codec) {
	if s.stream == nil {
		c.Bool("paid", &s.own.Paid)
		return
	}
	c.Bool("paid", &s.correlated.Paid)
	c.Frame("noise", s.stream)
}
