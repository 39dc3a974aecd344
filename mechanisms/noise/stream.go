package noise

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Stream is the noise on the releases of one party in a run. It belongs to one goroutine at a
// time.
type Stream struct {
	of   Released
	rows *factorization.Stream // nil unless noise is correlated
	// paid reports whether all releases are paid for. It is part of a checkpoint: a run that
	// resumes does not pay twice.
	paid bool
	// standing is the receipt of all releases, written when it is first asked for.
	standing accountant.Receipt
}

// Pay pays for the next release, or for all releases where one payment covers them and they are
// not paid for. An error of pay is returned as it is, and nothing is then paid for.
func (s *Stream) Pay(pay func(accountant.Loss) error) error {
	if err := s.of.Additive().Validate(); err != nil || s.paid {
		return err
	}
	if err := pay(s.of.Loss()); err != nil {
		return err
	}
	s.paid = s.of.Once()
	return nil
}

// Release adds noise to the party's next release x, len d, in place, drawn from r, after pay
// has accepted its loss, or once the loss of all releases. It overwrites added, len d and apart
// from x, with the noise, except where each release has independent noise and is paid for: there
// added is not used. An error of pay is returned as it is. Where there is an error x is
// unchanged.
func (s *Stream) Release(x, added []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	next := 0
	if s.rows != nil {
		next = s.rows.Step()
	}
	return s.ReleaseAt(next, x, added, r, pay)
}

// ReleaseAt is Release of the party's input of a number, from 0, that is above those before it.
// Inputs in between that were not released are zeros: a datum is in inputs by their number, and
// so as far apart as stated, also where a party misses inputs. Correlated noise is then the
// noise of all prefix sums since the last release, as factorization.Stream.NextAt draws it.
func (s *Stream) ReleaseAt(input int, x, added []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if s.rows == nil && !s.of.Once() {
		return s.of.Release(x, r, pay)
	}
	if len(added) != len(x) {
		return accountant.Receipt{}, fmt.Errorf("noise of length %d for a vector of length %d", len(added), len(x))
	}
	if err := s.Pay(pay); err != nil {
		return accountant.Receipt{}, err
	}
	if s.rows == nil {
		clear(added)
		s.of.Additive().draw(added, r)
		kernel.Add(x, added)
		return s.stands(), nil
	}
	if err := s.rows.NextAt(input, added, r); err != nil {
		return accountant.Receipt{}, err
	}
	kernel.Axpy(x, s.of.scale, added)
	kernel.Scale(added, s.of.scale, added)
	return s.stands(), nil
}

// Covered makes a release that an earlier payment for another release covers: of parties of
// which none was in a release that the payment was for. It is Release without a payment.
func (s *Stream) Covered(x, added []float64, r *rng.Rand) (accountant.Receipt, error) {
	receipt, err := s.Release(x, added, r, func(accountant.Loss) error { return nil })
	if err != nil {
		return accountant.Receipt{}, err
	}
	return accountant.Standing(receipt.Loss()), nil
}

// Receipt returns the receipt of all releases, once they are paid for, and none before.
func (s *Stream) Receipt() accountant.Receipt {
	if !s.paid {
		return accountant.Receipt{}
	}
	return s.stands()
}

func (s *Stream) stands() accountant.Receipt {
	if !s.standing.Written() {
		s.standing = accountant.Standing(s.of.Loss())
	}
	return s.standing
}

// State implements messages.Stateful: whether all releases are paid for, and the rows of noise.
func (s *Stream) State(c *messages.Codec) {
	if s.of.Once() {
		c.Bool("paid", &s.paid)
	}
	if s.rows != nil {
		c.Frame("noise", s.rows)
	}
}
