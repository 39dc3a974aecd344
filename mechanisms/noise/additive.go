package noise

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// Moves is the largest distance by which neighbouring data move a release: in 1-norm and in
// 2-norm, both at least 0. The zero value is a release that no data move.
type Moves struct {
	L1, L2 float64
	// Entries is the length of the release, for laws with a loss that depends on it.
	Entries int
}

// MovesL2 is the Moves of a release of dim entries that moves by l2 in 2-norm, and so by at
// most sqrt(dim) times that in 1-norm.
func MovesL2(l2 float64, dim int) Moves {
	return Moves{L1: l2 * math.Sqrt(float64(dim)), L2: l2, Entries: dim}
}

// MovesL1 is the Moves of a release of dim entries that moves by l1 in 1-norm, and so by no
// more in 2-norm.
func MovesL1(l1 float64, dim int) Moves { return Moves{L1: l1, L2: l1, Entries: dim} }

// Plus returns the Moves of the sum of two vectors, of a release of as many entries.
func (m Moves) Plus(other Moves) Moves {
	return Moves{L1: m.L1 + other.L1, L2: m.L2 + other.L2, Entries: max(m.Entries, other.Entries)}
}

// None reports whether no data move the release.
func (m Moves) None() bool { return m.L1 == 0 && m.L2 == 0 }

// Additive is independent noise of one law on every entry of a vector. The zero value
// adds nothing.
type Additive struct {
	// Law is nil where there is no noise.
	Law Law
	// Scale is b of Laplace and sigma of Gaussian noise, >= 0; 0 adds nothing.
	Scale float64
}

// errNoLaw refuses noise without a law.
var errNoLaw = errors.New("noise without a law")

// Validate refuses noise without a law, and a scale that the law refuses.
func (a Additive) Validate() error {
	switch {
	case a == Additive{}:
		return nil
	case a.Law == nil:
		return errNoLaw
	}
	return a.Law.Validate(a.Scale)
}

// Deviation is the standard deviation of the noise on an entry.
func (a Additive) Deviation() float64 {
	if a.Law == nil {
		return 0
	}
	return a.Law.Deviation(a.Scale)
}

// Loss is the cost of one release of a vector that neighbouring data move by moves, by the
// law. Without noise the release of a vector that moves is not private.
func (a Additive) Loss(moves Moves) accountant.Loss {
	switch {
	case a.Law != nil:
		return a.Law.Loss(a.Scale, moves)
	case moves.None():
		return accountant.Loss{}
	}
	return accountant.NotPrivate()
}

// Release adds noise to every entry of x in place, drawn from r, after pay has accepted
// the loss, and gives the receipt of that. An error of pay is returned as it is, and x
// is then unchanged.
func (a Additive) Release(x []float64, r *rng.Rand, moves Moves, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return a.ReleaseAt(x, r, a.Loss(moves), pay)
}

// ReleaseAt is Release for a loss that an analysis of many releases together gives this one,
// in place of its cost alone.
func (a Additive) ReleaseAt(x []float64, r *rng.Rand, loss accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := a.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	if err := pay(loss); err != nil {
		return accountant.Receipt{}, err
	}
	a.draw(x, r)
	return accountant.NewReceipt(loss), nil
}

// Again is Release of another vector that moves as much as one that was released before
// with the same noise, for which the receipt was given.
func (a Additive) Again(x []float64, r *rng.Rand, receipt *accountant.Receipt, pay func(accountant.Loss) error) error {
	if err := pay(receipt.Loss()); err != nil {
		return err
	}
	a.draw(x, r)
	return nil
}

// draw adds noise that is paid for.
func (a Additive) draw(x []float64, r *rng.Rand) {
	if a.Scale > 0 {
		a.Law.Add(x, a.Scale, r)
	}
}

// Rows are one or more vectors of equal length, side by side: row i is released by node
// First+i, with noise of its own stream, the stream of (Key, node, Step, Hop).
type Rows struct {
	Entries []float64
	Width   int // entries of a row
	Key     rng.Key
	First   int
	// Step and Hop are the step and the hop of the release.
	Step, Hop int
}

// Each calls add for every row, with the generator of its stream.
func (rows Rows) Each(add func(x []float64, r *rng.Rand)) {
	var stream rng.Stream
	for i := 0; i < len(rows.Entries); i += rows.Width {
		add(rows.Entries[i:i+rows.Width], stream.Open(rows.Key, rows.First+i/rows.Width, rows.Step, rows.Hop))
	}
}

// ReleaseRows is Release of each row, which all move as much: to the same bits. pay has
// accepted the loss for every row before the first is drawn; where it returns an error no row
// is changed. The receipt is the receipt of each row.
func (a Additive) ReleaseRows(rows Rows, moves Moves, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	loss, err := a.Loss(moves), a.Validate()
	if err == nil {
		err = pay(loss)
	}
	if err != nil {
		return accountant.Receipt{}, err
	}
	if a.Scale > 0 {
		a.Law.AddRows(rows, a.Scale)
	}
	return accountant.NewReceipt(loss), nil
}

// LogRatio is the logarithm of the density at x of the noise around first, less the logarithm
// for the noise around second. The scale must be above 0.
func (a Additive) LogRatio(x, first, second float64) float64 {
	return a.Law.LogRatio(x, first, second, a.Scale)
}

// Schedule names the move that sets the noise of a release of a sequence.
type Schedule string

const (
	// AsPrinted takes the move of the release after it, as a paper prints it: the cost of the
	// release is then another.
	AsPrinted Schedule = "as-printed"
	// Shifted takes the move of the release itself.
	Shifted Schedule = "shifted"
)

// Calibration fits noise of a law to the moves of releases.
type Calibration struct {
	// Law is nil only where there is no noise.
	Law Law
	// Level > 0 is the number of scales of the noise by which neighbouring data move a
	// release, in the norm of the law: epsilon of Laplace noise, and mu of Gaussian noise,
	// which is mu-Gaussian differentially private (Dong, Roth, Su 2022, theorem 2.7). +Inf is
	// no noise.
	Level float64
}

// Fit is the noise for a release.
func (c Calibration) Fit(moves Moves) Additive {
	if !c.Private() {
		return Additive{}
	}
	return Additive{c.Law, c.Law.Fit(c.Level, moves)}
}

// Validate refuses a level that is not above 0, and noise without a law.
func (c Calibration) Validate() error {
	switch {
	case !(c.Level > 0):
		return fmt.Errorf("noise at level %v; want a number above 0", c.Level)
	case c.Private() && c.Law == nil:
		return errNoLaw
	}
	return nil
}

// Private reports whether there is any noise.
func (c Calibration) Private() bool { return !math.IsInf(c.Level, 1) }

// Scaled has its noise multiplied; by 0 there is none.
func (c Calibration) Scaled(by float64) Calibration {
	c.Level /= by
	return c
}
