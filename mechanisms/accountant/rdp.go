package accountant

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant/pld"
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
	return float64(s.Steps) * pld.SampledGaussian(s).LogMoment(order) / (order - 1), nil
}

// Curve is a Rényi divergence for each of a list of orders. Divergences of releases on the
// same data add up order by order (Mironov 2017, proposition 1), and so curves are summed. The
// conversion to epsilon comes last and takes the order that gives the least.
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

// AddRho adds Gaussian noise of rho-zCDP, with divergence a rho at order a. It writes into
// c.RDP.
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
