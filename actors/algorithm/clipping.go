package algorithm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/actors/option"
	"starling/mechanisms/kernel"
)

// OnBound is the treatment of a gradient that is longer than a bound.
type OnBound string

const (
	// BoundError fails the run. The zero value does too.
	BoundError OnBound = "error"
	// BoundClip scales the gradient down to the bound.
	BoundClip OnBound = "clip"
)

// onBounds lists the treatments.
func onBounds() []OnBound { return []OnBound{BoundError, BoundClip} }

// Bound is the assumption of sensitivities about gradients: none is longer than Theta in
// 2-norm, up to rounding. +Inf is no bound.
type Bound struct {
	Theta float64
	On    OnBound
	// Option and OnOption are the names of the options with the bound and the treatment; empty for theta and
	// gradient_bound.
	Option, OnOption string
}

// Check notes faults of the options theta and gradient_bound.
func (b Bound) Check(found *option.Faults) {
	found.Check(b.Theta > 0 && !math.IsInf(b.Theta, 1), "theta", "theta = %v is not a finite number > 0", b.Theta)
	found.Check(slices.Contains(onBounds(), b.On), "gradient_bound", "unknown gradient bound %q; known: error, clip", b.On)
}

// Enforce holds a gradient to the bound, and reports whether it was scaled down for that. It
// returns an error for a gradient that no clipping brings to the bound, and for one beyond it
// where nothing is clipped.
func (b Bound) Enforce(g []float64) (clipped bool, err error) {
	length, ok := withinBound(g, b.Theta)
	switch {
	case ok:
		return false, nil
	case math.IsNaN(length) || math.IsInf(length, 1):
		return false, fmt.Errorf("the gradient has length %v, which no clipping brings to the bound %v", length, b.Theta)
	case b.On == BoundClip:
		kernel.Scale(g, b.Theta/length, g)
		return true, nil
	}
	return false, fmt.Errorf("the gradient has length %.9g, over the bound %.9g that its privacy rests on: set %s to %s or more, or %s to %s", length, b.Theta, cmp.Or(b.Option, "theta"), enough(length), cmp.Or(b.OnOption, "gradient_bound"), BoundClip)
}

// enough writes a bound of three digits that is above a length.
func enough(length float64) string { return strconv.FormatFloat(float64(length*1.01), 'g', 3, 64) }

// Square returns the square of a 2-norm, rounded, that is surely within the bound; below 0
// where squares overflow or underflow.
func (b Bound) Square() float64 {
	square := float64(b.Theta * b.Theta)
	if !(square > 1e-280 && square < 1e280) {
		return -1
	}
	return square * (1 - 1e-12)
}

// boundSlack allows for rounding in a gradient of exactly the length of the bound.
const boundSlack = 1e-9

// withinBound returns the 2-norm of a gradient, and whether it is at most bound, up to
// rounding. A gradient with an entry that is no number is within none.
func withinBound(gradient []float64, bound float64) (length float64, ok bool) {
	length = kernel.Norm(gradient)
	return length, length <= bound*(1+boundSlack)
}

// Add adds a gradient to a sum, both of one length, scaled down to the 2-norm clip > 0 where
// it is longer, and reports whether it was; the gradient is overwritten. It returns an error
// for a gradient without a finite length, which no clipping brings to the norm.
func Add(sum, gradient []float64, clip float64) (clipped bool, err error) {
	length := kernel.Norm(gradient)
	if !(length <= math.MaxFloat64) {
		return false, fmt.Errorf("the gradient has length %v", length)
	}
	if clipped = length > clip; clipped {
		by := clip / length
		for k, g := range gradient {
			gradient[k] = g * by
		}
	}
	kernel.Add(sum, gradient)
	return clipped, nil
}
