package noise_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// prefixSums are the factorization of a run of four releases.
func prefixSums() *factorization.Factorization {
	return must(factorization.New(factorization.Options{Kind: factorization.Toeplitz, N: 4}))
}

// must returns a value that cannot fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// forms are all forms of noise, with the losses of a payment by the formulas of the papers.
func forms() map[string]struct {
	noise              noise.Released
	loss               accountant.Loss
	scale, sensitivity float64
	once               bool
} {
	moves := noise.Moves{L1: 3, L2: 2, Entries: 2}
	laplace, gaussian := noise.Additive{Law: noise.LaplaceLaw, Scale: 6}, noise.Additive{Law: noise.GaussianLaw, Scale: 4}
	sampled := accountant.SampledGaussian{Rate: 0.25, Noise: 1.5, Steps: 1}
	return map[string]struct {
		noise              noise.Released
		loss               accountant.Loss
		scale, sensitivity float64
		once               bool
	}{
		"none":             {noise.Released{}, accountant.NotPrivate(), 0, 0, false},
		"no law":           {noise.OnEach(noise.Additive{}, moves), accountant.NotPrivate(), 0, 0, false},
		"laplace":          {noise.OnEach(laplace, moves), accountant.Loss{Epsilon: 0.5, Laplace: 0.5}, 6, 3, false},
		"gaussian":         {noise.OnEach(gaussian, moves), accountant.Loss{Rho: 0.125}, 4, 2, false},
		"disjoint":         {noise.OnDisjoint(laplace, moves), accountant.Loss{Epsilon: 0.5, Laplace: 0.5}, 6, 3, true},
		"all data":         {noise.OnSamples(1.5, 2), accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 1, Noise: 1.5, Steps: 1}}, 3, 2, false},
		"samples":          {noise.OnSamples(1.5, 2).At(0.25), accountant.Loss{Sampled: sampled}, 3, 2, false},
		"prefixes":         {noise.OnPrefixes(4, 2, prefixSums()), accountant.Loss{Rho: 0.125}, 4, 2, true},
		"sampled prefixes": {noise.OnSampledPrefixes(accountant.SampledGaussian{Rate: 0.25, Noise: 1.5}, 2, prefixSums()), accountant.Loss{Sampled: sampled}, 3, 2, false},
	}
}

// Scale, sensitivity and loss of each form agree; audits get other noise at the same loss, and
// only sums over samples cost less by a rate.
func TestReleasedAgrees(t *testing.T) {
	for name, test := range forms() {
		n := test.noise
		if n.Loss() != test.loss || n.Scale() != test.scale || n.Sensitivity() != test.sensitivity || n.Once() != test.once {
			t.Errorf("%s: scale %v for moves of %v costs %v, once: %v; want %v, %v, %v, %v", name, n.Scale(), n.Sensitivity(), n.Loss(), n.Once(), test.scale, test.sensitivity, test.loss, test.once)
		}
		if half := n.Scaled(0.5); half.Scale() != test.scale/2 || half.Loss() != test.loss || half.Sensitivity() != test.sensitivity {
			t.Errorf("%s: half of it is %+v", name, half)
		}
		if zero := n.Scaled(0); zero != (noise.Released{}) || zero.Private() {
			t.Errorf("%s: 0 times it is %+v", name, zero)
		}
		if at := n.At(0.1); !n.Sampled() && at != n || n.Sampled() && at.Loss().Sampled.Rate != 0.1 {
			t.Errorf("%s: at a rate of 0.1 it is %+v", name, at)
		}
	}
	if loss := noise.OnSamples(0, 2).At(0.1).Loss(); loss.Private() {
		t.Errorf("sums without noise cost %v", loss)
	}
}

