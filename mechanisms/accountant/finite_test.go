package accountant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"starling/mechanisms/accountant"
)

// No epsilon, delta, rho or sigma is NaN or negative, and none is infinite for a loss that is
// private at a delta that is left for it, however extreme what it is computed from: it is a
// number, or an error says why there is none.
func TestEverythingIsFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	// Exponents are uniform, of which the ends are the last that float64 holds.
	pow := func(low, high float64) float64 { return math.Pow(10, low+(high-low)*r.Float64()) }
	check := func(what string, of any, x float64, err error) {
		t.Helper()
		if err == nil && (math.IsNaN(x) || x < 0 || math.IsInf(x, 1)) {
			t.Errorf("%s of %+v is %v", what, of, x)
		}
	}
	for range 1000 {
		epsilon, delta, rho, sigma, k := pow(-300, 6), pow(-300, -0.01), pow(-300, 6), pow(-6, 300), 1+r.IntN(1<<uint(r.IntN(20)))
		x, err := accountant.RhoOf(epsilon, delta)
		check("RhoOf", []float64{epsilon, delta}, x, err)
		x, err = accountant.ZCDPEpsilon(rho, delta)
		check("ZCDPEpsilon", []float64{rho, delta}, x, err)
		x, err = accountant.GaussianDelta(sigma, epsilon)
		check("GaussianDelta", []float64{sigma, epsilon}, x, err)
		x, err = accountant.GaussianEpsilon(sigma, delta)
		check("GaussianEpsilon", []float64{sigma, delta}, x, err)
		x, err = accountant.GaussianSigma(epsilon, delta)
		check("GaussianSigma", []float64{epsilon, delta}, x, err)
		x, err = accountant.BasicComposition(epsilon, k)
		check("BasicComposition", []any{epsilon, k}, x, err)
		x, err = accountant.PureComposition(epsilon, k, delta)
		check("PureComposition", []any{epsilon, k, delta}, x, err)
		x, err = accountant.OptimalComposition(epsilon, min(k, 10000), delta)
		check("OptimalComposition", []any{epsilon, k, delta}, x, err)
	}
	for i := range 80 {
		var total accountant.Total
		delta := pow(-250, -0.01)
		for range 1 + r.IntN(3) {
			loss := accountant.Loss{}
			switch r.IntN(5) {
			case 0:
				loss.Epsilon = pow(-200, 4)
			case 1:
				loss.Epsilon = pow(-200, 4)
				loss.Laplace = loss.Epsilon * r.Float64()
			case 2:
				loss.Rho = pow(-200, 5)
			case 3:
				loss.Concentrated = pow(-200, 5)
			case 4:
				loss.Sampled = accountant.SampledGaussian{Rate: min(1, pow(-12, 0.3)), Noise: pow(-2, 8), Steps: 1 + r.IntN(1000)}
			}
			total.AddTimes(loss, 1+r.IntN(1<<uint(r.IntN(12))))
		}
		by := []accountant.Method{accountant.RDP, accountant.RDPCKS, accountant.PLD}[min(2, i%9)] // PLD of most
		if i%9 > 2 {
			by = accountant.RDPCKS
		}
		x, err := total.Epsilon(delta, by)
		check("Epsilon by "+string(by), []any{total.Loss(), delta}, x, err)
		x, err = total.ReplaceEpsilon(delta, by)
		check("ReplaceEpsilon by "+string(by), []any{total.Loss(), delta}, x, err)
	}
}
