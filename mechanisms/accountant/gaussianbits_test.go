package accountant

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// halvedGaussianEpsilon is gaussianEpsilon by halving alone.
func halvedGaussianEpsilon(mu, logDelta float64) float64 {
	tooLarge := func(epsilon float64) bool { return logGaussianDelta(mu, epsilon) > logDelta }
	if mu == 0 || !tooLarge(0) {
		return 0
	}
	_, epsilon := numeric.Bisect(0, (float64(mu*mu/2)+float64(mu*math.Sqrt(-2*logDelta)))*(1+1e-12), tooLarge)
	return epsilon
}

// Newton's steps spare evaluations, and change no bit of an epsilon, from noise that hides
// all to noise that hides nothing, and up to an epsilon that is hardly above 0.
func TestGaussianEpsilonByHalving(t *testing.T) {
	same := func(mu, logDelta float64) {
		if got, want := gaussianEpsilon(mu, logDelta), halvedGaussianEpsilon(mu, logDelta); got != want {
			t.Errorf("mu %v, ln delta %v: %v, by halving alone %v", mu, logDelta, got, want)
		}
	}
	spared, cases := 0, 0
	for _, mu := range []float64{1e-9, 1e-4, 0.02, 0.3, 0.9999, 1, 1.0001, 2.5, 7, 40, 300, 5e3} {
		for _, delta := range []float64{1e-300, 1e-60, 1e-20, 1e-10, 1e-6, 1e-5, 1e-3, 0.05, 0.5, 0.99} {
			logDelta := portable.Log(delta)
			same(mu, logDelta)
			if high := float64(mu*mu/2) + float64(mu*math.Sqrt(-2*logDelta)); logGaussianDelta(mu, 0) > logDelta {
				cases++
				if small, large := nearGaussianEpsilon(mu, logDelta, high); large-small < 1e-6*large {
					spared++
				}
			}
		}
		for _, below := range []float64{1e-14, 1e-12, 1e-9, 1e-6, 1e-3} { // of the delta of epsilon 0
			same(mu, logGaussianDelta(mu, 0)-below)
		}
	}
	if spared < cases*9/10 {
		t.Errorf("a near pair was found in %d of %d cases only", spared, cases)
	}
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-20, 8).Draw(t, "log mu"))
		logDelta := -math.Exp(rapid.Float64Range(-5, 6).Draw(t, "log -ln delta"))
		if got, want := gaussianEpsilon(mu, logDelta), halvedGaussianEpsilon(mu, logDelta); got != want {
			t.Fatalf("mu %v, ln delta %v: %v, by halving alone %v", mu, logDelta, got, want)
		}
	})
}
