package accountant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"starling/mechanisms/accountant"
	"starling/messages"
)

func pure(epsilon float64) accountant.Loss { return accountant.Loss{Epsilon: epsilon} }
func laplace(epsilon float64) accountant.Loss {
	return accountant.Loss{Epsilon: epsilon, Laplace: epsilon}
}

// deltaOfLies is delta of the composition of randomized responses at epsilon, over
// all patterns of lies: the definition (Kairouz, Oh, Viswanath 2015, theorem 3.5).
func deltaOfLies(epsilons []float64, epsilon float64) (delta float64) {
	for pattern := range 1 << len(epsilons) {
		p, q := 1.0, 1.0
		for i, e := range epsilons {
			truth, lie := 1/(1+math.Exp(-e)), 1/(1+math.Exp(e))
			if pattern>>i&1 == 1 {
				truth, lie = lie, truth
			}
			p, q = p*truth, q*lie
		}
		delta += max(0, p-math.Exp(epsilon)*q)
	}
	return delta
}

// Pure releases of different epsilons compose to the optimum over all patterns of
// lies: never to less, and to little more. (The grid shows most where there are few
// releases.)
func TestDifferentPureReleasesComposeOptimally(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var sum accountant.Total
		epsilons := make([]float64, 2+r.IntN(8))
		basic := 0.0
		for i := range epsilons {
			epsilons[i] = 0.02 + 1.5*r.Float64()
			basic += epsilons[i]
			sum.Add(pure(epsilons[i]))
		}
		epsilon := basic * (0.05 + 0.9*r.Float64())
		delta := deltaOfLies(epsilons, epsilon)
		if delta < 1e-13 { // the sum over patterns has no more digits
			continue
		}
		got := must[float64](t)(sum.Epsilon(delta, accountant.RDP))
		if got < epsilon*(1-1e-9) || got > epsilon+0.005*basic {
			t.Errorf("%v at delta %v: %v, want %v", epsilons, delta, got, epsilon)
		}
	}
}

// Two releases of Laplace noise against quadrature over the first one's loss: the
// second's delta at any real epsilon is in closed form.
func TestLaplaceByItsLossDistribution(t *testing.T) {
	one := func(e, epsilon float64) float64 { // of shift e
		switch {
		case epsilon >= e:
			return 0
		case epsilon <= -e:
			return -math.Expm1(epsilon)
		}
		return -math.Expm1((epsilon - e) / 2)
	}
	for _, test := range []struct{ a, b, epsilon float64 }{{1, 1, 1.5}, {0.5, 0.5, 0.2}, {0.3, 2, 1.9}, {0.1, 0.1, 0.15}} {
		delta := one(test.b, test.epsilon-test.a)/2 + math.Exp(-test.a)/2*one(test.b, test.epsilon+test.a)
		const panels = 200000
		width := 2 * test.a / panels
		for i := range panels {
			l := -test.a + (float64(i)+0.5)*width
			delta += width * math.Exp((l-test.a)/2) / 4 * one(test.b, test.epsilon-l)
		}
		got := must[float64](t)(total(laplace(test.a), laplace(test.b)).Epsilon(delta, accountant.PLD))
		if got < test.epsilon*(1-1e-6) || got > test.epsilon*1.002+1e-4 {
			t.Errorf("%v and %v at %v: %v, want %v", test.a, test.b, delta, got, test.epsilon)
		}
	}
}

