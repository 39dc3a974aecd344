package numeric

import (
	"math"

	"starling/mechanisms/portable"
)

// Beta is the probability that a variable of the beta law of a, b > 0 is at most x. It is NaN
// for arguments that give no law. Its relative error is about 2^-52 times the largest of a, b
// and 16, of the smaller of the probability and its complement.
//
// It is Lentz's evaluation of the continued fraction of the incomplete beta function
// (NIST Handbook of Mathematical Functions, 8.17.22).
func Beta(a, b, x float64) float64 {
	switch {
	case !(a > 0 && b > 0) || math.IsInf(a+b, 1) || math.IsNaN(x):
		return math.NaN()
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaFraction(b, a, 1-x, logBetaPower(a, b, x))
	}
	return betaFraction(a, b, x, logBetaPower(a, b, x))
}

// logBetaPower is the logarithm of x^a (1-x)^b over the beta function of a, b.
func logBetaPower(a, b, x float64) float64 {
	logBeta := portable.Lgamma(a) + portable.Lgamma(b) - portable.Lgamma(a+b)
	return float64(a*portable.Log(x)) + float64(b*portable.Log1p(-x)) - logBeta
}

// betaFraction is Beta for an x not above (a+1)/(a+b+2), given logBetaPower.
func betaFraction(a, b, x, logPower float64) float64 {
	const least = 0x1p-1000 // in the place of a denominator that vanishes
	nonzero := func(v float64) float64 {
		if math.Abs(v) < least {
			return least
		}
		return v
	}
	c, d := 1.0, 1/nonzero(1-float64((a+b)*x)/(a+1))
	fraction := d
	step := func(coefficient float64) (factor float64) {
		d = 1 / nonzero(1+float64(coefficient*d))
		c = nonzero(1 + coefficient/c)
		return float64(c * d)
	}
	// Terms are about sqrt(max(a, b)) in number; the bound ends the loop where numbers
	// are not finite.
	for m, last := 1.0, 100+float64(10*math.Sqrt(a+b)); m < last; m++ {
		fraction *= step(float64(float64(m*(b-m))*x) / (float64((a + float64(2*m) - 1) * (a + float64(2*m)))))
		factor := step(-float64(float64((a+m)*(a+b+m))*x) / (float64((a + float64(2*m)) * (a + float64(2*m) + 1))))
		fraction *= factor
		if math.Abs(factor-1) <= 0x1p-53 {
			break
		}
	}
	return portable.Exp(logPower) * fraction / a
}

// BetaQuantile is the x that a variable of the beta law of a, b > 0 exceeds with
// probability 1 - p, by Newton's steps in logarithms, or halves where these leave the
// bounds.
func BetaQuantile(a, b, p float64) float64 {
	switch {
	case !(a > 0 && b > 0 && p >= 0 && p <= 1) || math.IsInf(a+b, 1):
		return math.NaN()
	case p == 0 || p == 1:
		return p
	case p > 0.5:
		return 1 - BetaQuantile(b, a, 1-p)
	}
	low, high, x := 0.0, 1.0, a/(a+b)
	for range 200 {
		found := Beta(a, b, x)
		if found > p {
			high = x
		} else {
			low = x
		}
		// The logarithm of the probability is concave in the logarithm of x, and nearly
		// straight.
		slope := portable.Exp(logBetaPower(a, b, x)) / ((1 - x) * found)
		next := x * portable.Exp(portable.Log(p/found)/slope)
		if !(next > low && next < high) {
			next = low + float64((high-low)/2)
		}
		if math.Abs(next-x) <= 0x1p-51*x || high-low <= 0x1p-52*high {
			return next
		}
		x = next
	}
	return x
}

// StudentSurvival is the probability that a variable of Student's law of nu > 0 degrees
// of freedom exceeds t.
func StudentSurvival(nu, t float64) float64 {
	if math.IsInf(t, 0) {
		t = math.Copysign(math.MaxFloat64, t)
	}
	square := float64(t * t)
	half := float64(Beta(nu/2, 0.5, nu/(nu+square)) / 2)
	if square < nu { // where the other tail of the beta law is the smaller
		half = 0.5 - float64(Beta(0.5, nu/2, square/(nu+square))/2)
	}
	if t < 0 {
		return 1 - half
	}
	return half
}

// StudentQuantile is the t that a variable of Student's law of nu > 0 degrees of freedom
// exceeds with probability 1 - p.
func StudentQuantile(nu, p float64) float64 {
	switch {
	case p < 0.5:
		return -StudentQuantile(nu, 1-p)
	case p == 1:
		return math.Inf(1)
	}
	if p < 0.75 { // near the middle
		y := BetaQuantile(0.5, nu/2, float64(2*p)-1)
		return math.Sqrt(nu * y / (1 - y))
	}
	x := BetaQuantile(nu/2, 0.5, float64(2*(1-p)))
	return math.Sqrt(nu * (1 - x) / x)
}

// NormalProbability is the probability that a standard normal variable is at most x.
func NormalProbability(x float64) float64 { return float64(portable.Erfc(-x/math.Sqrt2) / 2) }
