package accountant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

func total(losses ...accountant.Loss) *accountant.Total {
	t := new(accountant.Total)
	for _, l := range losses {
		t.Add(l)
	}
	return t
}

func sampled(q, sigma float64, steps int) accountant.Loss {
	return accountant.Loss{Sampled: accountant.SampledGaussian{Rate: q, Noise: sigma, Steps: steps}}
}

func TestTotal(t *testing.T) {
	classic := must[float64](t)(accountant.ZCDPEpsilon(0.3, 1e-5))
	exact := must[float64](t)(accountant.GaussianEpsilon(accountant.SigmaOfRho(0.3), 1e-5))
	steps, _, err := accountant.SampledGaussian{Rate: 0.015, Noise: 1.1, Steps: 79}.Epsilon(1e-5, accountant.RDP)
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	pure := func(epsilon float64) accountant.Loss { return accountant.Loss{Epsilon: epsilon} }
	for _, test := range []struct {
		name  string
		total *accountant.Total
		delta float64
		by    accountant.Method
		want  float64
	}{
		{"nothing", total(), 0, accountant.RDP, 0},
		{"nothing at a delta", total(), 1e-5, accountant.PLD, 0},
		{"pure", total(pure(1), pure(2)), 0, accountant.RDP, 3},
		{"pure at a delta", total(pure(1), pure(2)), 1e-5, accountant.RDP, 3},
		{"not private", total(pure(1), accountant.NotPrivate()), 1e-5, accountant.RDP, inf},
		{"delta spent", total(accountant.Loss{Epsilon: 1, Delta: 1e-5}), 1e-6, accountant.RDP, inf},
		{"delta just enough", total(accountant.Loss{Epsilon: 1, Delta: 1e-5}), 1e-5, accountant.RDP, 1},
		{"Gaussians", total(accountant.Loss{Rho: 0.1}, accountant.Loss{Rho: 0.2}), 1e-5, accountant.RDP, classic},
		{"Gaussians, exactly", total(accountant.Loss{Rho: 0.1}, accountant.Loss{Rho: 0.2}), 1e-5, accountant.PLD, exact},
		{"a Gaussian needs a delta", total(accountant.Loss{Rho: 0.1}), 0, accountant.RDP, inf},
		{"Gaussian without noise", total(accountant.Loss{Rho: inf}), 1e-5, accountant.PLD, inf},
		{"sampled", total(sampled(0.015, 1.1, 40), sampled(0.015, 1.1, 39)), 1e-5, accountant.RDP, steps},
		{"sampled without noise", total(sampled(0.1, 0, 1)), 1e-5, accountant.RDPCKS, inf},
		{"a large pure loss beside", total(sampled(0.015, 1.1, 79), pure(20)), 1e-5, accountant.RDP, steps + 20},
	} {
		if got, err := test.total.Epsilon(test.delta, test.by); err != nil || !near(got, test.want, 1e-12) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

// Equal pure releases have what advanced composition with the mean of
// randomized response gives, at most that of Dwork, Rothblum and Vadhan and at
// least the optimum.
func TestTotalOfPureReleases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon, k := rapid.Float64Range(0.001, 1).Draw(t, "epsilon"), rapid.IntRange(1, 500).Draw(t, "k")
		var sum accountant.Total
		for range k {
			sum.Add(accountant.Loss{Epsilon: epsilon})
		}
		got := must[float64](t)(sum.Epsilon(1e-6, accountant.RDP))
		above := must[float64](t)(accountant.PureComposition(epsilon, k, 1e-6))
		below := must[float64](t)(accountant.OptimalComposition(epsilon, k, 1e-6))
		if got > above*(1+1e-12) || got < below*(1-1e-9) {
			t.Fatalf("%d releases of %v: %v, want from %v to %v", k, epsilon, got, below, above)
		}
	})
}

// Losses of all kinds: nothing gets cheaper by being spent beside something, the
// parts' epsilons at a share of delta bound the whole, and the methods order.
func TestTotalOfEverything(t *testing.T) {
	mixed := total(accountant.Loss{Epsilon: 0.1}, accountant.Loss{Rho: 0.02}, sampled(0.01, 1, 300), sampled(0.05, 3, 100), accountant.Loss{Epsilon: 0.2, Delta: 1e-8})
	last := math.Inf(1)
	for _, by := range accountant.Methods() {
		got := must[float64](t)(mixed.Epsilon(1e-6, by))
		bound, most := 0.3, 0.0
		for _, part := range []accountant.Loss{{Rho: 0.02}, sampled(0.01, 1, 300), sampled(0.05, 3, 100)} {
			bound += must[float64](t)(part.EpsilonAt((1e-6-1e-8)/3, by))
			most = max(most, must[float64](t)(part.EpsilonAt(1e-6, by)))
		}
		if got > bound || got < most || got > last {
			t.Errorf("%s: %v, want from %v to %v and %v", by, got, most, bound, last)
		}
		last = got
	}
	if _, ok := mixed.Pure(); ok {
		t.Error("the mixture is pure")
	}
	if epsilon, ok := total(accountant.Loss{Epsilon: 2}).Pure(); !ok || epsilon != 2 {
		t.Errorf("pure epsilon %v, %v", epsilon, ok)
	}
}