// Noise that is paid for once is paid for once, at its first release or before; other noise at
// each release, unless an earlier payment covers it. All draws are those of the same noise.
func TestStreamPays(t *testing.T) {
	for name, test := range forms() {
		var paid []accountant.Loss
		pay := func(l accountant.Loss) error { paid = append(paid, l); return nil }
		spent := errors.New("budget spent")
		s := must(test.noise.Stream(2))
		x, added, r := []float64{10, 20}, make([]float64, 2), generator(5)
		if _, err := s.Release(x, added, r, func(accountant.Loss) error { return spent }); err != spent || x[0] != 10 || *r != *generator(5) || s.Receipt().Written() {
			t.Errorf("%s: refused with %v, x = %v", name, err, x)
		}
		want := []accountant.Loss{test.loss}
		for k := range 3 {
			before := slices.Clone(x)
			receipt, err := s.Release(x, added, r, pay)
			if err != nil || receipt.Loss() != test.loss || receipt.Stands() != (test.once || test.noise.Correlated()) {
				t.Fatalf("%s: release %d: receipt of %v, %v", name, k, receipt.Loss(), err)
			}
			if test.once && (x[0] != before[0]+added[0] || x[1] != before[1]+added[1] || s.Receipt() != receipt) {
				t.Errorf("%s: release %d is %v with noise %v on %v", name, k, x, added, before)
			}
			if k > 0 && !test.once {
				want = append(want, test.loss)
			}
		}
		if test.once {
			if err := s.Pay(pay); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if receipt, err := s.Covered(x, added, r); err != nil || !receipt.Stands() || receipt.Loss() != test.loss {
			t.Errorf("%s: a release that is paid for has the receipt %v, %v", name, receipt, err)
		}
		if !slices.Equal(paid, want) {
			t.Errorf("%s: paid %v, want %v", name, paid, want)
		}
	}
}

// Independent noise is that of its law, drawn one after the other; correlated noise that of the
// factorization, times the scale.
func TestStreamDraws(t *testing.T) {
	for name, test := range forms() {
		if !test.noise.Private() {
			continue
		}
		s, r, other := must(test.noise.Stream(2)), generator(5), generator(5)
		rows := must(prefixSums().Stream(2))
		for k := range 3 {
			x, added, want := []float64{1, -2}, []float64{9, 9}, make([]float64, 2)
			if _, err := s.Release(x, added, r, accept); err != nil {
				t.Fatal(name, err)
			}
			if test.noise.Correlated() {
				if err := rows.Next(want, other); err != nil {
					t.Fatal(err)
				}
				want[0], want[1] = test.scale*want[0], test.scale*want[1]
			} else {
				test.noise.Law().Add(want, test.scale, other)
			}
			if math.Abs(x[0]-1-want[0]) > 1e-12 || math.Abs(x[1]+2-want[1]) > 1e-12 {
				t.Errorf("%s: release %d is %v, want noise %v", name, k, x, want)
			}
		}
	}
}

// A stream that resumes from its state goes on with the same noise, and pays no second time.
func TestStreamResumes(t *testing.T) {
	for name, test := range forms() {
		s, resumed := must(test.noise.Stream(2)), must(test.noise.Stream(2))
		added, times := make([]float64, 2), 0
		pay := func(accountant.Loss) error { times++; return nil }
		if _, err := s.Release(make([]float64, 2), added, generator(1), pay); err != nil {
			t.Fatal(name, err)
		}
		if err := messages.Read(messages.Write(nil, s), resumed); err != nil {
			t.Fatal(name, err)
		}
		x, y := make([]float64, 2), make([]float64, 2)
		_, err := s.Release(x, added, generator(2), accept)
		_, again := resumed.Release(y, added, generator(2), pay)
		if want := map[bool]int{true: 1, false: 2}[test.once]; errors.Join(err, again) != nil || !slices.Equal(x, y) || times != want {
			t.Errorf("%s: %v after resuming, want %v; paid %d times, want %d; %v, %v", name, y, x, times, want, err, again)
		}
	}
}

// Noise of no finite scale, noise without a factorization, and noise for vectors of another
// length are not released.
func TestStreamRefuses(t *testing.T) {
	if _, err := noise.OnPrefixes(1, 1, nil).Stream(2); err == nil {
		t.Error("noise that was made for its loss alone is drawn")
	}
	never := func(accountant.Loss) error { t.Error("asked to pay"); return nil }
	for _, scale := range []float64{-1, math.Inf(1), math.NaN()} {
		additive := noise.Additive{Law: noise.LaplaceLaw, Scale: scale}
		for _, n := range []noise.Released{noise.OnEach(additive, noise.MovesL1(1, 2)), noise.OnDisjoint(additive, noise.MovesL1(1, 2)), noise.OnSamples(scale, 1), noise.OnPrefixes(scale, 1, prefixSums())} {
			x := []float64{1, 2}
			if _, err := must(n.Stream(2)).Release(x, make([]float64, 2), generator(0), never); err == nil || x[0] != 1 {
				t.Errorf("scale %v is accepted: %v", scale, x)
			}
		}
	}
	for _, n := range []noise.Released{noise.OnDisjoint(noise.Additive{Law: noise.LaplaceLaw, Scale: 1}, noise.MovesL1(1, 2)), noise.OnPrefixes(1, 1, prefixSums())} {
		x := []float64{1, 2}
		if _, err := must(n.Stream(2)).Release(x, make([]float64, 3), generator(0), never); err == nil || x[0] != 1 {
			t.Errorf("noise of another length is accepted: %v", x)
		}
	}
}

func TestStreamAllocatesNothing(t *testing.T) {
	x, added, r := make([]float64, 100), make([]float64, 100), generator(0)
	f := must(factorization.New(factorization.Options{Kind: factorization.Independent, N: 1000}))
	streams := []*noise.Stream{must(noise.OnPrefixes(1, 1, f).Stream(100)), must(noise.OnSamples(1, 1).Stream(100))}
	if n := testing.AllocsPerRun(100, func() {
		for _, s := range streams {
			if _, err := s.Release(x, added, r, accept); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations a release", n)
	}
}

// Three gradients, each of other people's data: whoever gave the data of one pays for
// one release.
func ExampleOnDisjoint() {
	n := noise.OnDisjoint(noise.Additive{Law: noise.LaplaceLaw, Scale: 4}, noise.Moves{L1: 2})
	s, err := n.Stream(2)
	if err != nil {
		panic(err)
	}
	pay := func(l accountant.Loss) error { fmt.Println("pays epsilon", l.Epsilon); return nil }
	var stream rng.Stream
	for t := range 3 {
		gradient, drawn := []float64{1, 0}, make([]float64, 2)
		r := stream.Open(rng.NewKey(1, rng.PurposeOf("example")), 0, t, 0)
		if _, err := s.Release(gradient, drawn, r, pay); err != nil {
			panic(err)
		}
	}
	fmt.Println("in all", n.Loss().Epsilon)
	// Output:
	// pays epsilon 0.5
	// in all 0.5
}
