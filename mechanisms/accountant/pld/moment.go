package pld

import (
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// LogMoment returns ln A(a), A(a) = E_{x ~ N(0, sigma^2)} ((1-q) + q
// exp((2x-1)/(2 sigma^2)))^a, for 0 < q < 1.
func (s SampledGaussian) LogMoment(order float64) float64 {
	floor := math.Floor(order)
	below := s.logMomentInteger(int(floor))
	if order == floor {
		return below
	}
	// ln A is convex in the order and 0 at order 1, so the chord is a bound.
	above := s.logMomentInteger(int(floor) + 1)
	chord := below + float64((order-floor)*(above-below))
	return min(chord, s.logMomentFractional(order))
}

// logMomentInteger is the binomial sum (Mironov, Talwar, Zhang 2019, section
// 3.3): A(a) = sum_k C(a, k) (1-q)^(a-k) q^k exp((k^2-k)/(2 sigma^2)). Without
// the exponentials the sum is 1, so A - 1 is the sum with each exponential less
// 1: all terms positive, and no digits lost where A is close to 1.
func (s SampledGaussian) logMomentInteger(order int) float64 {
	logRate, logRest := portable.Log(s.Rate), portable.Log1p(-s.Rate)
	inverse := 1 / s.Noise
	rho := inverse * inverse / 2
	logExcess := math.Inf(-1) // ln(A - 1)
	var logBinomial float64
	for k := 1; k <= order; k++ {
		logBinomial += portable.Log(float64(order-k+1)) - portable.Log(float64(k))
		growth := float64(k) * float64(k-1) * rho
		if growth == 0 {
			continue
		}
		logExcess = numeric.LogAdd(logExcess, logBinomial+float64(float64(order-k)*logRest)+float64(float64(k)*logRate)+logExpm1(growth))
	}
	return numeric.Log1pExp(logExcess)
}

// logExpm1 returns ln(e^x - 1) for x > 0.
func logExpm1(x float64) float64 {
	if x > 40 {
		return x
	}
	return portable.Log(portable.Expm1(x))
}

// quadraturePanels is the number of panels of legendre.nodes over which the moment of a
// fractional order is integrated, 10 standard deviations beyond the peaks.
const quadraturePanels = 120

// logMomentFractional integrates A(a) - 1 = E ((1 + r)^a - 1 - a r), r = q (exp((2x-1)/(2
// sigma^2)) - 1), of mean 0. The integrand is convex in r and never negative, so that nothing
// cancels in the sum, and it is analytic: the error of the quadrature is its rounding error.
func (s SampledGaussian) logMomentFractional(order float64) float64 {
	low, high := -10.0, order/s.Noise+10 // in units of sigma
	width := (high - low) / quadraturePanels
	logExcess := math.Inf(-1)
	for panel := range quadraturePanels {
		for i, node := range numeric.Legendre.Nodes {
			z := low + float64(width*(float64(panel)+node))
			logBase := (z - 0.5/s.Noise) / s.Noise // ln of the likelihood ratio
			value := s.logConvex(order, logBase)
			logExcess = numeric.LogAdd(logExcess, value+portable.Log(width*numeric.Legendre.Weights[i])-float64(z*z/2)-numeric.LogSqrt2Pi)
		}
	}
	return numeric.Log1pExp(logExcess)
}

// logConvex returns ln((1 + r)^a - 1 - a r) for r = q (e^logBase - 1).
func (s SampledGaussian) logConvex(order, logBase float64) float64 {
	if logBase > 300 { // everything but the power is out of sight
		return order * (logBase + portable.Log(s.Rate))
	}
	r := s.Rate * portable.Expm1(logBase)
	if order*math.Abs(r) < 1e-2 { // binomial series, to its seventh term
		term := order * (order - 1) / 2 * r * r
		var sum float64
		for k := 3.0; k <= 8; k++ {
			sum += term
			term *= (order - k + 1) / k * r
		}
		return portable.Log(sum)
	}
	power := float64(order * portable.Log1p(r))
	if power > 40 {
		return power + portable.Log1p(-portable.Exp(portable.Log1p(order*r)-power))
	}
	return portable.Log(portable.Expm1(power) - float64(order*r))
}
