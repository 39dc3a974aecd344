package accountant_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// must returns a function that fails the test on an error.
func must[T any](t interface {
	Helper()
	Fatal(...any)
}) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// near tells whether got is want within a relative tolerance.
func near(got, want, tolerance float64) bool {
	return got == want || !math.IsInf(want, 0) && math.Abs(got-want) <= tolerance*math.Abs(want)
}

// The published calibrations: the classic one is (sqrt(epsilon + ln(1/delta)) -
// sqrt(ln(1/delta)))^2 by hand, the exact one Balle and Wang's.
func TestCalibrationTable(t *testing.T) {
	for _, test := range []struct {
		epsilon, delta, rho, classic, exact float64
	}{
		{2, 1e-3, 0.126967789, 1.984441, 1.445239},
		{0.5, 1e-3, 0.00873445238, 7.566014, 4.610128},
	} {
		rho := must[float64](t)(accountant.RhoOf(test.epsilon, test.delta))
		if !near(rho, test.rho, 1e-8) || !near(accountant.SigmaOfRho(rho), test.classic, 5e-7) {
			t.Errorf("(%v, %v): rho %.9g, sigma %.7g, want %v, %v", test.epsilon, test.delta, rho, accountant.SigmaOfRho(rho), test.rho, test.classic)
		}
		if got := must[float64](t)(accountant.GaussianSigma(test.epsilon, test.delta)); !near(got, test.exact, 5e-7) {
			t.Errorf("(%v, %v): exact sigma %.7g, want %v", test.epsilon, test.delta, got, test.exact)
		}
	}
}

// deltaByTails is delta = E (1 - e^(epsilon - L))_+ = int_0^inf e^-t P(L >
// epsilon + t) dt for the privacy loss L ~ N(mu^2/2, mu^2) of a Gaussian, by
// quadrature of the tail: no difference is taken, so no digits are lost. The
// panels are short against both scales of the integrand, 1 and that of the tail.
func deltaByTails(mu, epsilon float64) float64 {
	tail := func(t float64) float64 {
		return math.Exp(-t) * math.Erfc((epsilon+t-mu*mu/2)/mu/math.Sqrt2) / 2
	}
	scale := min(1, mu/max(1, epsilon/mu-mu/2))
	var sum float64
	for i := range 400 {
		from := float64(i) * scale / 4
		sum += quad.Fixed(tail, from, from+scale/4, 20, quad.Legendre{}, 0)
	}
	return sum
}

func TestGaussianDeltaIsTheIntegral(t *testing.T) {
	for _, sigma := range []float64{0.05, 0.3, 1, 3, 20, 1e3, 1e6} {
		for _, multiple := range []float64{0, 1e-3, 0.3, 1, 3, 9, 36} { // of the loss's deviation
			epsilon := multiple / sigma
			got, want := must[float64](t)(accountant.GaussianDelta(sigma, epsilon)), deltaByTails(1/sigma, epsilon)
			// The reference sees its own rounding of erfc's argument, up to 36^2 ulp.
			if !near(got, want, 1e-12) {
				t.Errorf("sigma %v, epsilon %v: delta %.15g, want %.15g", sigma, epsilon, got, want)
			}
		}
	}
}

// At epsilon 0 delta is the total variation distance, erf(1/(2 sqrt 2 sigma)).
func TestGaussianDeltaAtZeroIsTotalVariation(t *testing.T) {
	for _, sigma := range []float64{1e-9, 0.1, 0.5, 1, 7, 1e9, 1e200} {
		got := must[float64](t)(accountant.GaussianDelta(sigma, 0))
		if want := math.Erf(1 / (2 * math.Sqrt2 * sigma)); !near(got, want, 1e-14) {
			t.Errorf("sigma %v: %v, want %v", sigma, got, want)
		}
	}
}

