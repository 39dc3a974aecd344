package accountant_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// optimalDelta is (Kairouz, Oh, Viswanath 2015, theorem 3.3) at any epsilon:
// the sum over the numbers of lies of the excess of one binomial law over e^g
// times the other's, with exact binomial coefficients.
func optimalDelta(epsilon float64, k int, g float64) float64 {
	var sum float64
	for i := 0; i <= k; i++ {
		count, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(k), int64(i))).Float64()
		scale := count * math.Pow(1+math.Exp(epsilon), -float64(k))
		sum += scale * max(0, math.Exp(float64(k-i)*epsilon)-math.Exp(g+float64(i)*epsilon))
	}
	return sum
}

func TestOptimalComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.Float64Range(0.01, 3).Draw(t, "epsilon")
		k := rapid.IntRange(1, 40).Draw(t, "k")
		delta := math.Pow(10, rapid.Float64Range(-9, -0.1).Draw(t, "log delta"))
		got := must[float64](t)(accountant.OptimalComposition(epsilon, k, delta))
		if at := optimalDelta(epsilon, k, got); at > delta*(1+1e-9)+1e-14 {
			t.Fatalf("epsilon %v has delta %v > %v", got, at, delta)
		}
		if got > 0 && optimalDelta(epsilon, k, got-1e-6) <= delta {
			t.Fatalf("less than epsilon %v would do", got)
		}
		if simple := must[float64](t)(accountant.PureComposition(epsilon, k, delta)); got > simple*(1+1e-12) {
			t.Fatalf("optimal %v is above %v", got, simple)
		}
	})
}

// Dwork, Rothblum, Vadhan 2010, theorem III.3 by hand: k = 100, epsilon = 0.1,
// delta = e^-8: 100 0.1 (e^0.1 - 1) + 0.1 sqrt(2 100 8) = 1.0517 + 4.
func TestAdvancedComposition(t *testing.T) {
	got := must[float64](t)(accountant.AdvancedComposition(0.1, 100, math.Exp(-8)))
	if want := 10*(math.Exp(0.1)-1) + 4; !near(got, want, 1e-13) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, test := range []struct {
		epsilon float64
		steps   int
		delta   float64
		want    float64
	}{
		{0.1, 100, math.Exp(-8), got}, // advanced is smaller than 10
		{1, 10, 1e-5, 10},             // basic is smaller
		{0.1, 100, 0, 10},             // without delta only basic holds
		{0.1, 0, 1e-5, 0},
		{0, 5, 1e-5, 0},
		{math.Inf(1), 0, 1e-5, 0},
		{math.Inf(1), 3, 1e-5, math.Inf(1)},
	} {
		if got := must[float64](t)(accountant.PureComposition(test.epsilon, test.steps, test.delta)); !near(got, test.want, 1e-15) {
			t.Errorf("%+v: %v", test, got)
		}
		if test.delta == 0 {
			continue
		}
		optimal := must[float64](t)(accountant.OptimalComposition(test.epsilon, test.steps, test.delta))
		if optimal > test.want {
			t.Errorf("%+v: optimal %v", test, optimal)
		}
	}
}

func TestReleasesAreRefused(t *testing.T) {
	for _, test := range []struct {
		epsilon float64
		steps   int
		delta   float64
	}{{-1, 1, 0.1}, {math.NaN(), 1, 0.1}, {1, -1, 0.1}, {1, 1, 1}, {1, 1, -0.1}, {1, 1, math.NaN()}} {
		if _, err := accountant.PureComposition(test.epsilon, test.steps, test.delta); err == nil {
			t.Errorf("PureComposition accepts %+v", test)
		}
		if _, err := accountant.OptimalComposition(test.epsilon, test.steps, test.delta); err == nil {
			t.Errorf("OptimalComposition accepts %+v", test)
		}
	}
}