func TestTotalRefuses(t *testing.T) {
	for _, delta := range []float64{-1, 1, math.NaN()} {
		if _, err := total().Epsilon(delta, accountant.RDP); err == nil {
			t.Errorf("delta %v is accepted", delta)
		}
	}
	if _, err := total().Epsilon(0.1, "moments"); err == nil || err.Error() != `accounting method "moments" is not one of [rdp rdp-cks pld]` {
		t.Errorf("an unknown method: %v", err)
	}
	if _, err := (accountant.Loss{Rho: -1}).EpsilonAt(0.1, accountant.RDP); err == nil {
		t.Error("a negative rho is accepted")
	}
}

// Composition of losses of all kinds is as of pure ones: the order does not
// matter, nothing is neutral, and no part shrinks.
func TestComposeAllKinds(t *testing.T) {
	part := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 0.4))
	loss := rapid.Custom(func(t *rapid.T) accountant.Loss {
		return accountant.Loss{
			Epsilon: part.Draw(t, "epsilon"), Delta: part.Draw(t, "delta"), Rho: part.Draw(t, "rho"),
			Sampled: rapid.SampledFrom([]accountant.SampledGaussian{{}, {0.1, 1, 2}, {0.1, 1, 3}, {0.2, 2, 1}, {0.1, 0, 1}}).Draw(t, "sampled"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := loss.Draw(t, "a"), loss.Draw(t, "b"), loss.Draw(t, "c")
		both := a.Compose(b)
		if both != b.Compose(a) || a.Compose(accountant.Loss{}) != a {
			t.Fatalf("%v and %v: %v, %v; with nothing %v", a, b, both, b.Compose(a), a.Compose(accountant.Loss{}))
		}
		if left, right := both.Compose(c).Sampled, a.Compose(b.Compose(c)).Sampled; left != right {
			t.Fatalf("%v, %v and %v: %v or %v", a, b, c, left, right)
		}
		if s := both.Sampled; s.Steps != a.Sampled.Steps+b.Sampled.Steps || s.Rate < max(a.Sampled.Rate, b.Sampled.Rate) ||
			both.Validate() != nil || both.Private() && !(a.Private() && b.Private()) {
			t.Fatalf("%v with %v is %v", a, b, both)
		}
	})
}

// Different sampled Gaussians composed as losses cost at least what a total,
// which keeps them apart, finds.
func TestComposeDominates(t *testing.T) {
	a, b := sampled(0.01, 1, 200), sampled(0.03, 2, 100)
	apart := must[float64](t)(total(a, b).Epsilon(1e-5, accountant.PLD))
	if composed := must[float64](t)(a.Compose(b).EpsilonAt(1e-5, accountant.PLD)); composed < apart {
		t.Errorf("composed %v, apart %v", composed, apart)
	}
}

func TestStringOfAllKinds(t *testing.T) {
	for _, test := range []struct {
		loss accountant.Loss
		want string
	}{
		{accountant.Loss{Rho: 0.25}, "rho 0.25"},
		{accountant.Loss{Epsilon: 1, Delta: 1e-5}, "(1, 1e-05)"},
		{accountant.Loss{Epsilon: 1, Rho: 2}, "1 + rho 2"},
		{sampled(0.1, 2, 3), "3 sampled Gaussian steps of q 0.1, sigma 2"},
		{accountant.Loss{Epsilon: 1, Delta: 1}, "not private"},
		{sampled(0.1, 0, 3), "not private"},
		{sampled(0, 0, 3), "3 sampled Gaussian steps of q 0, sigma 0"},
	} {
		if got := test.loss.String(); got != test.want {
			t.Errorf("%+v prints as %q, want %q", test.loss, got, test.want)
		}
	}
}

func TestSpendingAllocatesNothing(t *testing.T) {
	var sum accountant.Loss
	sums := total(sampled(0.1, 1, 1))
	losses := []accountant.Loss{{Epsilon: 1}, {Rho: 0.1}, sampled(0.1, 1, 1)}
	if n := testing.AllocsPerRun(100, func() {
		for _, l := range losses {
			if l.Validate() != nil {
				t.Fatal("a valid loss is refused")
			}
			sum = sum.Compose(l)
			sums.Add(l)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
