package accountant_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// momentByIntegral is A(a) - 1 = E_{x ~ N(0, sigma^2)} (1 - q + q
// e^((2x-1)/(2 sigma^2)))^a - 1 by quadrature of the definition.
func momentByIntegral(q, sigma, a float64) float64 {
	f := func(x float64) float64 {
		logPower, logDensity := a*math.Log1p(q*math.Expm1((2*x-1)/(2*sigma*sigma))), -x*x/(2*sigma*sigma)
		if logPower < 1 {
			return math.Exp(logDensity) * math.Expm1(logPower)
		}
		return math.Exp(logDensity+logPower) - math.Exp(logDensity)
	}
	var sum float64
	low, width := -12*sigma, (a+24*sigma)/500
	for i := range 500 {
		sum += quad.Fixed(f, low+float64(i)*width, low+float64(i+1)*width, 16, quad.Legendre{}, 0)
	}
	return sum / (sigma * math.Sqrt(2*math.Pi))
}

// Whole orders, by the binomial sum, and fractional ones are the integral that
// defines them.
func TestRDPIsTheIntegral(t *testing.T) {
	for _, q := range []float64{1e-4, 0.015, 0.3, 0.9} {
		for _, sigma := range []float64{0.6, 1.1, 4} {
			for _, a := range []float64{2, 3, 17, 1.1, 1.5, 2.1, 7.7, 15.9} {
				got := must[float64](t)(accountant.SampledGaussian{Rate: q, Noise: sigma, Steps: 1}.RDP(a))
				want := math.Log1p(momentByIntegral(q, sigma, a)) / (a - 1)
				// The reference cancels terms of the size of a q.
				if math.Abs(got-want) > 1e-11*want+1e-14*a*q/(a-1) {
					t.Errorf("q %v, sigma %v, order %v: %.15g, want %.15g", q, sigma, a, got, want)
				}
			}
		}
	}
}

// Just above and below a whole order the quadrature meets the binomial sum.
func TestRDPIsContinuous(t *testing.T) {
	for _, q := range []float64{1e-8, 1e-4, 0.3, 0.9, 1 - 1e-9} {
		for _, sigma := range []float64{0.2, 1, 30, 1e5} {
			for _, a := range []float64{2, 5, 15} {
				s := accountant.SampledGaussian{Rate: q, Noise: sigma, Steps: 1}
				at := must[float64](t)(s.RDP(a))
				below, above := must[float64](t)(s.RDP(a-1e-9)), must[float64](t)(s.RDP(a+1e-9))
				if !near(below, at, 1e-6) || !near(above, at, 1e-6) {
					t.Errorf("q %v, sigma %v: %v at order %v, %v before and %v after", q, sigma, at, a, below, above)
				}
			}
		}
	}
}

// The removal direction is the larger one (Mironov, Talwar, Zhang 2019, theorem
// 5): the integral of the reverse divergence is below.
func TestRDPCoversAdding(t *testing.T) {
	for _, q := range []float64{0.01, 0.5} {
		for _, sigma := range []float64{0.7, 2} {
			for _, a := range []float64{2, 5} {
				f := func(x float64) float64 {
					mixed := 1 + q*math.Expm1((2*x-1)/(2*sigma*sigma))
					return math.Exp(-x*x/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi)) * math.Pow(mixed, 1-a)
				}
				adding := math.Log(quad.Fixed(f, -12*sigma, 1+12*sigma, 400, quad.Legendre{}, 0)) / (a - 1)
				if got := must[float64](t)(accountant.SampledGaussian{Rate: q, Noise: sigma, Steps: 1}.RDP(a)); got < adding {
					t.Errorf("q %v, sigma %v, order %v: %v is below %v of adding", q, sigma, a, got, adding)
				}
			}
		}
	}
}

