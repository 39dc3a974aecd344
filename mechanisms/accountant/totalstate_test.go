package accountant_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// losses draws releases of all kinds, few enough kinds that sampled Gaussians
// meet again.
var losses = rapid.SliceOf(rapid.Custom(func(t *rapid.T) accountant.Loss {
	part := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 0.4))
	return accountant.Loss{
		Epsilon: part.Draw(t, "epsilon"), Delta: part.Draw(t, "delta") / 100, Rho: part.Draw(t, "rho"),
		Sampled: rapid.SampledFrom([]accountant.SampledGaussian{{}, {Rate: 0.1, Noise: 1, Steps: 2}, {Rate: 0.1, Noise: 1, Steps: 3}, {Rate: 0.2, Noise: 2, Steps: 1}}).Draw(t, "sampled"),
	}
}))

// A total that was written and read goes on with the same bits, and a clone of
// it is not touched by what is added later.
func TestTotalIsRestored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := losses.Draw(t, "before"), losses.Draw(t, "after")
		whole, part := total(append(append([]accountant.Loss(nil), before...), after...)...), total(before...)
		text := messages.Write(nil, part)
		var read accountant.Total
		if err := messages.Read(text, &read); err != nil || !read.Equal(part) {
			t.Fatalf("read %+v, %v, want %+v", read, err, part)
		}
		clone := read.Clone()
		for _, l := range after {
			read.Add(l)
		}
		if !read.Equal(whole) {
			t.Fatalf("restored and gone on %+v, want %+v", read, whole)
		}
		if string(messages.Write(nil, &clone)) != string(text) {
			t.Fatal("a clone changed with its original")
		}
	})
}

// Every prefix of a state is refused.
func TestTotalIsRefusedWhereShort(t *testing.T) {
	text := messages.Write(nil, total(accountant.Loss{Epsilon: 1, Rho: 2}, sampled(0.1, 1, 3), sampled(0.2, 1, 3)))
	for n := range text {
		if messages.Read(text[:n], new(accountant.Total)) == nil {
			t.Errorf("%d of %d bytes are taken", n, len(text))
		}
	}
}

// Totals add up like the releases that they are of: advanced composition knows
// that there were several. Sums of another order differ in the last bits.
func TestAddTotal(t *testing.T) {
	a, b := total(accountant.Loss{Epsilon: 0.25}, sampled(0.1, 1, 2)), total(accountant.Loss{Epsilon: 0.5}, accountant.Loss{Rho: 0.125}, sampled(0.1, 1, 3), sampled(0.2, 2, 1))
	want := total(accountant.Loss{Epsilon: 0.25}, sampled(0.1, 1, 5), accountant.Loss{Epsilon: 0.5}, accountant.Loss{Rho: 0.125}, sampled(0.2, 2, 1))
	if a.AddTotal(b); !a.Equal(want) {
		t.Errorf("%+v, want %+v", a, want)
	}
	if a.Equal(b) || a.Equal(total()) {
		t.Error("different totals are equal")
	}
}

func TestDefinitions(t *testing.T) {
	for _, test := range []struct {
		total    *accountant.Total
		rdp, pld accountant.Definition
	}{
		{total(), accountant.PureDP, accountant.PureDP},
		{total(accountant.Loss{Epsilon: 1}), accountant.PureDP, accountant.PureDP},
		{total(accountant.Loss{Epsilon: 1, Delta: 0.1}), accountant.Approximate, accountant.Approximate},
		{total(accountant.Loss{Rho: 1}), accountant.ZCDP, accountant.GDP},
		{total(accountant.Loss{Rho: 1}, accountant.Loss{Epsilon: 1}), accountant.Approximate, accountant.Approximate},
		{total(sampled(0.1, 1, 1)), accountant.SampledRDP, accountant.Approximate},
		{total(sampled(0, 0, 1)), accountant.PureDP, accountant.PureDP},
		{total(sampled(0.1, 0, 1)), accountant.NoPrivacy, accountant.NoPrivacy},
		{total(accountant.NotPrivate()), accountant.NoPrivacy, accountant.NoPrivacy},
		{total(accountant.Loss{Rho: math.Inf(1)}), accountant.NoPrivacy, accountant.NoPrivacy},
		{total(accountant.Loss{Epsilon: 1, Delta: 0.5}, accountant.Loss{Delta: 0.5}), accountant.NoPrivacy, accountant.NoPrivacy},
	} {
		if rdp, pld := test.total.Definition(accountant.RDP), test.total.Definition(accountant.PLD); rdp != test.rdp || pld != test.pld {
			t.Errorf("%+v: %q and %q, want %q and %q", test.total, rdp, pld, test.rdp, test.pld)
		}
		if test.total.Private() != (test.rdp != accountant.NoPrivacy) {
			t.Errorf("%+v: private %v", test.total, test.total.Private())
		}
	}
}

