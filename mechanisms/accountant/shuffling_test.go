package accountant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// plainDelta is the divergence by the sum over all clones and outcomes.
func plainDelta(local, epsilon float64, n int) (delta float64) {
	p, truth := math.Exp(-local), math.Exp(local)/(1+math.Exp(local))
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	half := func(c, k int) float64 {
		if k < 0 || k > c {
			return 0
		}
		return math.Exp(choose(c, k) - float64(c)*math.Ln2)
	}
	for c := range n {
		mass := math.Exp(choose(n-1, c) + float64(c)*math.Log(p) + float64(n-1-c)*math.Log1p(-p))
		for x := 0; x <= c+1; x++ {
			first := truth*half(c, x-1) + (1-truth)*half(c, x)
			second := (1-truth)*half(c, x-1) + truth*half(c, x)
			delta += mass * max(0, first-math.Exp(epsilon)*second)
		}
	}
	return delta
}

// The numerical bound is the divergence, summed in full here, rounded outwards by little.
func TestBatchByThePlainSum(t *testing.T) {
	for _, test := range []struct {
		local float64
		n     int
	}{{0.5, 20}, {0.5, 250}, {1, 100}, {2, 200}, {3, 300}, {4, 40}} {
		for _, delta := range []float64{1e-2, 1e-4, 1e-8, 1e-15, 1e-30} {
			epsilon, amplified, err := accountant.ShuffledBatch{Local: test.local, Messages: test.n}.Epsilon(delta)
			if err != nil || !amplified && epsilon != test.local {
				t.Fatal(epsilon, amplified, err)
			}
			if !amplified {
				continue
			}
			// An epsilon has its own rounding, which is much of so small a delta.
			is, below := plainDelta(test.local, epsilon*(1+1e-14), test.n), plainDelta(test.local, epsilon*(1-1e-12), test.n)
			if !(is <= delta) || epsilon > 0 && epsilon < test.local*(1-1e-9) && below < 0.99*delta {
				t.Errorf("local %v, n = %d, delta %v: epsilon %v, at which delta is from %v to %v", test.local, test.n, delta, epsilon, is, below)
			}
		}
	}
}

// What the authors' own program prints for 10^5 randomizers of epsilon 4 at 10^-6: an epsilon
// between two numbers (github.com/apple/ml-shuffling-amplification, README).
func TestBatchAsPublished(t *testing.T) {
	s := accountant.ShuffledBatch{Local: 4, Messages: 100_000}
	epsilon, amplified, err := s.Epsilon(1e-6)
	if err != nil || !amplified || !(epsilon > 0.1675385583317841 && epsilon < 0.172790550755978) {
		t.Errorf("epsilon %v, amplified: %v, %v", epsilon, amplified, err)
	}
}

// The closed form is over the divergence, as it must be, and at that size three times as
// large. It says nothing of batches that are too small.
func TestBatchClosedForm(t *testing.T) {
	for _, test := range []struct {
		local, delta, want float64
		n                  int
	}{
		// ln(1 + (e^4 - 1)/(e^4 + 1) (8 sqrt(e^4 ln(4e6)/1e5) + 8 e^4/1e5)), by another program.
		{4, 1e-6, 0.53463399, 100_000},
		{1, 1e-5, 0.19878338, 10_000}, {0.5, 1e-8, 0, 1_000_000}, {2, 1e-6, 0, 5_000},
	} {
		s := accountant.ShuffledBatch{Local: test.local, Messages: test.n}
		closed, _, err := s.ClosedForm(test.delta)
		if err != nil || test.want > 0 && math.Abs(closed-test.want) > 1e-5 {
			t.Errorf("%+v: %v, %v", test, closed, err)
		}
		if exact, _, err := s.Epsilon(test.delta); err != nil || !(exact < closed) {
			t.Errorf("%+v: epsilon %v, and %v by the closed form, %v", test, exact, closed, err)
		}
	}
	// e^4 16 ln(2e6) is over 12,000.
	if epsilon, amplified, err := (accountant.ShuffledBatch{Local: 4, Messages: 12_000}).ClosedForm(1e-6); err != nil || amplified || epsilon != 4 {
		t.Errorf("12,000 messages: %v, %v, %v", epsilon, amplified, err)
	}
}

// More messages, and more of a delta, cost no more; nothing costs more than the local epsilon.
func TestBatchIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		local, n := rapid.Float64Range(0.01, 5).Draw(t, "local"), rapid.IntRange(1, 1000).Draw(t, "n")
		delta := math.Pow(10, -rapid.Float64Range(1, 12).Draw(t, "-log delta"))
		of := func(n int, delta float64) float64 {
			epsilon, _, err := accountant.ShuffledBatch{Local: local, Messages: n}.Epsilon(delta)
			if err != nil || !(epsilon >= 0 && epsilon <= local) {
				t.Fatalf("epsilon %v of %v, %v", epsilon, local, err)
			}
			return epsilon
		}
		one := of(n, delta)
		if more, less := of(2*n, delta), of(n, delta/2); more > one*(1+1e-6) || less < one*(1-1e-6) {
			t.Fatalf("local %v, n = %d, delta %v: %v, of twice as many %v, at half of delta %v", local, n, delta, one, more, less)
		}
	})
}

// Gaussian randomizers have a local epsilon for every local delta, and the batch one that
// holds with what the local delta adds.
func TestAmplifiedGaussian(t *testing.T) {
	const n, delta = 10_000, 1e-6
	local := func(delta float64) (float64, error) { return accountant.GaussianEpsilon(3, delta) }
	epsilon, amplified, err := accountant.AmplifiedByShuffling(n, delta, local)
	if err != nil || !amplified {
		t.Fatal(epsilon, amplified, err)
	}
	best := math.Inf(1)
	for d := delta / n; d > 1e-20; d /= 4 { // every local delta is a valid one
		of, err := local(d)
		if err != nil {
			t.Fatal(err)
		}
		low, high := 0.0, of
		for range 12 {
			middle := (low + high) / 2
			added := (1 + math.Exp(middle)) * d * (1 + 2*(n-1)*math.Exp(-of))
			if pure, _, err := (accountant.ShuffledBatch{Local: of, Messages: n}).Epsilon(max(delta-added, 1e-300)); err == nil && added < delta && pure <= middle {
				high = middle
			} else {
				low = middle
			}
		}
		best = min(best, high)
	}
	if !(epsilon > best*0.9 && epsilon < 1.1*best) {
		t.Errorf("epsilon %v, where the best local delta has %v", epsilon, best)
	}
	// Where the local epsilon is large nothing is hidden.
	if epsilon, amplified, err := accountant.AmplifiedByShuffling(5, delta, local); err != nil || amplified {
		t.Errorf("5 messages: %v, %v, %v", epsilon, amplified, err)
	}
}

func TestBatchRefuses(t *testing.T) {
	for _, s := range []accountant.ShuffledBatch{{Local: -1, Messages: 3}, {Local: math.NaN(), Messages: 3}, {Local: 1, LocalDelta: 1, Messages: 3}, {Local: 1}} {
		if _, _, err := s.Epsilon(1e-3); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if _, _, err := (accountant.ShuffledBatch{Local: 1, Messages: 3}).Epsilon(0); err == nil {
		t.Error("a delta of 0 is accepted")
	}
	if _, _, err := (accountant.ShuffledBatch{Local: 1, LocalDelta: 1e-9, Messages: 3}).ClosedForm(1e-3); err == nil {
		t.Error("the closed form is accepted of a local delta")
	}
}
