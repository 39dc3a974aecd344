package selection

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// Law is the law of the noise that report-noisy-max adds.
type Law string

const (
	// LaplaceLaw has the density exp(-|x|/b)/(2b).
	LaplaceLaw Law = "laplace"
	// ExponentialLaw has the density exp(-x/b)/b on x >= 0. It has the loss of LaplaceLaw at
	// the same scale and is never less useful: it chooses as permute-and-flip does (McKenna,
	// Sheldon 2020; Ding et al. 2021).
	ExponentialLaw Law = "exponential"
)

// ReportNoisyMax adds independent noise to every utility and returns the index
// of the largest, and nothing else.
type ReportNoisyMax struct {
	// Law is the law of the noise. ExponentialLaw is never worse at the same loss; most papers
	// use LaplaceLaw.
	Law Law
	// Scale is b >= 0, in the unit of the utilities; 0 adds nothing and is not private.
	Scale float64
	// Monotone states that a neighbouring input moves all utilities in the
	// same direction, which halves the loss.
	Monotone bool
}

// Validate refuses an unknown law and a scale that is negative, infinite or
// NaN.
func (m ReportNoisyMax) Validate() error {
	if m.Law != LaplaceLaw && m.Law != ExponentialLaw {
		return fmt.Errorf("report noisy max: unknown law %q; known: %s, %s", m.Law, LaplaceLaw, ExponentialLaw)
	}
	return checkScale("report noisy max", m.Scale)
}

// Loss is the cost of one report where a neighbouring input moves no utility
// by more than sensitivity: 2 sensitivity/b, or half of it for monotone
// utilities (Dwork, Roth 2014, claim 3.9, which is the monotone case: general
// utilities can move apart by twice the sensitivity).
func (m ReportNoisyMax) Loss(sensitivity float64) accountant.Loss {
	return loss(sensitivity, m.Scale, m.Monotone)
}

// Select returns an index of utilities, which it only reads, after pay has
// accepted the loss for the given sensitivity, and the receipt of that. It draws
// one number an entry, in order. Ties go to the lowest index. An error of pay
// is returned as it is, with nothing drawn.
func (m ReportNoisyMax) Select(utilities []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (int, accountant.Receipt, error) {
	return m.SelectAt(utilities, r, m.Loss(sensitivity), pay)
}

// SelectAt is Select for a loss that an analysis of many reports together gives this one, in
// place of its cost alone.
func (m ReportNoisyMax) SelectAt(utilities []float64, r *rng.Rand, loss accountant.Loss, pay func(accountant.Loss) error) (int, accountant.Receipt, error) {
	receipt, err := charge(m, utilities, loss, pay)
	if err != nil {
		return 0, receipt, err
	}
	return m.draw(utilities, r), receipt, nil
}

// draw draws an index.
func (m ReportNoisyMax) draw(utilities []float64, r *rng.Rand) int {
	if m.Scale == 0 {
		return largest(utilities)
	}
	best, index := math.Inf(-1), 0
	for i, u := range utilities {
		if noisy := u + float64(m.Scale*m.standard(r)); noisy > best {
			best, index = noisy, i
		}
	}
	return index
}

// Largest returns the index of the largest of utilities that are released already, the lowest
// where there are several: a choice that costs nothing more. The errors are as for Select.
func Largest(utilities []float64) (int, error) {
	if err := checkUtilities(utilities); err != nil {
		return 0, err
	}
	return largest(utilities), nil
}

// standard draws noise of scale 1.
func (m ReportNoisyMax) standard(r *rng.Rand) float64 {
	if m.Law == ExponentialLaw {
		return r.ExpFloat64()
	}
	return r.Laplace()
}
