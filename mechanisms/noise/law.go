package noise

import (
	"math"
	"strings"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Law is the law of additive noise: independent noise of one scale on every entry of a
// vector. Its values have no fields, or can be compared otherwise. A scale is in the unit
// of the entries; the methods take one that Validate accepts.
//
// GaussianLaw and LaplaceLaw are the usual ones. Code outside of a law asks its methods, and
// compares it with GaussianLaw only where a proof needs sums of noise to be Gaussian again.
type Law interface {
	// String is the name in scenarios and in ledgers.
	String() string
	// Norm is the norm in which data move a release.
	Norm() Norm
	// Validate refuses a scale, such as a negative, an infinite one or NaN. Scale 0 adds
	// nothing.
	Validate(scale float64) error
	// Fit returns the scale at which a release that moves by moves is at the level of a
	// Calibration, above 0 and finite.
	Fit(level float64, moves Moves) (scale float64)
	// Loss is the cost of one release that moves by moves. One that does not move costs
	// nothing, and one that moves without noise is not private.
	Loss(scale float64, moves Moves) accountant.Loss
	// Add adds noise of a scale above 0 to every entry of x in place.
	Add(x []float64, scale float64, r *rng.Rand)
	// AddRows is Add for each row, to the same bits, each with its own stream.
	AddRows(rows Rows, scale float64)
	// LogRatio is the logarithm of the density of the noise at x around first, less that
	// around second, at a scale above 0.
	LogRatio(x, first, second, scale float64) float64
	// Deviation is the standard deviation of the noise on an entry.
	Deviation(scale float64) float64
	// CutMoments are the second and the fourth moment of noise of standard deviation 1 after
	// its absolute value is cut off at most.
	CutMoments(most float64) (second, fourth float64)
}

// Title is the name of a law at the start of a sentence.
func Title(l Law) string {
	name := l.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// Norm is a norm of vectors.
type Norm int

// The norms of laws.
const (
	L1 Norm = 1
	L2 Norm = 2
)

// Of is the norm by which data move a release.
func (n Norm) Of(moves Moves) float64 {
	if n == L2 {
		return moves.L2
	}
	return moves.L1
}

// Length is the norm of a vector.
func (n Norm) Length(x []float64) (sum float64) {
	for _, v := range x {
		if n == L2 {
			sum += float64(v * v)
		} else {
			sum += math.Abs(v)
		}
	}
	if n == L2 {
		return math.Sqrt(sum)
	}
	return sum
}

// Compose is the norm of two vectors side by side of which each has the given norm.
func (n Norm) Compose(first, second float64) float64 {
	if n == L2 {
		return portable.Hypot(first, second)
	}
	return first + second
}

// Ball is the ratio of the largest length of a vector of d entries in this norm to its length
// in 2-norm.
func (n Norm) Ball(d int) float64 {
	if n == L2 {
		return 1
	}
	return math.Sqrt(float64(d))
}
