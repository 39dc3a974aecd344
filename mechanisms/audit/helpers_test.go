package audit_test

import (
	"math"
	"testing"

	"starling/mechanisms/audit"
	"starling/mechanisms/rng"
)

// generator returns the generator of a fixed stream: a test that has passed
// passes for ever, until streams or mechanism change.
func generator(node int) *rng.Rand {
	return new(rng.Stream).Open(rng.NewKey(7, rng.PurposeOf("audit test")), node, 0, 0)
}

// law draws an outcome, under the second input if other is set.
type law func(r *rng.Rand, other bool) float64

func (l law) samples(r *rng.Rand, n int) (a, b []float64) {
	a, b = make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = l(r, false), l(r, true)
	}
	return a, b
}

// laplace is a Laplace mechanism of loss epsilon, seen through its likelihood
// ratio, by inversion.
func laplace(epsilon float64) law {
	return func(r *rng.Rand, other bool) float64 {
		x := -math.Log(1-r.Float64()) / epsilon
		if r.IntN(2) == 0 {
			x = -x
		}
		if other {
			x++
		}
		return math.Min(1, math.Max(0, x)) // it grows with the ratio
	}
}

// gaussian is a Gaussian mechanism of that mu.
func gaussian(mu float64) law {
	return func(r *rng.Rand, other bool) float64 {
		if other {
			return mu + r.NormFloat64()
		}
		return r.NormFloat64()
	}
}

// response is randomized response of loss epsilon on one bit.
func response(epsilon float64) law {
	truth := 1 / (1 + math.Exp(-epsilon))
	return func(r *rng.Rand, other bool) float64 {
		if (r.Float64() < truth) == other {
			return 1
		}
		return 0
	}
}

// logChoose is the logarithm of a binomial coefficient.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// tail is the chance of low .. high successes, term by term.
func tail(n, low, high int, p float64) (sum float64) {
	for k := low; k <= high; k++ {
		switch {
		case p == 0 && k == 0, p == 1 && k == n:
			sum++
		case p > 0 && p < 1:
			sum += math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		}
	}
	return sum
}

// bound is LowerBound, which must not fail.
func bound(t *testing.T, a, b []float64, m audit.Measure, confidence float64) float64 {
	t.Helper()
	got, err := audit.LowerBound(a, b, audit.HalfPilot, m, confidence)
	if err != nil {
		t.Fatal(err)
	}
	return got.Value
}

// outcomes draws from a canary.
func outcomes(t *testing.T, c audit.Canary, n int) (a, b []float64) {
	t.Helper()
	a, b = make([]float64, n), make([]float64, n)
	draw, key := c.Sampler(), rng.NewKey(7, rng.PurposeOf("canary test "+c.Mechanism))
	for k := range audit.Blocks(n) {
		if err := draw.Fill(a, b, key, k); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}
