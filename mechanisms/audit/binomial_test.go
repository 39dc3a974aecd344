package audit_test

import (
	"math"
	"testing"

	"starling/mechanisms/audit"
)

// At the limits the counts that are at least as far off have chance miss:
// Clopper, Pearson 1934. The reference sums the terms of the binomial law.
func TestLimits(t *testing.T) {
	for _, n := range []int{1, 7, 300, 25_000} {
		for _, count := range []int{0, 1, 2, n / 3, n / 2, n - 1, n} {
			for _, miss := range []float64{0.05, 0.005, 1e-6} {
				if count < 0 || count > n {
					continue
				}
				if p := audit.UpperLimit(count, n, miss); count < n && math.Abs(tail(n, 0, count, p)/miss-1) > 1e-6 || count == n && p != 1 {
					t.Errorf("%d of %d at %v: upper limit %v, below which the count has chance %v", count, n, miss, p, tail(n, 0, count, p))
				}
				if p := audit.LowerLimit(count, n, miss); count > 0 && math.Abs(tail(n, count, n, p)/miss-1) > 1e-6 || count == 0 && p != 0 {
					t.Errorf("%d of %d at %v: lower limit %v, over which the count has chance %v", count, n, miss, p, tail(n, count, n, p))
				}
			}
		}
	}
}

// What SamplesNeeded promises, from its definition with terms summed up one by
// one: with the counts at their quantiles the claim is exceeded, and with one
// test less it need not be.
func TestSamplesNeeded(t *testing.T) {
	const confidence, power = 0.95, 0.9
	for _, c := range []struct{ p, q, claimed float64 }{
		{0.5, 0.5 * math.Exp(-2), 1}, {0.1, 0.01, 1}, {0.9, 0.3, 1}, {0.02, 0.001, 2},
	} {
		samples, err := audit.SamplesNeeded(c.p, c.q, audit.Epsilon(0), c.claimed, confidence, power)
		if err != nil {
			t.Fatal(err)
		}
		exceeds := func(n int) bool {
			more, less := 0, n
			for sum := tail(n, 0, 0, c.p); sum <= (1-power)/2; sum += tail(n, more, more, c.p) {
				more++
			}
			for sum := tail(n, n, n, c.q); sum <= (1-power)/2; sum += tail(n, less, less, c.q) {
				less--
			}
			const miss = (1 - confidence) / 2
			return audit.LowerLimit(more, n, miss) > math.Exp(c.claimed)*audit.UpperLimit(less, n, miss)
		}
		if samples%2 != 0 || !exceeds(samples/2) || exceeds(samples/2-1) {
			t.Errorf("%+v: %d samples", c, samples)
		}
	}
	for _, c := range []struct{ p, q, claimed float64 }{{0.2, 0.1, 1}, {0.1, 0.2, 0.1}, {1.2, 0.1, 1}, {0.5, -1, 1}} {
		if n, err := audit.SamplesNeeded(c.p, c.q, audit.Epsilon(0), c.claimed, confidence, power); err == nil {
			t.Errorf("%+v: %d samples show what is not so", c, n)
		}
	}
}