// Both inverses of delta: sigma and epsilon are private enough, and hardly less
// would not be.
func TestGaussianInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := math.Exp(rapid.Float64Range(-12, 8).Draw(t, "ln epsilon"))
		delta := math.Exp(rapid.Float64Range(-690, -0.01).Draw(t, "ln delta"))
		sigma := must[float64](t)(accountant.GaussianSigma(epsilon, delta))
		at := func(sigma, epsilon float64) float64 {
			return must[float64](t)(accountant.GaussianDelta(sigma, epsilon))
		}
		// delta is up to ln(1/delta) 2^-52 times as sensitive as its arguments.
		if got := at(sigma, epsilon); got > delta*(1+1e-11) {
			t.Fatalf("sigma %v leaves delta %v > %v", sigma, got, delta)
		}
		if got := at(sigma*(1-1e-9), epsilon); got <= delta {
			t.Fatalf("less than sigma %v would do: %v <= %v", sigma, got, delta)
		}
		back := must[float64](t)(accountant.GaussianEpsilon(sigma, delta))
		if got := at(sigma, back); got > delta*(1+1e-11) || !near(back, epsilon, 1e-6) {
			t.Fatalf("epsilon %v of sigma %v has delta %v, want %v and epsilon %v", back, sigma, got, delta, epsilon)
		}
		rho := must[float64](t)(accountant.RhoOf(epsilon, delta))
		if accountant.SigmaOfRho(rho) < sigma {
			t.Fatalf("the classic sigma %v is below the exact %v", accountant.SigmaOfRho(rho), sigma)
		}
		if got := must[float64](t)(accountant.ZCDPEpsilon(rho, delta)); !near(got, epsilon, 1e-12) {
			t.Fatalf("rho %v converts to epsilon %v, want %v", rho, got, epsilon)
		}
	})
}

func TestGaussianBoundaries(t *testing.T) {
	if got := must[float64](t)(accountant.GaussianEpsilon(1, 0.9)); got != 0 {
		t.Errorf("sigma 1 at delta 0.9 has epsilon %v, want 0: the total variation is 0.38", got)
	}
	if got := must[float64](t)(accountant.GaussianSigma(0, 1e-300)); !near(got, 1e300/math.Sqrt(2*math.Pi), 1e-12) {
		t.Errorf("epsilon 0 at delta 1e-300 takes sigma %v", got)
	}
	if got := must[float64](t)(accountant.GaussianEpsilon(math.Inf(1), 1e-5)); got != 0 {
		t.Errorf("infinite noise has epsilon %v", got)
	}
	if got := must[float64](t)(accountant.GaussianDelta(1e-170, 5)); got != 1 {
		t.Errorf("hardly any noise has delta %v", got)
	}
	if got := must[float64](t)(accountant.RhoOf(0, 1e-5)); got != 0 {
		t.Errorf("epsilon 0 allows rho %v", got)
	}
	// (epsilon, 1e-300) of sigma 1: the loss is N(1/2, 1), and Q(37.0471) is
	// 1e-300; the term subtracted takes a factor of about 1/38 more.
	got := must[float64](t)(accountant.GaussianEpsilon(1, 1e-300))
	if back := deltaByTails(1, got); !near(back, 1e-300, 1e-11) {
		t.Errorf("epsilon %v at delta 1e-300 has delta %v", got, back)
	}
}

func TestTargetsAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, target := range [][2]float64{{-1, 0.1}, {nan, 0.1}, {inf, 0.1}, {1, 0}, {1, 1}, {1, -1}, {1, nan}} {
		if _, err := accountant.GaussianSigma(target[0], target[1]); err == nil {
			t.Errorf("GaussianSigma accepts %v", target)
		}
		if _, err := accountant.RhoOf(target[0], target[1]); err == nil {
			t.Errorf("RhoOf accepts %v", target)
		}
	}
	for _, sigma := range []float64{0, -1, nan} {
		if _, err := accountant.GaussianDelta(sigma, 1); err == nil {
			t.Errorf("GaussianDelta accepts sigma %v", sigma)
		}
		if _, err := accountant.GaussianEpsilon(sigma, 0.1); err == nil {
			t.Errorf("GaussianEpsilon accepts sigma %v", sigma)
		}
	}
	if _, err := accountant.ZCDPEpsilon(-1, 0.1); err == nil {
		t.Error("ZCDPEpsilon accepts a negative rho")
	}
}
