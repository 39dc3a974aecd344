// Package tails computes with probabilities too small for their logarithms to be taken
// last: of the standard normal law far out, and of sums and differences.
//
// It knows numbers only: no mechanism, no privacy parameter and no error.
package tails

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// LogSqrt2Pi is ln sqrt(2 pi).
const LogSqrt2Pi = 0.918938533204672741780329736405617640

// fractionFrom is where the continued fraction of Mills' ratio takes over from
// erfc. With fractionTerms terms its error there is below 1e-20.
const (
	fractionFrom  = 5
	fractionTerms = 30
)

// fraction returns 1/(x + 2/(x + 3/(x + ...))), the tail of the continued
// fraction of Mills' ratio after its first term, for x >= fractionFrom.
func fraction(x float64) float64 {
	var f float64
	for i := fractionTerms; i >= 1; i-- {
		f = float64(i) / (x + f)
	}
	return f
}

// Mills returns Mills' ratio Q(x)/phi(x), Q the upper tail and phi the density
// of the standard normal law, for x >= -30 or so; further down it overflows.
func Mills(x float64) float64 {
	if x >= fractionFrom {
		return 1 / (x + fraction(x))
	}
	return math.Sqrt(math.Pi/2) * math.Exp(x*x/2) * math.Erfc(x/math.Sqrt2)
}

// MillsSlope returns 1 - x Mills(x) > 0, the negative derivative of Mills'
// ratio, without cancellation for large x.
func MillsSlope(x float64) float64 {
	if x >= fractionFrom {
		f := fraction(x)
		return f / (x + f)
	}
	return 1 - x*Mills(x)
}

// LogInterval returns ln P(a < Z < b) of a standard normal Z, to nearly full
// relative precision in the far tails and on narrow intervals. a <= b.
func LogInterval(a, b float64) float64 {
	switch {
	case !(a < b):
		return math.Inf(-1)
	// The interval lies in the lower tail: its mirror image in the upper tail has the
	// same probability, and the formulas below are exact there.
	case a < 0 && b <= 0:
		a, b = -b, -a
	// 0 is inside: both halves are of ordinary size, and erf is exact for them.
	case a < 0:
		return math.Log((math.Erf(b/math.Sqrt2) + math.Erf(-a/math.Sqrt2)) / 2)
	}
	width, fall := b-a, (b-a)*(a+b)/2
	var ratio float64 // P over phi(a)
	// Narrow: the difference of two tails would cancel. The density is integrated
	// instead, relative to phi(a), over at most half a unit of its exponent.
	if fall < 0.5 {
		for i, node := range Legendre.Nodes {
			t := width * node
			ratio += width * Legendre.Weights[i] * math.Exp(-t*(a+t/2))
		}
	} else {
		// Wide: phi(b)/phi(a) is below e^-0.5, so the difference loses at most a bit or
		// two.
		ratio = Mills(a)
		if !math.IsInf(b, 1) {
			ratio -= math.Exp(-fall) * Mills(b)
		}
	}
	return math.Log(ratio) - a*a/2 - LogSqrt2Pi
}

// Legendre is Gauss-Legendre quadrature on [0, 1], exact for polynomials up to
// degree 23.
var Legendre = func() (rule struct{ Nodes, Weights []float64 }) {
	rule.Nodes, rule.Weights = make([]float64, 12), make([]float64, 12)
	quad.Legendre{}.FixedLocations(rule.Nodes, rule.Weights, 0, 1)
	return rule
}()

// LogAdd returns ln(e^a + e^b).
func LogAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// LogSub returns ln(e^a - e^b) for a >= b, -Inf where they are equal.
func LogSub(a, b float64) float64 {
	if !(a > b) {
		return math.Inf(-1)
	}
	return a + math.Log(-math.Expm1(b-a))
}
