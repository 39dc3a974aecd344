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

// Each law takes the norm that it is private in, whatever the other norm is.
func TestAdditiveLoss(t *testing.T) {
	moves := noise.Moves{L1: 6, L2: 3}
	for _, test := range []struct {
		name  string
		noise noise.Additive
		moves noise.Moves
		want  accountant.Loss
	}{
		{"Laplace", noise.Additive{Law: noise.LaplaceLaw, Scale: 4}, moves, accountant.Loss{Epsilon: 1.5, Laplace: 1.5}},
		{"Gaussian", noise.Additive{Law: noise.GaussianLaw, Scale: 2}, moves, accountant.Loss{Rho: 9.0 / 8}},
		{"none", noise.Additive{}, moves, accountant.NotPrivate()},
		{"none, of Gaussian law", noise.Additive{Law: noise.GaussianLaw}, moves, accountant.NotPrivate()},
		{"none, and nothing moves", noise.Additive{}, noise.Moves{}, accountant.Loss{}},
		{"Gaussian, and nothing moves", noise.Additive{Law: noise.GaussianLaw, Scale: 2}, noise.Moves{}, accountant.Loss{}},
	} {
		var paid []accountant.Loss
		receipt, err := test.noise.Release(make([]float64, 3), generator(0), test.moves, func(l accountant.Loss) error {
			paid = append(paid, l)
			return nil
		})
		if got := test.noise.Loss(test.moves); got != test.want || err != nil || receipt.Loss() != test.want || !slices.Equal(paid, []accountant.Loss{test.want}) {
			t.Errorf("%s: loss %v, paid %v, receipt of %v, %v; want %v", test.name, got, paid, receipt.Loss(), err, test.want)
		}
	}
}

// Noise that is calibrated to a level costs that level, whatever moves by how much: by
// the accountant, which does not know the calibration.
func TestCalibratedNoiseCostsItsLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l2 := rapid.Float64Range(1e-3, 1e3).Draw(t, "2-norm")
		moves := noise.Moves{L1: l2 * rapid.Float64Range(1, 30).Draw(t, "1-norm over 2-norm"), L2: l2}
		epsilon := rapid.Float64Range(0.05, 8).Draw(t, "epsilon")
		delta := math.Pow(10, rapid.Float64Range(-9, -2).Draw(t, "log delta"))
		laplace := noise.Calibration{Law: noise.LaplaceLaw, Level: epsilon}.Fit(moves)
		if got := laplace.Loss(moves); math.Abs(got.Epsilon/epsilon-1) > 1e-12 {
			t.Fatalf("Laplace: %v", got)
		}
		sigma, err := accountant.GaussianSigma(epsilon, delta)
		if err != nil {
			t.Fatal(err)
		}
		gaussian := noise.Calibration{Law: noise.GaussianLaw, Level: 1 / sigma}
		total := gaussian.Fit(moves).Loss(moves).Total()
		if got, err := total.Epsilon(delta, accountant.PLD); err != nil || math.Abs(got/epsilon-1) > 1e-6 {
			t.Fatalf("Gaussian: %v, %v", got, err)
		}
		if half, want := gaussian.Scaled(0.5).Fit(moves), gaussian.Fit(moves); math.Abs(half.Scale/want.Scale-0.5) > 1e-12 || half.Law != want.Law {
			t.Fatalf("half of %v is %v", want, half)
		}
		if none := gaussian.Scaled(0); none.Private() || none.Fit(moves) != (noise.Additive{}) {
			t.Fatalf("no noise is %v", none.Fit(moves))
		}
	})
}

func TestAdditiveLogRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(0.1, 10).Draw(t, "scale")
		x, first, second := rapid.Float64Range(-20, 20).Draw(t, "x"), rapid.Float64Range(-20, 20).Draw(t, "first"), rapid.Float64Range(-20, 20).Draw(t, "second")
		for law, density := range map[noise.Law]func(mu float64) float64{
			noise.LaplaceLaw:  func(mu float64) float64 { return distuv.Laplace{Mu: mu, Scale: scale}.LogProb(x) },
			noise.GaussianLaw: func(mu float64) float64 { return distuv.Normal{Mu: mu, Sigma: scale}.LogProb(x) },
		} {
			got := noise.Additive{Law: law, Scale: scale}.LogRatio(x, first, second)
			if want := density(first) - density(second); math.Abs(got-want) > 1e-9*(1+math.Abs(density(first))+math.Abs(density(second))) {
				t.Fatalf("%s: %v, want %v", law, got, want)
			}
		}
	})
}

