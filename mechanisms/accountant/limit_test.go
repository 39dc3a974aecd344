package accountant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// TestWithin checks the edges: equality counts, rounding of a sum counts as
// equality, and more does not.
func TestWithin(t *testing.T) {
	pure := func(epsilon float64) accountant.Loss { return accountant.Loss{Epsilon: epsilon} }
	for _, test := range []struct {
		loss, budget accountant.Loss
		want         bool
	}{
		{pure(1), pure(1), true},
		{pure(1 + 0.9e-12), pure(1), true},
		{pure(1 + 1.2e-12), pure(1), false},
		{pure(math.Nextafter(1, 2)), pure(1), true},
		{pure(0.1 + 0.2), pure(0.3), true}, // 0.30000000000000004
		{pure(0), pure(0), true},
		{pure(1e-300), pure(0), false},
		{pure(math.Inf(1)), pure(1e300), false},
		{pure(math.Inf(1)), accountant.NotPrivate(), true},
		{pure(1e300), accountant.NotPrivate(), true},
		{accountant.Loss{Epsilon: 0.1, Delta: 1e-9}, pure(1), false},
		{accountant.Loss{Rho: 1e-9}, pure(1), false},
		{accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 9, Steps: 1}}, pure(1), false},
		{accountant.Loss{Rho: 1e-9}, accountant.NotPrivate(), true},
	} {
		if got := test.loss.Within(test.budget); got != test.want {
			t.Errorf("%v within %v: %v", test.loss, test.budget, got)
		}
	}
}

// A budget of n equal releases pays for n of them, in whatever way their sum
// rounds, and for no more: n up to 1000 additions round by less than 1000 units
// in the last place, 1.2e-13 of the sum.
func TestWithinPaysForEqualReleases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := rapid.Float64Range(1e-3, 10).Draw(t, "epsilon")
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		budget := accountant.Loss{Epsilon: epsilon * float64(n)}
		var sum accountant.Loss
		for range n {
			sum = sum.Compose(accountant.Loss{Epsilon: epsilon})
		}
		if !sum.Within(budget) {
			t.Fatalf("%d releases cost %.17g, over %.17g", n, sum.Epsilon, budget.Epsilon)
		}
		if sum = sum.Compose(accountant.Loss{Epsilon: epsilon}); sum.Within(budget) {
			t.Fatalf("%d releases cost %.17g, within %.17g", n+1, sum.Epsilon, budget.Epsilon)
		}
	})
}

// A limit for replaced records is reached where ReplaceEpsilon is: by releases that a
// replaced record moves twice as far, which have twice their epsilon, and a quarter of the
// number of Gaussian ones; and by samples, which go by way of the data without the record.
func TestReplaceLimit(t *testing.T) {
	for _, test := range []struct {
		name   string
		loss   accountant.Loss
		budget accountant.Loss
	}{
		{"pure", accountant.Loss{Epsilon: 0.1}, accountant.Loss{Epsilon: 2}},
		{"pure at a delta", accountant.Loss{Epsilon: 0.1}, accountant.Loss{Epsilon: 3, Delta: 1e-6}},
		{"Laplace at a delta", accountant.Loss{Epsilon: 0.1, Laplace: 0.1}, accountant.Loss{Epsilon: 3, Delta: 1e-6}},
		{"Gaussian", accountant.Loss{Rho: 0.01}, accountant.Loss{Epsilon: 3, Delta: 1e-5}},
		{"Gaussian without a delta", accountant.Loss{Rho: 0.01}, accountant.Loss{Epsilon: 3}},
		{"sampled", sampled(0.05, 1, 1), accountant.Loss{Epsilon: 4, Delta: 1e-5}},
		{"with a delta", accountant.Loss{Epsilon: 0.1, Delta: 1e-7}, accountant.Loss{Epsilon: 2, Delta: 1e-5}},
		{"with a delta, without", accountant.Loss{Epsilon: 0.1, Delta: 1e-7}, accountant.Loss{Epsilon: 2}},
		{"no limit", accountant.NotPrivate(), accountant.NotPrivate()},
		{"not private", accountant.NotPrivate(), accountant.Loss{Epsilon: 1e9, Delta: 1e-5}},
	} {
		limit, sum := accountant.NewReplaceLimit(test.budget, accountant.RDP), accountant.Total{}
		for n := range 60 {
			sum.Add(test.loss)
			want := !test.budget.Private()
			if test.budget.Delta > 0 || sum.Rho() == 0 && test.loss.Delta == 0 && test.loss.Sampled.Steps == 0 {
				epsilon, err := sum.ReplaceEpsilon(test.budget.Delta, accountant.RDP)
				if err != nil {
					t.Fatal(err)
				}
				want = want || epsilon <= test.budget.Epsilon*(1+1e-12)
			}
			if got := must[bool](t)(limit.Allows(&sum)); got != want {
				t.Errorf("%s: %d releases are within the budget: %v, want %v", test.name, n+1, got, want)
			}
		}
	}
}