// Gaussian differential privacy composes by the root of the sum of squares
// (Dong, Roth, Su 2022, corollary 3.3), and mu-GDP is (epsilon, delta(epsilon))
// private with their corollary 2.13: delta = Phi(-epsilon/mu + mu/2) - e^epsilon
// Phi(-epsilon/mu - mu/2). Here mu = 3, 4 and 12 tenths make 1.3.
func TestGaussiansCompose(t *testing.T) {
	var sum accountant.Total
	for _, mu := range []float64{0.3, 0.4, 1.2} {
		sum.Add(accountant.Loss{Rho: mu * mu / 2})
	}
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	const mu = 1.3
	for _, epsilon := range []float64{0.5, 1, 3, 6} {
		delta := phi(-epsilon/mu+mu/2) - math.Exp(epsilon)*phi(-epsilon/mu-mu/2)
		if got := must[float64](t)(sum.Epsilon(delta, accountant.PLD)); !near(got, epsilon, 1e-7) {
			t.Errorf("delta %v: epsilon %v, want %v", delta, got, epsilon)
		}
	}
}

// A total of equal pure releases is at most the smaller of basic and advanced
// composition, whichever that is (k epsilon = 1 and 10).
func TestTotalIsTheSmallerOfBasicAndAdvanced(t *testing.T) {
	for _, test := range []struct {
		epsilon  float64
		k        int
		advanced bool
	}{{0.5, 2, false}, {0.01, 1000, true}} {
		var sum accountant.Total
		for range test.k {
			sum.Add(accountant.Loss{Epsilon: test.epsilon})
		}
		const delta = 1e-5
		basic := float64(test.k) * test.epsilon
		advanced := basic*math.Expm1(test.epsilon) + test.epsilon*math.Sqrt(2*float64(test.k)*math.Log(1/delta))
		got := must[float64](t)(sum.Epsilon(delta, accountant.RDP))
		if got > min(basic, advanced)*(1+1e-12) || (advanced < basic) != test.advanced {
			t.Errorf("%d releases of %v: %v, basic %v, advanced %v", test.k, test.epsilon, got, basic, advanced)
		}
		if !test.advanced && !near(got, basic, 1e-4) {
			t.Errorf("%d releases of %v: %v, want close to the sum %v", test.k, test.epsilon, got, basic)
		}
	}
}

// A converter that has met a step before gives what one that has not gives.
func TestConverter(t *testing.T) {
	var c accountant.Converter
	for _, by := range accountant.Methods() {
		for _, sum := range []*accountant.Total{
			total(), total(accountant.Loss{Epsilon: 1}), total(sampled(0.1, 1, 1)), total(sampled(0.1, 1, 7), accountant.Loss{Epsilon: 0.1}),
			total(sampled(0.1, 1, 7), sampled(0.2, 2, 3), accountant.Loss{Rho: 0.1}),
		} {
			got, want := must[float64](t)(c.Epsilon(sum, 1e-5, by)), must[float64](t)(sum.Epsilon(1e-5, by))
			if !near(got, want, 1e-12) {
				t.Errorf("%s of %+v: %v, want %v", by, sum, got, want)
			}
		}
	}
	if _, err := c.Epsilon(total(), 2, accountant.RDP); err == nil {
		t.Error("a delta of 2 is accepted")
	}
}
