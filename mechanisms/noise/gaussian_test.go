package noise_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// Bun, Steinke 2016, proposition 1.6: rho = sensitivity^2/(2 sigma^2).
func TestGaussianLoss(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name               string
		scale, sensitivity float64
		want               accountant.Loss
	}{
		{"usual", 2, 3, accountant.Loss{Rho: 9.0 / 8}},
		{"nothing moves the vector", 2, 0, accountant.Loss{}},
		{"nothing moves it and no noise", 0, 0, accountant.Loss{}},
		{"no noise", 0, 1, accountant.NotPrivate()},
		{"no bound on how far it moves", 2, inf, accountant.NotPrivate()},
	} {
		var paid []accountant.Loss
		pay := func(l accountant.Loss) error { paid = append(paid, l); return nil }
		mechanism := noise.Gaussian{Scale: test.scale}
		if got := mechanism.Loss(test.sensitivity); got != test.want {
			t.Errorf("%s: loss %v, want %v", test.name, got, test.want)
		}
		if _, err := mechanism.Release(make([]float64, 3), generator(0), test.sensitivity, pay); err != nil || !slices.Equal(paid, []accountant.Loss{test.want}) {
			t.Errorf("%s: Release paid %v, %v; want %v once", test.name, paid, err, test.want)
		}
		if got := noise.OnPrefixes(test.scale, test.sensitivity, nil).Loss(); got != test.want {
			t.Errorf("%s: a stream costs %v, want %v", test.name, got, test.want)
		}
	}
	for _, sensitivity := range []float64{-1, math.NaN()} {
		if (noise.Gaussian{Scale: 1}).Loss(sensitivity).Validate() == nil || (noise.Gaussian{Scale: 1}).SampledLoss(sensitivity, 0.1).Validate() == nil {
			t.Errorf("sensitivity %v has a valid loss", sensitivity)
		}
	}
}

// The noise multiplier of a sampled sum is sigma over the sensitivity.
func TestSampledLoss(t *testing.T) {
	mechanism := noise.Gaussian{Scale: 3}
	want := accountant.Loss{Sampled: accountant.SampledGaussian{Rate: 0.1, Noise: 1.5, Steps: 1}}
	if got := mechanism.SampledLoss(2, 0.1); got != want {
		t.Errorf("loss %v, want %v", got, want)
	}
	if got := (noise.Gaussian{}).SampledLoss(2, 0.1); got.Private() {
		t.Errorf("without noise: %v", got)
	}
	if got := mechanism.SampledLoss(0, 0.1); got != (accountant.Loss{}) {
		t.Errorf("without sensitivity: %v", got)
	}
	if mechanism.SampledLoss(2, 1.5).Validate() == nil {
		t.Error("rate 1.5 has a valid loss")
	}
	var paid accountant.Loss
	_, err := mechanism.ReleaseSampled(make([]float64, 2), generator(0), 2, 0.1, func(l accountant.Loss) error { paid = l; return nil })
	if err != nil || paid != want {
		t.Errorf("ReleaseSampled paid %v, %v; want %v", paid, err, want)
	}
}

// The claim behind the loss: the Rényi divergence of order a of outputs whose
// inputs are the sensitivity apart is a rho, here from the densities by a sum
// over a fine grid.
func TestGaussianLossIsTheDivergence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(0.5, 3).Draw(t, "scale")
		moved := rapid.Float64Range(0.1, 2).Draw(t, "sensitivity")
		a := rapid.Float64Range(1.1, 6).Draw(t, "order")
		p, q := distuv.Normal{Mu: moved, Sigma: scale}, distuv.Normal{Sigma: scale}
		var sum float64
		low, high := -12*scale, a*moved+12*scale
		step := (high - low) / 2000
		for i := range 2000 {
			y := low + (float64(i)+0.5)*step
			sum += step * math.Exp(a*p.LogProb(y)+(1-a)*q.LogProb(y))
		}
		rho := noise.Gaussian{Scale: scale}.Loss(moved).Rho
		if got := math.Log(sum) / (a - 1); math.Abs(got-a*rho) > 1e-9*(1+a*rho) {
			t.Fatalf("divergence %v, want %v", got, a*rho)
		}
	})
}

func TestGaussianReleaseIsNormal(t *testing.T) {
	x := make([]float64, samples)
	if _, err := (noise.Gaussian{Scale: 0.3}).Release(x, generator(4), 1, accept); err != nil {
		t.Fatal(err)
	}
	if d := distance(x, distuv.Normal{Sigma: 0.3}.CDF); d > tolerance(samples) {
		t.Errorf("distance %v from the normal law, want at most %v", d, tolerance(samples))
	}
}

func TestGaussianReleaseAdds(t *testing.T) {
	x := []float64{1, -2, 0, 1e6}
	got := slices.Clone(x)
	if _, err := (noise.Gaussian{Scale: 0.3}).Release(got, generator(3), 1, accept); err != nil {
		t.Fatal(err)
	}
	r := generator(3)
	for i := range x {
		if want := x[i] + float64(0.3*r.NormFloat64()); got[i] != want {
			t.Errorf("entry %d is %v, want %v", i+1, got[i], want)
		}
	}
	r = generator(0)
	unchanged := []float64{1, math.Copysign(0, -1)}
	if _, err := (noise.Gaussian{}).Release(unchanged, r, 0, accept); err != nil || *r != *generator(0) || !math.Signbit(unchanged[1]) {
		t.Errorf("scale 0: %v, %v, or numbers are drawn", unchanged, err)
	}
}

func TestGaussianRefuses(t *testing.T) {
	spent := errors.New("budget spent")
	x, r := []float64{1, 2}, generator(0)
	if _, err := (noise.Gaussian{Scale: 1}).Release(x, r, 1, func(accountant.Loss) error { return spent }); err != spent {
		t.Errorf("error %v, want the payer's own", err)
	}
	for _, scale := range []float64{-1, math.Inf(1), math.NaN()} {
		never := func(accountant.Loss) error { t.Errorf("scale %v: paid for", scale); return nil }
		if _, err := (noise.Gaussian{Scale: scale}).Release(x, r, 1, never); err == nil {
			t.Errorf("scale %v is accepted", scale)
		}
	}
	if !slices.Equal(x, []float64{1, 2}) || *r != *generator(0) {
		t.Errorf("x = %v, or numbers are drawn", x)
	}
}

func TestGaussianReleaseAllocatesNothing(t *testing.T) {
	x, r := make([]float64, 100), generator(0)
	if n := testing.AllocsPerRun(100, func() {
		_, err := noise.Gaussian{Scale: 1}.ReleaseSampled(x, r, 1, 0.1, accept)
		if err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a release", n)
	}
}
