package numeric

import (
	"math"

	"starling/mechanisms/portable"
)

// Jump is L steps at once of two recurrences with positive terms and equal a:
// forward q <- ((a+sigma) q + a)/(q + sigma), backward t <- (sigma t + a)/(t + a +
// sigma), where with 2 cosh theta = 2 + a sigma is 1 - sinh((L-1) theta)/sinh(L
// theta), from the powers of a matrix with determinant 1. L = 0 is no step.
type Jump struct{ a, sigma float64 }

// NewJump is the jump over length >= 0 steps with a >= 0. Hyperbolic functions are written
// in exponentials of negative arguments, which do not overflow for any length.
func NewJump(a float64, length int) Jump {
	switch {
	case length == 0:
		return Jump{0, math.Inf(1)}
	case a == 0:
		return Jump{0, 1 / float64(length)}
	}
	theta := 2 * asinh(math.Sqrt(a)/2)
	l := float64(length)
	sigma := portable.Expm1(-theta) * (1 + portable.Exp(-(2*l-1)*theta)) / portable.Expm1(-2*l*theta)
	return Jump{a, sigma}
}

// asinh is the inverse hyperbolic sine of x >= 0.
func asinh(x float64) float64 {
	square := float64(x * x)
	return portable.Log1p(x + square/(1+math.Sqrt(1+square)))
}

// Forward is q after the jump, given q before it.
func (j Jump) Forward(q float64) float64 {
	if math.IsInf(j.sigma, 1) {
		return q
	}
	return (float64((j.a+j.sigma)*q) + j.a) / (q + j.sigma)
}

// Backward is t before the jump, given t after it.
func (j Jump) Backward(t float64) float64 {
	if math.IsInf(j.sigma, 1) {
		return t
	}
	return (float64(j.sigma*t) + j.a) / (t + j.a + j.sigma)
}
