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
		samples, err := audit.SamplesNeeded(c.p, c.q, audit.HalfPilot, audit.Epsilon(0), c.claimed, confidence, power)
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
		if n, err := audit.SamplesNeeded(c.p, c.q, audit.HalfPilot, audit.Epsilon(0), c.claimed, confidence, power); err == nil {
			t.Errorf("%+v: %d samples show what is not so", c, n)
		}
	}
}

// An exponential mechanism that is charged half is found at eps = 10 with 65,536
// samples, at the confidence of one of four statements of 0.99 together, with chance
// over 0.9. Its eta is 10, half of it is charged beside 2.5 for an arming, and of
// two experts the one that the canary takes from 1/2 ahead to 9 1/2 behind, over eta,
// is chosen with probability 1/(1 + e^9.5), without it with 1/(1 + e^-0.5). Were half
// of the samples to choose the event it would be with chance under 0.7.
func TestHalfAChargeOfTheExponential(t *testing.T) {
	const samples, miss, charged = 65_536, 0.01 / 4 / 2, 7.5
	p, q := 1/(1+math.Exp(-0.5)), 1/(1+math.Exp(9.5))
	power := func(pilot audit.Pilot) float64 {
		tests := samples - pilot(samples)
		// Fewer come true of the likely event with chance 1e-3.
		least := int(float64(tests)*p - 3.1*math.Sqrt(float64(tests)*p*(1-p)))
		low, most := audit.LowerLimit(least, tests, miss), -1
		for math.Log(low/audit.UpperLimit(most+1, tests, miss)) > charged {
			most++
		}
		return tail(tests, 0, most, q) - 1e-3
	}
	if classes, half := power(audit.ClassPilot), power(audit.HalfPilot); classes < 0.9 || half > 0.7 {
		t.Errorf("found with chance %v, with half of the samples for the event %v", classes, half)
	}
}

// Pilots leave at least half of the outcomes, and never take more of them for more
// samples than these are.
func TestPilots(t *testing.T) {
	for _, pilot := range []audit.Pilot{audit.HalfPilot, audit.ClassPilot} {
		for n := 4; n < 100_000; n++ {
			first, next := pilot(n), pilot(n+1)
			if first < 1 || first > n/2 || next < first || next > first+1 {
				t.Fatalf("%d of %d samples, %d of one more", first, n, next)
			}
		}
	}
}
