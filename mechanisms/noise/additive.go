package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// Law is the law of additive noise.
type Law string

// The laws. The empty law is that of no noise.
const (
	LaplaceLaw  Law = "laplace"
	GaussianLaw Law = "gaussian"
)

// Moves is by how much neighbouring data move a release at most: in 1-norm and in
// 2-norm, both at least 0. The zero value is a release that no data move.
type Moves struct{ L1, L2 float64 }

// MovesL2 is for a release of dim entries that moves by l2 in 2-norm, and so by at most
// sqrt(dim) times that in 1-norm.
func MovesL2(l2 float64, dim int) Moves { return Moves{L1: l2 * math.Sqrt(float64(dim)), L2: l2} }

// MovesL1 is for a release that moves by l1 in 1-norm, and so by no more in 2-norm.
func MovesL1(l1 float64) Moves { return Moves{L1: l1, L2: l1} }

// Additive is independent noise of one law on every entry of a vector. The zero value
// adds nothing.
type Additive struct {
	// Law is laplace or gaussian; empty where there is no noise.
	Law Law
	// Scale is b of Laplace and sigma of Gaussian noise, >= 0; 0 adds nothing.
	Scale float64
}

// Validate refuses a law that is not known, and a scale that is negative, infinite or
// NaN.
func (a Additive) Validate() error {
	switch {
	case a == Additive{}:
		return nil
	case a.Law == LaplaceLaw:
		return Laplace{a.Scale}.Validate()
	case a.Law == GaussianLaw:
		return Gaussian{a.Scale}.Validate()
	}
	return a.Law.unknown()
}

// Validate refuses a law that is not known: what knows both by name would take it for the
// one or the other.
func (l Law) Validate() error {
	if l == LaplaceLaw || l == GaussianLaw {
		return nil
	}
	return l.unknown()
}

func (l Law) unknown() error {
	return fmt.Errorf("unknown law of noise %q; known: %s, %s", string(l), LaplaceLaw, GaussianLaw)
}

// Deviation is the standard deviation of the noise on an entry.
func (a Additive) Deviation() float64 {
	if a.Law == LaplaceLaw {
		return math.Sqrt2 * a.Scale
	}
	return a.Scale
}

// Loss is the cost of one release of a vector that neighbouring data move so much, in
// the norm of the law: that of Laplace.Loss or Gaussian.Loss. Without noise, and of a law
// that is not known, the release of a vector that moves is not private.
func (a Additive) Loss(moves Moves) accountant.Loss {
	switch {
	case a.Law == GaussianLaw:
		return Gaussian{a.Scale}.Loss(moves.L2)
	case a.Law == LaplaceLaw || a == Additive{}:
		return Laplace{a.Scale}.Loss(moves.L1)
	}
	return Laplace{}.Loss(moves.L1)
}

// Release adds noise to every entry of x in place, drawn from r, after pay has accepted
// the loss, and gives the receipt of that. An error of pay is returned as it is, and x
// is then unchanged.
func (a Additive) Release(x []float64, r *rng.Rand, moves Moves, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return a.ReleaseAt(x, r, a.Loss(moves), pay)
}

// ReleaseAt is Release for a loss that an analysis of many releases together gives
// this one, in place of what it would cost alone.
func (a Additive) ReleaseAt(x []float64, r *rng.Rand, loss accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	switch {
	case a.Law == LaplaceLaw || a == Additive{}:
		return Laplace{a.Scale}.ReleaseAt(x, r, loss, pay) // which validates
	case a.Law == GaussianLaw:
		return Gaussian{a.Scale}.release(x, r, loss, pay)
	}
	return accountant.Receipt{}, a.Validate()
}

// Again is Release of another vector that moves as much as one that was released before
// with the same noise, for which the receipt was given.
func (a Additive) Again(x []float64, r *rng.Rand, receipt *accountant.Receipt, pay func(accountant.Loss) error) error {
	if err := pay(receipt.Loss()); err != nil || a.Scale == 0 {
		return err
	}
	a.draw(x, r)
	return nil
}

// Rows are one or more vectors of equal length, side by side: row i is released by node First+i, with
// noise of its own stream, that of (Key, node, Step, Hop).
type Rows struct {
	Entries []float64
	Width   int // entries of a row
	Key     rng.Key
	First   int
	// Step and Hop are those of the release.
	Step, Hop int
}

// ReleaseRows is Release of each row, which all move as much: to the same bits. pay has
// accepted the loss for every row before the first is drawn; where it returns an error no
// row is changed. The receipt is that of each.
func (a Additive) ReleaseRows(rows Rows, moves Moves, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	var stream rng.Stream
	x, node := rows.Entries, rows.First
	receipt, err := a.Release(x[:rows.Width], stream.Open(rows.Key, node, rows.Step, rows.Hop), moves, pay)
	if err != nil || a.Scale == 0 {
		return receipt, err
	}
	if x, node = x[rows.Width:], node+1; a.Law == GaussianLaw {
		rows.Key.AddNormalRows(x, rows.Width, a.Scale, node, rows.Step, rows.Hop)
	} else {
		rows.Key.AddLaplaceRows(x, rows.Width, a.Scale, node, rows.Step, rows.Hop)
	}
	return receipt, nil
}

// draw adds noise that is paid for.
func (a Additive) draw(x []float64, r *rng.Rand) {
	if a.Law == GaussianLaw {
		r.AddNormal(x, a.Scale)
	} else {
		r.AddLaplace(x, a.Scale)
	}
}

// LogRatio is the logarithm of the density at x of the noise around first, less that of
// the noise around second. The scale must be above 0.
func (a Additive) LogRatio(x, first, second float64) float64 {
	x, first, second = float64(x), float64(first), float64(second) // not fused with what callers multiply
	if a.Law == GaussianLaw {
		return (first - second) * (x - float64((first+second)/2)) / (a.Scale * a.Scale)
	}
	return (math.Abs(x-second) - math.Abs(x-first)) / a.Scale
}

// Schedule says from what a release of a sequence takes its noise.
type Schedule string

const (
	// AsPrinted takes it from how far the release after it moves, as a paper prints it:
	// what the release really costs is then another thing.
	AsPrinted Schedule = "as-printed"
	// Shifted takes it from how far the release itself moves.
	Shifted Schedule = "shifted"
)

// Calibration fits noise of a law to how far releases move.
type Calibration struct {
	// Law decides which norm of Moves counts: the 1-norm for Laplace, the 2-norm for
	// Gaussian noise.
	Law Law
	// Level > 0 is how many scales of the noise neighbouring data move a release, in
	// the norm of the law: epsilon of Laplace noise, and mu of Gaussian noise, which is
	// mu-Gaussian differentially private (Dong, Roth, Su 2022, theorem 2.7). +Inf is no
	// noise.
	Level float64
}

// Fit is the noise for a release. It has the law of the calibration, which Additive.Validate
// refuses where it is not known.
func (c Calibration) Fit(moves Moves) Additive {
	if math.IsInf(c.Level, 1) {
		return Additive{}
	}
	if c.Law == GaussianLaw {
		return Additive{c.Law, moves.L2 / c.Level}
	}
	return Additive{c.Law, moves.L1 / c.Level}
}

// Validate refuses noise of a law that is not known. No noise has no law.
func (c Calibration) Validate() error {
	if !c.Private() {
		return nil
	}
	return c.Law.Validate()
}

// Private tells whether there is any noise.
func (c Calibration) Private() bool { return !math.IsInf(c.Level, 1) }

// Scaled has its noise multiplied; by 0 there is none.
func (c Calibration) Scaled(by float64) Calibration {
	c.Level /= by
	return c
}
