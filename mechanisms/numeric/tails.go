package numeric

import (
	"math"

	"starling/mechanisms/portable"
)

// LogSqrt2Pi is ln sqrt(2 pi).
const LogSqrt2Pi = 0.918938533204672741780329736405617640

// fractionFrom is the argument from which on the continued fraction of Mills' ratio takes over
// from erfc. With fractionTerms terms its error there is below 1e-20.
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
	return math.Sqrt(math.Pi/2) * portable.Exp(x*x/2) * portable.Erfc(x/math.Sqrt2)
}

// MillsSlope returns 1 - x Mills(x) > 0, the negative derivative of Mills'
// ratio, without cancellation for large x.
func MillsSlope(x float64) float64 {
	if x >= fractionFrom {
		f := fraction(x)
		return f / (x + f)
	}
	return 1 - float64(x*Mills(x))
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
		return portable.Log((portable.Erf(b/math.Sqrt2) + portable.Erf(-a/math.Sqrt2)) / 2)
	}
	width, fall := b-a, (b-a)*(a+b)/2
	var ratio float64 // P over phi(a)
	// Narrow: the difference of two tails would cancel. The density is integrated
	// instead, relative to phi(a), over at most half a unit of its exponent.
	if fall < 0.5 {
		for i, node := range Legendre.Nodes {
			t := width * node
			ratio += float64(width * Legendre.Weights[i] * portable.Exp(-t*(a+float64(t/2))))
		}
	} else {
		// Wide: phi(b)/phi(a) is below e^-0.5, so the difference loses at most a bit or
		// two.
		ratio = Mills(a)
		if !math.IsInf(b, 1) {
			ratio -= float64(portable.Exp(-fall) * Mills(b))
		}
	}
	return portable.Log(ratio) - float64(a*a/2) - LogSqrt2Pi
}

// Legendre is Gauss-Legendre quadrature on [0, 1], exact for polynomials up to
// degree 23.
var Legendre = func() (rule struct{ Nodes, Weights []float64 }) {
	const count = 12
	for i := range count {
		// Newton's steps from Tricomi's guess at the zero; 6 reach the last bit.
		x := -portable.Cos(math.Pi * (float64(i) + 0.75) / (count + 0.5))
		var slope float64
		for range 6 {
			value, before := x, 1.0 // of the polynomials of degree n and n - 1
			for n := 2.0; n <= count; n++ {
				value, before = (float64((2*n-1)*x*value)-float64((n-1)*before))/n, value
			}
			slope = count * (before - float64(x*value)) / (1 - float64(x*x))
			x -= value / slope
		}
		rule.Nodes = append(rule.Nodes, float64((1+x)/2))
		rule.Weights = append(rule.Weights, 1/((1-float64(x*x))*slope*slope))
	}
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
	return a + portable.Log1p(portable.Exp(b-a))
}

// LogSub returns ln(e^a - e^b) for a >= b, -Inf where they are equal.
func LogSub(a, b float64) float64 {
	if !(a > b) {
		return math.Inf(-1)
	}
	return a + portable.Log(-portable.Expm1(b-a))
}

// Log1pExp returns ln(1 + e^x).
func Log1pExp(x float64) float64 {
	if x > 40 {
		return x
	}
	return portable.Log1p(portable.Exp(x))
}

// LogChoose is the logarithm of a binomial coefficient.
func LogChoose(n, k float64) float64 {
	return portable.Lgamma(n+1) - portable.Lgamma(k+1) - portable.Lgamma(n-k+1)
}
