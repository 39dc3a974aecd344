// Package selection holds the mechanisms that choose: the exponential mechanism,
// report-noisy-max and above-threshold, which is the sparse vector technique up to its
// first positive answer. Each draws from a generator that it is handed, and pays for a
// release before it makes it.
//
//	mechanism        publishes             loss (sensitivity D, scale b)           source
//	Exponential      an index              2D/b, or D/b if monotone                McSherry, Talwar 2007
//	ReportNoisyMax   an index              2D/b, or D/b if monotone                Dwork, Roth 2014, claim 3.9
//	AboveThreshold   yes or no, many times D/b1 + 2D/b2 until the first yes        Dwork, Roth 2014, algorithm 1
//
// A utility is better the larger it is. A caller that minimises hands in negative losses. The
// package keeps no state between calls: the noisy threshold that AboveThreshold has drawn
// belongs to the caller, which can write it to a checkpoint.
package selection

import (
	"errors"
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Exponential is the exponential mechanism (McSherry, Talwar 2007): index i is chosen with
// probability proportional to exp(u_i/Scale). It is drawn by inversion of the distribution
// function, from weights taken relative to the largest utility, so that nothing overflows and
// a choice takes one 64-bit draw for any utilities.
type Exponential struct {
	// Scale >= 0 is in the unit of the utilities. A larger scale chooses more at random
	// and costs less; 0 chooses the largest utility and is not private.
	Scale float64
	// Monotone states that a neighbouring input moves all utilities in the
	// same direction, which halves the loss.
	Monotone bool
}

// Validate refuses a scale that is negative, infinite or NaN.
func (e Exponential) Validate() error { return checkScale("exponential mechanism", e.Scale) }

// Loss is the cost of one choice where a neighbouring input moves no utility by
// more than sensitivity: 2 sensitivity/Scale, or half of it for monotone
// utilities (Dwork, Roth 2014, theorem 3.10 and its proof).
func (e Exponential) Loss(sensitivity float64) accountant.Loss {
	return loss(sensitivity, e.Scale, e.Monotone)
}

// Select returns an index of utilities, which it only reads, after pay has
// accepted the loss for the given sensitivity, and the receipt of that. An error of
// pay is returned as it is, with nothing drawn. Ties for the largest utility go to
// the lowest index where the scale is 0.
func (e Exponential) Select(utilities []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (int, accountant.Receipt, error) {
	receipt, err := charge(e, utilities, e.Loss(sensitivity), pay)
	if err != nil {
		return 0, receipt, err
	}
	return e.draw(utilities, r), receipt, nil
}

// draw draws an index.
func (e Exponential) draw(utilities []float64, r *rng.Rand) int {
	best := largest(utilities)
	if e.Scale == 0 {
		return best
	}
	var total float64
	for _, u := range utilities {
		total += e.weight(u, utilities[best])
	}
	// Inversion: walk along the weights until the uniform share of their sum is used up.
	rest := float64(total * rng.Unit(r.Uint64()))
	chosen := best
	for i, u := range utilities {
		w := e.weight(u, utilities[best])
		if w > 0 { // rounding never leaves the choice to an index without weight
			chosen = i
		}
		if rest -= w; rest < 0 {
			break
		}
	}
	return chosen
}

// charge has the loss of a choice paid, once mechanism and utilities are checked.
func charge(mechanism interface{ Validate() error }, utilities []float64, loss accountant.Loss, pay func(accountant.Loss) error) (accountant.Receipt, error) {
	if err := mechanism.Validate(); err != nil {
		return accountant.Receipt{}, err
	}
	if err := checkUtilities(utilities); err != nil {
		return accountant.Receipt{}, err
	}
	if err := pay(loss); err != nil {
		return accountant.Receipt{}, err
	}
	return accountant.NewReceipt(loss), nil
}

// weight is proportional to the probability of utility u; the best has 1. The
// difference of two finite utilities can be -Inf, of weight 0.
func (e Exponential) weight(u, best float64) float64 { return portable.Exp((u - best) / e.Scale) }

// loss is 2 sensitivity/scale, or sensitivity/scale if monotone.
func loss(sensitivity, scale float64, monotone bool) accountant.Loss {
	switch {
	case sensitivity == 0:
		return accountant.Loss{}
	case scale == 0:
		return accountant.NotPrivate()
	case monotone:
		return accountant.Loss{Epsilon: sensitivity / scale}
	}
	return accountant.Loss{Epsilon: 2 * sensitivity / scale}
}

// largest returns the lowest index of the largest entry.
func largest(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

func checkScale(name string, scale float64) error {
	if !(scale >= 0) || math.IsInf(scale, 1) {
		return fmt.Errorf("%s: scale %v is not a finite number >= 0", name, scale)
	}
	return nil
}

func checkUtilities(utilities []float64) error {
	if len(utilities) == 0 {
		return errors.New("no candidate to choose from")
	}
	for i, u := range utilities {
		if math.IsNaN(u) || math.IsInf(u, 0) {
			return fmt.Errorf("utility %d of %d is %v, want a finite number", i+1, len(utilities), u)
		}
	}
	return nil
}