// What is known of releases pays: the sum allows 50 of 0.1 within (5, 1e-6),
// advanced composition 77, the optimal one 108, and Laplace noise 111. Losses that
// differ little count as the largest of them.
func TestReleasesWithinABudget(t *testing.T) {
	budget := accountant.Loss{Epsilon: 5, Delta: 1e-6}
	for _, test := range []struct {
		name  string
		of    func(i int) accountant.Loss
		delta float64
		want  int
	}{
		{"without a delta", func(int) accountant.Loss { return pure(0.1) }, 0, 50},
		{"of which only epsilon is known", func(int) accountant.Loss { return pure(0.1) }, 1e-6, 108},
		{"Laplace", func(int) accountant.Loss { return laplace(0.1) }, 1e-6, 111},
		{"nearly alike", func(i int) accountant.Loss { return pure(0.1 * (1 - 1e-5*float64(i%7))) }, 1e-6, 108},
	} {
		budget.Delta = test.delta
		var sum accountant.Total
		count := 0
		for limit := accountant.NewLimit(budget, accountant.PLD); ; count++ {
			after := sum.Clone()
			after.Add(test.of(count))
			within := must[bool](t)(limit.Allows(&after))
			if again := after.Within(budget); again != within {
				t.Fatalf("%s, %d releases: within %v, by a limit that has met others %v", test.name, count+1, again, within)
			}
			if !within {
				break
			}
			sum = after
		}
		if count != test.want {
			t.Errorf("%s: %d releases, want %d", test.name, count, test.want)
		}
	}
}

// Many releases take the short way, which continues the long one below its limit:
// epsilon grows with their number as evenly, even and odd ones apart.
func TestOptimalCompositionOfMany(t *testing.T) {
	var list []float64
	for k := 4091; k <= 4103; k += 2 {
		list = append(list, must[float64](t)(accountant.OptimalComposition(0.01, k, 1e-6)))
	}
	for i := 2; i < len(list); i++ {
		before, step := list[i-1]-list[i-2], list[i]-list[i-1]
		if !(step > 0 && math.Abs(step-before) < 1e-2*before) {
			t.Errorf("epsilon of %d releases: %v, steps %v and %v", 4091+2*i, list, before, step)
		}
	}
	// A Gaussian of the same variance is the limit (Dong, Roth, Su 2022, theorem 3.5).
	got := must[float64](t)(accountant.OptimalComposition(1e-3, 1_000_000, 1e-6))
	want := must[float64](t)(accountant.GaussianEpsilon(1, 1e-6))
	if !near(got, want, 1e-3) {
		t.Errorf("a million releases of 0.001: %v, a Gaussian of mu = 1 %v", got, want)
	}
}

// A total of many different losses keeps a bounded number of classes apart, and
// remains above what their mean square alone would give and below the sum.
func TestTotalOfManyDifferentLosses(t *testing.T) {
	var sum accountant.Total
	basic, squares := 0.0, 0.0
	for i := range 3000 {
		e := 0.001 * math.Pow(1.002, float64(i))
		basic, squares = basic+e, squares+e*e
		sum.Add(pure(e))
	}
	if size := len(messages.Write(nil, &sum)); size > 32*20 {
		t.Errorf("a total of %d bytes", size)
	}
	got := must[float64](t)(sum.Epsilon(1e-6, accountant.RDP))
	least := must[float64](t)(accountant.GaussianEpsilon(1/math.Sqrt(squares), 1e-6))
	if got > basic || got < 0.9*least {
		t.Errorf("epsilon %v, the sum %v, a Gaussian %v", got, basic, least)
	}
}

// A bound that grows is no number of releases.
func TestGrow(t *testing.T) {
	var sum accountant.Total
	for range 100 {
		sum.Grow(pure(0.1))
	}
	if got := must[float64](t)(sum.Epsilon(1e-6, accountant.PLD)); !near(got, 10, 1e-4) {
		t.Errorf("epsilon %v, want that of one release of 10", got)
	}
}

func ExampleTotal_Epsilon() {
	var sum accountant.Total
	for range 100 {
		sum.Add(accountant.Loss{Epsilon: 0.1})
	}
	for _, delta := range []float64{0, 1e-6} {
		epsilon, err := sum.Epsilon(delta, accountant.PLD)
		fmt.Printf("%.4g %v\n", epsilon, err)
	}
	// Output:
	// 10 <nil>
	// 4.775 <nil>
}