func TestRDPBoundaries(t *testing.T) {
	for _, test := range []struct {
		s           accountant.SampledGaussian
		order, want float64
	}{
		{accountant.SampledGaussian{}, 2, 0},
		{accountant.SampledGaussian{Rate: 0, Noise: 1, Steps: 5}, 2, 0},
		{accountant.SampledGaussian{Rate: 0, Noise: 0, Steps: 5}, 2, 0},
		{accountant.SampledGaussian{Rate: 1, Noise: 2, Steps: 3}, 5, 3 * 5.0 / 8},
		{accountant.SampledGaussian{Rate: 1, Noise: 2, Steps: 3}, 1.5, 3 * 1.5 / 8},
		{accountant.SampledGaussian{Rate: 0.1, Noise: 0, Steps: 1}, 2, math.Inf(1)},
		{accountant.SampledGaussian{Rate: 0.1, Noise: math.Inf(1), Steps: 1}, 2, 0},
		// ln(1 + q^2 (e^(1/sigma^2) - 1)) at order 2, for which 1 + q^2/sigma^2 is 1
		// in floating point.
		{accountant.SampledGaussian{Rate: 1e-12, Noise: 1, Steps: 1}, 2, 1e-24 * (math.E - 1)},
		{accountant.SampledGaussian{Rate: 0.5, Noise: 1e9, Steps: 1}, 2, 0.25e-18},
		// The largest term alone: q^64 e^(64 63/(2 sigma^2)), the rest is below
		// e^-5000 of it.
		{accountant.SampledGaussian{Rate: 0.01, Noise: 0.1, Steps: 1}, 64, (64*math.Log(0.01) + 64*63*50) / 63},
	} {
		if got := must[float64](t)(test.s.RDP(test.order)); !near(got, test.want, 1e-12) {
			t.Errorf("%+v at order %v: %v, want %v", test.s, test.order, got, test.want)
		}
	}
	for _, order := range []float64{1, 0, -2, math.NaN(), math.Inf(1)} {
		if _, err := (accountant.SampledGaussian{}).RDP(order); err == nil {
			t.Errorf("order %v is accepted", order)
		}
	}
}

// A Rényi divergence grows with the order; more of the data, less noise and
// more steps cost more; and (a-1) times it is convex in a, over all the orders.
func TestRDPMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := accountant.SampledGaussian{
			Rate:  math.Exp(rapid.Float64Range(-12, 0).Draw(t, "ln q")),
			Noise: math.Exp(rapid.Float64Range(-1.5, 4).Draw(t, "ln sigma")),
			Steps: rapid.IntRange(1, 1000).Draw(t, "steps"),
		}
		a := rapid.Float64Range(1.01, 64).Draw(t, "order")
		rdp := func(s accountant.SampledGaussian, a float64) float64 { return must[float64](t)(s.RDP(a)) }
		base := rdp(s, a)
		slack := base*1e-9 + float64(s.Steps)*1e-11/(a-1)
		more, noisier, longer := s, s, s
		more.Rate = min(1, s.Rate*1.1)
		noisier.Noise *= 1.1
		longer.Steps++
		if rdp(more, a) < base-slack || rdp(noisier, a) > base+slack || rdp(longer, a) < base-slack || rdp(s, a+0.5) < base-slack {
			t.Fatalf("%+v at order %v: %v; more data %v, more noise %v, longer %v, next order %v",
				s, a, base, rdp(more, a), rdp(noisier, a), rdp(longer, a), rdp(s, a+0.5))
		}
		if base < 0 || base > float64(s.Steps)*a*accountant.GaussianRho(s.Noise)*(1+1e-9)+slack {
			t.Fatalf("%+v at order %v: %v, more than without sampling", s, a, base)
		}
	})
}

// The conversions, by hand at one order: RDP 0.5 at order 5 and delta 1e-3.
func TestConversions(t *testing.T) {
	curve := accountant.NewCurve([]float64{5})
	curve.AddRho(0.1)
	plain, order, err := curve.Epsilon(1e-3)
	if want := 0.5 + 3*math.Ln10/4; err != nil || order != 5 || !near(plain, want, 1e-15) {
		t.Errorf("plain conversion %v at order %v, %v; want %v", plain, order, err, want)
	}
	tighter, _, err := curve.EpsilonCKS(1e-3)
	if want := 0.5 + math.Log(0.8) + (3*math.Ln10-math.Log(5))/4; err != nil || !near(tighter, want, 1e-14) {
		t.Errorf("tighter conversion %v, %v; want %v", tighter, err, want)
	}
	if _, _, err := curve.Epsilon(0); err == nil {
		t.Error("delta 0 is accepted")
	}
	if _, _, err := (accountant.Curve{}).Epsilon(0.1); err == nil {
		t.Error("no order is accepted")
	}
}

// Abadi et al. 2016, section 5.1: q = 0.01, sigma = 4, 10000 steps at delta 1e-5
// have epsilon 1.26 by the moments accountant.
func TestMomentsAccountant(t *testing.T) {
	got, _, err := accountant.SampledGaussian{Rate: 0.01, Noise: 4, Steps: 10000}.Epsilon(1e-5, accountant.RDP)
	if err != nil || math.Abs(got-1.26) > 0.005 {
		t.Errorf("epsilon %v, %v; want 1.26", got, err)
	}
}
