package noise_test

import (
	"errors"
	"math"
	"math/rand/v2"
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

// counted is a source that counts its draws.
type counted struct {
	source rand.Source
	draws  int
}

func (c *counted) Uint64() uint64 { c.draws++; return c.source.Uint64() }

// constant is a source that yields one number for ever.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// chance is the chance of a false failure of each statistical test below, over
// the choice of the seed; six standard errors of a normal law have about it.
const (
	chance         = 1e-9
	standardErrors = 6
	samples        = 400_000
)

func standardSample(node int) []float64 {
	r := generator(node)
	x := make([]float64, samples)
	for i := range x {
		x[i] = noise.Standard(r)
	}
	return x
}

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

func TestStandardIsLaplace(t *testing.T) {
	law := distuv.Laplace{Mu: 0, Scale: 1}
	if d := distance(standardSample(0), law.CDF); d > tolerance(samples) {
		t.Errorf("distance %v from the Laplace law, want at most %v", d, tolerance(samples))
	}
}

// The tolerances are six standard errors: Var x = 2, Var |x| = 1,
// Var x^2 = E x^4 - (E x^2)^2 = 24 - 4 = 20 and, for the sign s,
// Var s = 1, Var s(|x|-1) = 1.
func TestStandardMoments(t *testing.T) {
	var mean, absolute, square, sign, product float64
	for _, x := range standardSample(1) {
		s := math.Copysign(1, x)
		mean += x / samples
		absolute += math.Abs(x) / samples
		square += x * x / samples
		sign += s / samples
		product += s * (math.Abs(x) - 1) / samples
	}
	tests := []struct {
		name                string
		got, want, variance float64
	}{
		{"mean", mean, 0, 2},
		{"mean absolute value", absolute, 1, 1},
		{"mean square", square, 2, 20},
		{"mean sign", sign, 0, 1},
		{"covariance of sign and magnitude", product, 0, 1},
	}
	for _, test := range tests {
		if e := standardErrors * math.Sqrt(test.variance/samples); math.Abs(test.got-test.want) > e {
			t.Errorf("%s is %v, want %v within %v", test.name, test.got, test.want, e)
		}
	}
}

// Given the sign, the magnitude is exponential: more than uncorrelated, they
// are independent.
func TestSignAndMagnitudeAreIndependent(t *testing.T) {
	var positive, negative []float64
	for _, x := range standardSample(2) {
		if x > 0 {
			positive = append(positive, x)
		} else {
			negative = append(negative, -x)
		}
	}
	law := distuv.Exponential{Rate: 1}
	for name, x := range map[string][]float64{"positive": positive, "negative": negative} {
		if d := distance(x, law.CDF); d > tolerance(len(x)) {
			t.Errorf("the %s numbers are %v from the exponential law, want at most %v", name, d, tolerance(len(x)))
		}
	}
}

// One draw a number; bit 0 is the sign and bits 12 to 63 the magnitude.
func TestStandardUsesSeparateBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint64().Draw(t, "bits")
		standard := func(bits uint64) float64 { return noise.Standard(rand.New(constant(bits))) }
		x := standard(bits)
		if standard(bits^1) != -x {
			t.Fatalf("bit 0 of %#x is not the sign alone: %v and %v", bits, x, standard(bits^1))
		}
		if other := bits ^ rapid.Uint64Range(0, 1<<11-1).Draw(t, "unused")<<1; standard(other) != x {
			t.Fatalf("%#x and %#x give %v and %v", bits, other, x, standard(other))
		}
		if math.IsInf(x, 0) || math.IsNaN(x) || x == 0 {
			t.Fatalf("%#x gives %v", bits, x)
		}
	})
}

// The largest magnitude is that of the smallest cell, 53 log 2; the smallest is
// that of the last, 2^-53 to first order.
func TestStandardExtremes(t *testing.T) {
	tests := []struct {
		bits constant
		want float64
	}{
		{0, 53 * math.Ln2},
		{1, -53 * math.Ln2},
		{math.MaxUint64, -0x1p-53},
		{math.MaxUint64 - 1, 0x1p-53},
	}
	for _, test := range tests {
		if got := noise.Standard(rand.New(test.bits)); math.Abs(got/test.want-1) > 1e-15 {
			t.Errorf("bits %#x give %v, want %v", uint64(test.bits), got, test.want)
		}
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
		if want := x[i] + float64(0.3*noise.Standard(r)); got[i] != want {
			t.Errorf("entry %d is %v, want %v", i+1, got[i], want)
		}
	}
	again := slices.Clone(x)
	if _, err := (noise.Laplace{Scale: 0.3}).Release(again, generator(3), 1, accept); err != nil || !slices.Equal(got, again) {
		t.Errorf("released again: %v, %v, want %v", again, err, got)
	}
}

func TestReleaseDrawsOncePerEntry(t *testing.T) {
	for _, test := range []struct {
		scale float64
		draws int
	}{{1, 6}, {1e-300, 6}, {0, 0}} {
		source := &counted{source: constant(42)}
		x := make([]float64, 6)
		if _, err := (noise.Laplace{Scale: test.scale}).Release(x, rand.New(source), 0, accept); err != nil {
			t.Fatal(err)
		}
		if source.draws != test.draws {
			t.Errorf("scale %v: %d draws for %d entries, want %d", test.scale, source.draws, len(x), test.draws)
		}
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
		source := &counted{source: constant(42)}
		x := []float64{1, 2, 3}
		_, err := noise.Laplace{Scale: scale}.Release(x, rand.New(source), 1, func(accountant.Loss) error { return spent })
		if err != spent {
			t.Errorf("scale %v: error %v, want the payer's own", scale, err)
		}
		if !slices.Equal(x, []float64{1, 2, 3}) || source.draws != 0 {
			t.Errorf("scale %v: x = %v after %d draws", scale, x, source.draws)
		}
	}
}

func TestInvalidScaleIsRefused(t *testing.T) {
	for _, scale := range []float64{-1, -math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		x := []float64{1}
		source := &counted{source: constant(42)}
		_, err := noise.Laplace{Scale: scale}.Release(x, rand.New(source), 1, func(accountant.Loss) error {
			t.Errorf("scale %v: paid for", scale)
			return nil
		})
		if err == nil || x[0] != 1 || source.draws != 0 {
			t.Errorf("scale %v: error %v, x = %v, %d draws", scale, err, x, source.draws)
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
