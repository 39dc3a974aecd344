package accountant

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant/tails"
	"starling/mechanisms/portable"
)

// IntegerOrders are the Rényi orders 2, 3, ..., 64.
var IntegerOrders = func() (orders []float64) {
	for a := 2; a <= 64; a++ {
		orders = append(orders, float64(a))
	}
	return orders
}()

// ManyOrders are orders close enough to lose little against all orders:
// fractional ones between 1 and 16, whole ones to 64, and then a geometric row
// up to 2^16 for little loss.
var ManyOrders = func() (orders []float64) {
	for a := 1.01; a < 1.095; a += 0.01 {
		orders = append(orders, a)
	}
	for a := 11; a < 160; a++ {
		orders = append(orders, float64(a)/10)
	}
	for a := 16; a < 64; a++ {
		orders = append(orders, float64(a))
	}
	for a := 64.0; a <= 1<<16; a *= math.Sqrt2 {
		orders = append(orders, math.Round(a))
	}
	return orders
}()

// RDP returns the Rényi divergence of order a > 1 that all the steps together
// do not exceed, adding as well as removing a record (Mironov, Talwar, Zhang
// 2019, theorems 4 and 5): by the binomial sum at whole orders, by quadrature at
// fractional ones, both exact up to rounding.
func (s SampledGaussian) RDP(order float64) (float64, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	if !(order > 1) || math.IsInf(order, 1) {
		return 0, fmt.Errorf("order %v of a Rényi divergence is not a finite number > 1", order)
	}
	// Poisson sampling has no closed form but at its two ends: rate 0 releases nothing of
	// a record, and rate 1 is plain Gaussian noise of divergence a/(2 sigma^2).
	switch {
	case s.idle():
		return 0, nil
	case s.Noise == 0:
		return math.Inf(1), nil
	case s.Rate == 1:
		return float64(s.Steps) * order * GaussianRho(s.Noise), nil
	}
	return float64(s.Steps) * s.logMoment(order) / (order - 1), nil
}

// logMoment returns ln A(a), A(a) = E_{x ~ N(0, sigma^2)} ((1-q) + q
// exp((2x-1)/(2 sigma^2)))^a, for 0 < q < 1.
func (s SampledGaussian) logMoment(order float64) float64 {
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
	rho := GaussianRho(s.Noise)
	logExcess := math.Inf(-1) // ln(A - 1)
	var logBinomial float64
	for k := 1; k <= order; k++ {
		logBinomial += portable.Log(float64(order-k+1)) - portable.Log(float64(k))
		growth := float64(k) * float64(k-1) * rho
		if growth == 0 {
			continue
		}
		logExcess = tails.LogAdd(logExcess, logBinomial+float64(float64(order-k)*logRest)+float64(float64(k)*logRate)+logExpm1(growth))
	}
	return log1pExp(logExcess)
}

// logExpm1 returns ln(e^x - 1) for x > 0.
func logExpm1(x float64) float64 {
	if x > 40 {
		return x
	}
	return portable.Log(portable.Expm1(x))
}

// log1pExp returns ln(1 + e^x).
func log1pExp(x float64) float64 {
	if x > 40 {
		return x
	}
	return portable.Log1p(portable.Exp(x))
}

// quadraturePanels is over how many panels of legendre.nodes the moment of a
// fractional order is integrated, 10 standard deviations beyond the peaks.
const quadraturePanels = 120

// logMomentFractional integrates A(a) - 1 = E ((1 + r)^a - 1 - a r), r = q
// (exp((2x-1)/(2 sigma^2)) - 1), whose mean is 0. The integrand is convex in r
// and never negative, so that nothing cancels in the sum, and it is analytic:
// the error of the quadrature is that of its rounding.
func (s SampledGaussian) logMomentFractional(order float64) float64 {
	low, high := -10.0, order/s.Noise+10 // in units of sigma
	width := (high - low) / quadraturePanels
	logExcess := math.Inf(-1)
	for panel := range quadraturePanels {
		for i, node := range tails.Legendre.Nodes {
			z := low + float64(width*(float64(panel)+node))
			logBase := (z - 0.5/s.Noise) / s.Noise // ln of the likelihood ratio
			value := s.logConvex(order, logBase)
			logExcess = tails.LogAdd(logExcess, value+portable.Log(width*tails.Legendre.Weights[i])-float64(z*z/2)-tails.LogSqrt2Pi)
		}
	}
	return log1pExp(logExcess)
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

// Curve is a Rényi divergence for each of a list of orders. Divergences of releases on
// the same data add up order by order (Mironov 2017, proposition 1), which is why a curve
// is what is summed. The conversion to epsilon comes last and takes the order that gives
// the least.
type Curve struct {
	// Orders are the orders a, each > 1, increasing.
	Orders []float64
	// RDP holds the divergences, len(Orders), each >= 0.
	RDP []float64
}

// NewCurve returns the curve of nothing spent at orders, which it keeps.
func NewCurve(orders []float64) Curve {
	return Curve{Orders: orders, RDP: make([]float64, len(orders))}
}

// AddRho adds Gaussian noise of rho-zCDP, whose divergence at order a is a rho. It writes
// into c.RDP.
func (c Curve) AddRho(rho float64) {
	for i, a := range c.Orders {
		c.RDP[i] += float64(a * rho)
	}
}

// AddSampled adds the steps of a sampled Gaussian mechanism, SampledGaussian.RDP at each
// order. It writes into c.RDP. After an error the curve is spoilt. One call over
// ManyOrders takes a quadrature for each fractional order: see Converter, which makes
// that once.
func (c Curve) AddSampled(s SampledGaussian) error {
	for i, a := range c.Orders {
		rdp, err := s.RDP(a)
		if err != nil {
			return err
		}
		c.RDP[i] += rdp
	}
	return nil
}

// Epsilon returns the least epsilon that the plain conversion gives at delta,
// RDP + ln(1/delta)/(a-1) (Mironov 2017, proposition 3), and its order a.
func (c Curve) Epsilon(delta float64) (epsilon, order float64, err error) {
	return c.best(delta, func(a, rdp float64) float64 { return rdp - portable.Log(delta)/(a-1) })
}

// EpsilonCKS returns the same by the tighter conversion of Canonne, Kamath,
// Steinke 2020, proposition 12: RDP + ln(1 - 1/a) - (ln delta + ln a)/(a-1).
func (c Curve) EpsilonCKS(delta float64) (epsilon, order float64, err error) {
	return c.best(delta, func(a, rdp float64) float64 {
		return rdp + portable.Log1p(-1/a) - (portable.Log(delta)+portable.Log(a))/(a-1)
	})
}

func (c Curve) best(delta float64, convert func(order, rdp float64) float64) (epsilon, order float64, err error) {
	if err := checkDelta(delta); err != nil {
		return 0, 0, err
	}
	if len(c.Orders) == 0 || len(c.RDP) != len(c.Orders) {
		return 0, 0, fmt.Errorf("a curve of %d orders has %d divergences", len(c.Orders), len(c.RDP))
	}
	epsilon, order = math.Inf(1), c.Orders[0]
	for i, a := range c.Orders {
		if e := max(0, convert(a, c.RDP[i])); e < epsilon {
			epsilon, order = e, a
		}
	}
	return epsilon, order, nil
}
