package noise

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
)

// Disjoint is independent noise of one law on each of a stream of vectors, of which the data
// of a unit move one at most. All of them together cost as much as one (parallel composition:
// McSherry 2009, theorem 4), also where later vectors are chosen in view of earlier outputs:
// given those, the unit moves one conditional law of an output and no other, so that the ratio
// of the likelihoods of all outputs is the ratio of the likelihoods of that one.
type Disjoint struct {
	Additive
	// Moves is the distance by which a unit's data move the vector that they move.
	Moves Moves
	// Paid reports whether the stream is paid for. The field is part of a checkpoint: a run
	// that resumes does not pay twice.
	Paid bool
}

// Loss is the cost of the whole stream.
func (d *Disjoint) Loss() accountant.Loss { return d.Additive.Loss(d.Moves) }

// Pay pays for the whole stream unless it is paid for. An error of pay is returned as it
// is, and the stream is then not paid for.
func (d *Disjoint) Pay(pay func(accountant.Loss) error) error {
	if err := d.Validate(); err != nil || d.Paid {
		return err
	}
	if err := pay(d.Loss()); err != nil {
		return err
	}
	d.Paid = true
	return nil
}

// Release adds noise, drawn from r, to the next vector x in place, pays for the stream
// before if that has not been done, and overwrites drawn, len(x) and apart from x, with
// the noise. x is unchanged where it returns an error.
func (d *Disjoint) Release(x, drawn []float64, r *rng.Rand, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if len(drawn) != len(x) {
		return accountant.Receipt{}, fmt.Errorf("noise of length %d for a vector of length %d", len(drawn), len(x))
	}
	if err := d.Pay(pay); err != nil {
		return accountant.Receipt{}, err
	}
	clear(drawn)
	if _, err := d.Additive.Release(drawn, r, d.Moves, paidBefore); err != nil {
		return accountant.Receipt{}, err
	}
	kernel.Add(x, drawn)
	return d.Receipt(), nil
}

// paidBefore charges nothing for a vector of a stream that is paid for.
func paidBefore(accountant.Loss) error { return nil }

// Receipt is the receipt of all the stream's releases, once the stream is paid for, and none
// before.
func (d *Disjoint) Receipt() accountant.Receipt {
	if !d.Paid {
		return accountant.Receipt{}
	}
	return accountant.Standing(d.Loss())
}