// The noise is that of the law by itself, to the bit.
func TestAdditiveDraws(t *testing.T) {
	laplace, gaussian := make([]float64, 5), make([]float64, 5)
	if _, err := (noise.Laplace{Scale: 0.7}).Release(laplace, generator(3), 1, accept); err != nil {
		t.Fatal(err)
	}
	if _, err := (noise.Gaussian{Scale: 0.7}).Release(gaussian, generator(3), 1, accept); err != nil {
		t.Fatal(err)
	}
	for law, want := range map[noise.Law][]float64{noise.LaplaceLaw: laplace, noise.GaussianLaw: gaussian} {
		got := make([]float64, 5)
		if _, err := (noise.Additive{Law: law, Scale: 0.7}).Release(got, generator(3), noise.Moves{L1: 1, L2: 1}, accept); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", law, got, err, want)
		}
	}
}

func TestAdditiveRefusals(t *testing.T) {
	spent := errors.New("spent")
	for name, a := range map[string]noise.Additive{
		"no law":           {Scale: 1},
		"a negative scale": {Law: noise.GaussianLaw, Scale: -1}, "no number": {Law: noise.LaplaceLaw, Scale: math.NaN()},
	} {
		x := []float64{1, 2}
		if _, err := a.Release(x, generator(0), noise.Moves{L1: 1, L2: 1}, accept); err == nil || !slices.Equal(x, []float64{1, 2}) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	x := []float64{1, 2}
	_, err := noise.Additive{Law: noise.GaussianLaw, Scale: 1}.Release(x, generator(0), noise.Moves{L1: 1, L2: 1}, func(accountant.Loss) error { return spent })
	if err != spent || !slices.Equal(x, []float64{1, 2}) {
		t.Errorf("unpaid: %v, %v", x, err)
	}
}

// Again draws what Release draws and pays what it pays, and a payment that is refused
// changes nothing.
func TestAdditiveAgain(t *testing.T) {
	moves, spent := noise.Moves{L1: 2, L2: 1}, errors.New("spent")
	for _, a := range []noise.Additive{{Law: noise.LaplaceLaw, Scale: 0.7}, {Law: noise.GaussianLaw, Scale: 0.7}, {Law: noise.GaussianLaw}, {}} {
		var losses []accountant.Loss
		pay := func(l accountant.Loss) error {
			losses = append(losses, l)
			return nil
		}
		want, got, refused := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		receipt, err := a.Release(want, generator(3), moves, pay)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Again(got, generator(3), &receipt, pay); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v: %v, %v; want %v", a, got, err, want)
		}
		if len(losses) != 2 || losses[0] != losses[1] {
			t.Errorf("%+v: paid %v", a, losses)
		}
		if err := a.Again(refused, generator(3), &receipt, func(accountant.Loss) error { return spent }); err != spent || !slices.Equal(refused, make([]float64, 5)) {
			t.Errorf("%+v, unpaid: %v, %v", a, refused, err)
		}
	}
}

// TestMovesOfSums: a release that moves by a sum of two vectors moves by no more than both, in each norm, and
// by as much where they are alike.
func TestMovesOfSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vector := rapid.SliceOfN(rapid.Float64Range(-9, 9), 3, 3)
		of := func(x []float64) (m noise.Moves) {
			for _, v := range x {
				m.L1 += math.Abs(v)
				m.L2 = math.Hypot(m.L2, v)
			}
			m.Entries = len(x)
			return m
		}
		x, y := vector.Draw(t, "x"), vector.Draw(t, "y")
		sum := make([]float64, len(x))
		for i := range x {
			sum[i] = x[i] + y[i]
		}
		moved, bound, twice := of(sum), of(x).Plus(of(y)), of(x).Plus(of(x))
		if moved.L1 > bound.L1+1e-9 || moved.L2 > bound.L2+1e-9 || bound.Entries != 3 || twice.L1 != 2*of(x).L1 || twice.L2 != 2*of(x).L2 {
			t.Errorf("%v and %v: moves %+v, bound %+v, twice %+v", x, y, moved, bound, twice)
		}
	})
}
