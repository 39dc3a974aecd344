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
	"starling/mechanisms/rng"
)

// generator returns the generator of a fixed stream: a test that has passed
// passes for ever, until streams or mechanism change.
func generator(node int) *rng.Rand {
	return new(rng.Stream).Open(rng.NewKey(7, rng.PurposeOf("laplace test")), node, 0, 0)
}

func accept(accountant.Loss) error { return nil }

// chance is the chance of a false failure of each statistical test below, over
// the choice of the seed.
const (
	chance  = 1e-9
	samples = 400_000
)

// distance is the largest distance of the sample's empirical distribution
// function from cdf (Kolmogorov, Smirnov).
func distance(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	n := float64(len(x))
	var d float64
	for i, v := range x {
		p := cdf(v)
		d = max(d, p-float64(i)/n, float64(i+1)/n-p)
	}
	return d
}

// tolerance is the distance that n independent numbers exceed with probability
// at most chance: P(D > e) <= 2 exp(-2 n e^2) (Dvoretzky, Kiefer, Wolfowitz;
// Massart).
func tolerance(n int) float64 { return math.Sqrt(math.Log(2/chance) / (2 * float64(n))) }

func TestLaplaceReleaseIsLaplace(t *testing.T) {
	x := make([]float64, samples)
	if _, err := (noise.Laplace{Scale: 0.3}).Release(x, generator(0), 1, accept); err != nil {
		t.Fatal(err)
	}
	if d := distance(x, distuv.Laplace{Scale: 0.3}.CDF); d > tolerance(samples) {
		t.Errorf("distance %v from the Laplace law, want at most %v", d, tolerance(samples))
	}
}

// Dwork, Roth 2014, theorem 3.6: epsilon = sensitivity / b.
func TestLoss(t *testing.T) {
	tests := []struct {
		name               string
		scale, sensitivity float64
		want               float64
	}{
		{"usual", 2, 1, 0.5},
		{"much noise", 1e6, 3, 3e-6},
		{"nothing moves the vector", 2, 0, 0},
		{"nothing moves it and no noise", 0, 0, 0},
		{"no noise", 0, 1, math.Inf(1)},
		{"no bound on how far it moves", 2, math.Inf(1), math.Inf(1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mechanism := noise.Laplace{Scale: test.scale}
			want := accountant.Loss{Epsilon: test.want}
			if want.Private() {
				want.Laplace = test.want // all of it
			}
			if got := mechanism.Loss(test.sensitivity); got != want {
				t.Fatalf("loss %v, want %v", got, want)
			}
			var paid []accountant.Loss
			_, err := mechanism.Release(make([]float64, 3), generator(0), test.sensitivity, func(l accountant.Loss) error {
				paid = append(paid, l)
				return nil
			})
			if err != nil || !slices.Equal(paid, []accountant.Loss{want}) {
				t.Errorf("Release paid %v, %v; want %v once", paid, err, want)
			}
		})
	}
}

// The claim behind the loss: at two inputs within the sensitivity the densities
// of the output differ by a factor exp(epsilon) at most, and somewhere by that.
func TestLossBoundsTheDensityRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(0.01, 100).Draw(t, "scale")
		moved := rapid.Float64Range(0.01, 100).Draw(t, "sensitivity")
		y := rapid.Float64Range(-200, 200).Draw(t, "output")
		epsilon := noise.Laplace{Scale: scale}.Loss(moved).Epsilon
		ratio := func(y float64) float64 {
			return distuv.Laplace{Mu: 0, Scale: scale}.LogProb(y) - distuv.Laplace{Mu: moved, Scale: scale}.LogProb(y)
		}
		rounding := 1e-9 * (1 + epsilon + math.Abs(y)/scale)
		if r := math.Abs(ratio(y)); r > epsilon+rounding {
			t.Fatalf("log density ratio %v exceeds the loss %v", r, epsilon)
		}
		if r := ratio(-math.Abs(y)); math.Abs(r-epsilon) > rounding {
			t.Fatalf("log density ratio %v left of both, want the loss %v", r, epsilon)
		}
	})
}

func TestReleaseAddsScaledNoise(t *testing.T) {
	x := []float64{1, -2, 0, 1e6, 5}
	got := slices.Clone(x)
	if _, err := (noise.Laplace{Scale: 0.3}).Release(got, generator(3), 1, accept); err != nil {
		t.Fatal(err)
	}
	r := generator(3)
	for i := range x {
		if want := x[i] + float64(0.3*r.Laplace()); got[i] != want {
			t.Errorf("entry %d is %v, want %v", i+1, got[i], want)
		}
	}
	again := slices.Clone(x)
	if _, err := (noise.Laplace{Scale: 0.3}).Release(again, generator(3), 1, accept); err != nil || !slices.Equal(got, again) {
		t.Errorf("released again: %v, %v, want %v", again, err, got)
	}
}

func TestZeroScaleChangesNothing(t *testing.T) {
	x := []float64{1, math.Copysign(0, -1), 3}
	if _, err := (noise.Laplace{}).Release(x, generator(0), 0, accept); err != nil {
		t.Fatal(err)
	}
	if x[0] != 1 || !math.Signbit(x[1]) || x[2] != 3 {
		t.Errorf("got %v", x)
	}
}

func TestRefusedPaymentReleasesNothing(t *testing.T) {
	spent := errors.New("budget spent")
	for _, scale := range []float64{0, 1} {
		r, x := generator(0), []float64{1, 2, 3}
		_, err := noise.Laplace{Scale: scale}.Release(x, r, 1, func(accountant.Loss) error { return spent })
		if err != spent {
			t.Errorf("scale %v: error %v, want the payer's own", scale, err)
		}
		if !slices.Equal(x, []float64{1, 2, 3}) || *r != *generator(0) {
			t.Errorf("scale %v: x = %v, or numbers are drawn", scale, x)
		}
	}
}

func TestInvalidScaleIsRefused(t *testing.T) {
	for _, scale := range []float64{-1, -math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		r, x := generator(0), []float64{1}
		_, err := noise.Laplace{Scale: scale}.Release(x, r, 1, func(accountant.Loss) error {
			t.Errorf("scale %v: paid for", scale)
			return nil
		})
		if err == nil || x[0] != 1 || *r != *generator(0) {
			t.Errorf("scale %v: error %v, x = %v, or numbers are drawn", scale, err, x)
		}
	}
	for _, scale := range []float64{0, math.SmallestNonzeroFloat64, math.MaxFloat64} {
		if err := (noise.Laplace{Scale: scale}).Validate(); err != nil {
			t.Errorf("scale %v: %v", scale, err)
		}
	}
}

// A sensitivity that is no sensitivity gives a loss that Validate refuses, so
// that a payer that checks, as a turn's does, stops the release.
func TestLossOfNoSensitivityIsInvalid(t *testing.T) {
	for _, scale := range []float64{0, 1} {
		for _, sensitivity := range []float64{-1, math.NaN()} {
			if l := (noise.Laplace{Scale: scale}).Loss(sensitivity); l.Validate() == nil && l.Private() {
				t.Errorf("scale %v, sensitivity %v: loss %v passes", scale, sensitivity, l)
			}
		}
	}
}

func TestReleaseAllocatesNothing(t *testing.T) {
	x, r := make([]float64, 100), generator(0)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := (noise.Laplace{Scale: 1}).Release(x, r, 1, accept); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a release", n)
	}
}
