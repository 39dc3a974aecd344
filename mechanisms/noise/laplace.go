// Package noise holds the additive mechanisms. Each draws from a generator that it is
// handed, and pays for a release before it makes it. There is no way to add noise without
// stating the sensitivity and accounting the loss.
//
//	mechanism    noise on every entry           sensitivity   loss of one release
//	Laplace      exp(-|x|/b)/(2b)               1-norm        epsilon = L1/b             Dwork, Roth 2014, 3.6
//	Gaussian     N(0, sigma^2)                  2-norm        rho = L2^2/(2 sigma^2)     Bun, Steinke 2016, 1.6
//	OnPrefixes   rows of B xi, xi of N(0, s^2)  max column    one rho for all steps      Denisov et al. 2022, 2.1
//	Shares       Gaussian noise in parts, for sums    2-norm        rho, of the sum
//	DiscreteShares  the same in whole numbers         2-norm        a rho of zCDP                Kairouz, Liu, Steinke 2021
//	Additive     noise of a Law, such as the first two, chosen by a scenario
//	Released     noise of a run with its moves and its loss, made by OnEach, OnDisjoint, OnSamples and OnPrefixes
//
// # The order of a release
//
//	1  the loss is computed from scale and sensitivity
//	2  pay(loss) is called; if it refuses, x stays as it is and nothing is drawn
//	3  noise is drawn and added in place
//	4  a Receipt is returned, with which a payload is marked as released
//
// The order matters. A refused release draws nothing and changes nothing: the caller
// still has its x and may stop, or send something public instead.
//
// Floating-point noise has known leaks in its last bits (Mironov 2012). The losses here are
// the losses of the real-valued mechanisms: the package simulates, and protects nobody's data.
package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Laplace adds independent noise of density exp(-|x|/b)/(2b) to every entry.
type Laplace struct {
	// Scale is b >= 0, in the unit of the entries; the standard deviation is sqrt(2) b. 0
	// adds nothing, and a release that moves then is not private.
	Scale float64
}

// Validate refuses a scale that is negative, infinite or NaN.
func (l Laplace) Validate() error {
	if !(l.Scale >= 0) || math.IsInf(l.Scale, 1) {
		return fmt.Errorf("Laplace scale %v is not a finite number >= 0", l.Scale)
	}
	return nil
}

// Loss is the cost of one release of a vector with 1-norm sensitivity sensitivity: pure
// epsilon = sensitivity/b (Dwork, Roth 2014, theorem 3.6). A vector that no neighbouring input
// moves costs nothing; one that moves and has no noise is not private.
func (l Laplace) Loss(sensitivity float64) accountant.Loss {
	// The order of the cases matters: a vector that does not move costs nothing even without
	// noise.
	switch {
	case sensitivity == 0:
		return accountant.Loss{}
	case l.Scale == 0:
		return accountant.NotPrivate()
	}
	epsilon := sensitivity / l.Scale
	if math.IsInf(epsilon, 1) {
		return accountant.NotPrivate()
	}
	return accountant.Loss{Epsilon: epsilon, Laplace: epsilon}
}

// Release adds noise to every entry of x in place, drawn from r, after pay has
// accepted the loss for the given 1-norm sensitivity of x, and gives the receipt of
// that. An error of pay is returned as it is, and x is then unchanged.
func (l Laplace) Release(x []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	return l.ReleaseAt(x, r, l.Loss(sensitivity), pay)
}

// ReleaseAt is Release for a loss that an analysis of many releases together gives this one,
// in place of its cost alone.
func (l Laplace) ReleaseAt(x []float64, r *rng.Rand, loss accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := l.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	if err := pay(loss); err != nil {
		return accountant.Receipt{}, err
	}
	if l.Scale > 0 {
		r.AddLaplace(x, l.Scale)
	}
	return accountant.NewReceipt(loss), nil
}

// LaplaceLaw is the law of Laplace: its scale is b, and the level of a Calibration epsilon.
var LaplaceLaw Law = laplaceLaw{}

type laplaceLaw struct{}

func (laplaceLaw) String() string              { return "laplace" }
func (laplaceLaw) Norm() Norm                  { return L1 }
func (laplaceLaw) Validate(b float64) error    { return Laplace{b}.Validate() }
func (laplaceLaw) Deviation(b float64) float64 { return math.Sqrt2 * b }
func (laplaceLaw) AddRows(rows Rows, b float64) {
	rows.Key.AddLaplaceRows(rows.Entries, rows.Width, b, rows.First, rows.Step, rows.Hop)
}
func (laplaceLaw) Add(x []float64, b float64, r *rng.Rand) { r.AddLaplace(x, b) }

func (laplaceLaw) Fit(epsilon float64, moves Moves) float64 { return moves.L1 / epsilon }

func (laplaceLaw) Loss(b float64, moves Moves) accountant.Loss { return Laplace{b}.Loss(moves.L1) }

func (laplaceLaw) LogRatio(x, first, second, b float64) float64 {
	return (math.Abs(x-second) - math.Abs(x-first)) / b
}

// CutMoments: E min(|w|, c)^k is the integral of k y^(k-1) P(|w| > y) up to c. Of the law of
// variance 1, with b = 1/sqrt(2), it is taken by parts.
func (laplaceLaw) CutMoments(c float64) (second, fourth float64) {
	b := 1 / math.Sqrt2
	y, rest := c/b, portable.Exp(-c/b)
	second = 2 * b * b * (1 - float64(rest*(1+y)))
	fourth = 24 * b * b * b * b * (1 - float64(rest*(1+y+float64(y*y/2)+float64(y*y*y/6))))
	return second, fourth
}
