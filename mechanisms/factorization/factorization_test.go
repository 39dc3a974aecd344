package factorization

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// build is New with a test's options.
func build(t testing.TB, o Options) *Factorization {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// options returns options of the kind with n steps that are valid, few parameters.
func options(kind Kind, n int) Options {
	o := Options{Kind: kind, N: n}
	switch kind {
	case ARSum:
		o.Chains = 4
	case BandedToeplitz:
		o.Bands = min(n, 5)
	case BLT:
		o.Buffers = 3
	}
	return o
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// The means that an independent computation found; those of the optimum are
// good to the gap that is asked for.
func TestMSE(t *testing.T) {
	for _, test := range []struct {
		n         int
		kind      Kind
		want      float64
		tolerance float64
	}{
		{4, Tree, 3.75, 1e-12}, {4, TreeOnline, 2.9286, 3e-5}, {4, TreeFull, 1.92857, 3e-6},
		{4, Toeplitz, 1.908314, 3e-7}, {4, Optimal, 1.718536024135, 1e-9}, {4, Independent, 2.5, 1e-12},
		{256, Tree, 36.0352, 2e-6}, {256, TreeOnline, 21.6239, 3e-6}, {256, TreeFull, 9.623876, 1e-7},
		{256, Toeplitz, 7.122399, 1e-7}, {256, Optimal, 6.372668142596, 1e-9}, {256, Independent, 128.5, 1e-12},
		{1024, Tree, 55.0107, 2e-6}, {1024, TreeOnline, 31.9211, 2e-6}, {1024, TreeFull, 13.587766, 1e-7},
		{1024, Toeplitz, 9.670793, 1e-7}, {1024, Optimal, 8.734696478955, 1e-9}, {1024, Independent, 512.5, 1e-12},
	} {
		o := Options{Kind: test.kind, N: test.n}
		if test.kind == Optimal {
			o.Gap = 1e-10
		}
		f := build(t, o)
		got := f.MSE()
		if test.kind == TreeOnline { // that computation took the column norm of C
			got *= math.Pow(treeSensitivity(test.n)/f.Sensitivity(), 2)
		}
		if !near(got, test.want, test.tolerance) {
			t.Errorf("%s, n = %d: mean squared error %.12g, want %.12g", test.kind, test.n, got, test.want)
		}
	}
}

// At n = 4 the exact fractions, by hand. tree: ||c||^2 = 3, popcounts 1, 1, 2, 1.
// tree-online: nodes of sizes 1, 2, 4 have variances 1, 2/3, 4/7; the third input moves
// its leaf by 1, and the root, by 6/7 more than the leaf says (a third of that for the
// node between, which is seen in the root alone, and 3/7 of that), of variance 3/7, so
// that the square is 1 + 36/21. tree-full: the
// root's sum s has variance 4/7; given it, a half is s/2 and a term of variance
// 1/3; given a half, a leaf is half of it and a term of variance 1/2. So the rows
// are 1/2 + 5/42, 1/7 + 1/3, 1/2 + 9/28 + 1/12 and 4/7. toeplitz: h = 1, 1/2, 3/8,
// 5/16.
func TestMSEOfFourSteps(t *testing.T) {
	h := []float64{1, 1.0 / 4, 9.0 / 64, 25.0 / 256}
	column := h[0] + h[1] + h[2] + h[3]
	for kind, want := range map[Kind]float64{
		Independent: 10.0 / 4,
		Tree:        3 * 5.0 / 4,
		TreeOnline:  (1 + 36.0/21) * (1 + 2.0/3 + 5.0/3 + 4.0/7) / 4,
		TreeFull:    3 * (13.0/21 + 10.0/21 + 19.0/21 + 12.0/21) / 4,
		Toeplitz:    column * (4*h[0] + 3*h[1] + 2*h[2] + h[3]) / 4,
	} {
		if got := build(t, options(kind, 4)).MSE(); !near(got, want, 1e-14) {
			t.Errorf("%s: %.17g, want %.17g", kind, got, want)
		}
	}
	// n = 2 by hand: with X = [1 x; x 1] the cost tr(A'A X^(-1)) = (3-2x)/(1-x^2) is
	// least where x^2 - 3x + 1 = 0, and half of it is (3 + sqrt 5)/4.
	if got, want := build(t, Options{Kind: Optimal, N: 2, Gap: 1e-11}).MSE(), (3+math.Sqrt(5))/4; !near(got, want, 1e-11) {
		t.Errorf("optimum of two steps: %.15g, want %.15g", got, want)
	}
	for _, kind := range Kinds() {
		f := build(t, options(kind, 1))
		if !near(f.MSE(), 1, 1e-11) || !near(f.MaxError(), 1, 1e-11) {
			t.Errorf("%s of one step: mean squared error %v, largest error %v, want 1", kind, f.MSE(), f.MaxError())
		}
	}
}

// separation is the root of the largest diagonal entry of A'(B B')^(-1)A.
func separation(b *mat.Dense) (largest float64) {
	n, _ := b.Dims()
	var covariance mat.SymDense
	covariance.SymOuterK(1, b)
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		return math.NaN()
	}
	var solved mat.Dense
	if err := factor.SolveTo(&solved, triangle(n)); err != nil {
		return math.NaN()
	}
	var x mat.Dense
	x.Mul(triangle(n).T(), &solved)
	for i := range n {
		largest = max(largest, math.Sqrt(x.At(i, i)))
	}
	return largest
}

// What a factorization says of itself is true of dense factors.
func checkAgainstDense(t *testing.T, o Options) {
	t.Helper()
	const tolerance = 1e-10
	f := build(t, o)
	b, c := factors(t, o, f)
	var product mat.Dense
	product.Mul(b, c)
	if !mat.EqualApprox(&product, triangle(o.N), tolerance) {
		t.Errorf("%+v: B C is not A", o)
	}
	largest := 0.0
	for j := range o.N {
		largest = max(largest, mat.Norm(c.ColView(j), 2))
	}
	if o.Kind == TreeOnline { // C is no square matrix, and B forgets a part of C G
		largest = separation(b)
	}
	if !near(f.Sensitivity(), largest, tolerance) {
		t.Errorf("%+v: sensitivity %.15g, want %.15g", o, f.Sensitivity(), largest)
	}
	total, peak, i := 0.0, 0.0, 0
	for row := range f.RowNorms() {
		want := math.Pow(mat.Norm(b.RowView(i), 2), 2)
		if !near(row, want, tolerance) {
			t.Errorf("%+v: squared norm of row %d is %.15g, want %.15g", o, i, row, want)
		}
		total += want
		peak = max(peak, want)
		i++
	}
	if i != o.N {
		t.Errorf("%+v: %d row norms, want %d", o, i, o.N)
	}
	if want := largest * largest * total / float64(o.N); !near(f.MSE(), want, tolerance) {
		t.Errorf("%+v: mean squared error %.15g, want %.15g", o, f.MSE(), want)
	}
	if want := largest * math.Sqrt(peak); !near(f.MaxError(), want, tolerance) {
		t.Errorf("%+v: largest error %.15g, want %.15g", o, f.MaxError(), want)
	}
}

func TestDenseFactors(t *testing.T) {
	for _, kind := range Kinds() {
		for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 100} {
			checkAgainstDense(t, options(kind, n))
		}
	}
	for _, kind := range []Kind{Tree, Toeplitz, BandedToeplitz, BLT} {
		checkAgainstDense(t, options(kind, 1000))
	}
	checkAgainstDense(t, options(ARSum, 400))
	checkAgainstDense(t, options(Optimal, 300))
}

func TestDenseFactorsOfAnySize(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(r, "kind")
		o := options(kind, rapid.IntRange(1, 40).Draw(r, "n"))
		switch kind {
		case ARSum:
			o.Chains = rapid.IntRange(1, 10).Draw(r, "chains")
		case BandedToeplitz:
			o.Bands = rapid.IntRange(1, o.N).Draw(r, "bands")
		case BLT:
			o.Buffers = rapid.IntRange(1, 6).Draw(r, "buffers")
		}
		checkAgainstDense(t, o)
		if t.Failed() {
			r.FailNow()
		}
	})
}

func TestRowNormsCanBeLeft(t *testing.T) {
	for _, kind := range Kinds() {
		f := build(t, options(kind, 9))
		all := slices.Collect(f.RowNorms())
		for row := range f.RowNorms() {
			if row != all[0] {
				t.Errorf("%s: first row norm is %v, then %v", kind, all[0], row)
			}
			break
		}
	}
}

// Nothing beats the optimum, more chains do not hurt, and the optimum grows with
// n.
func TestOrderOfTheKinds(t *testing.T) {
	for _, n := range []int{5, 64, 300} {
		best := build(t, options(Optimal, n)).MSE()
		for _, kind := range Kinds() {
			if got := build(t, options(kind, n)).MSE(); got < best*(1-1e-8) {
				t.Errorf("n = %d: %s has %v, less than the optimum %v", n, kind, got, best)
			}
		}
		last := math.Inf(1)
		for chains := 1; chains <= 10; chains++ {
			got := build(t, Options{Kind: ARSum, N: n, Chains: chains}).MSE()
			if got > last*(1+1e-6) {
				t.Errorf("n = %d: %d chains have %v, more than %v with one less", n, chains, got, last)
			}
			last = got
		}
	}
	last := 0.0
	for n := 1; n <= 300; n += 13 {
		got := build(t, options(Optimal, n)).MSE()
		if got <= last {
			t.Errorf("the optimum falls to %v at n = %d", got, n)
		}
		last = got
	}
}

func TestBLTIsBetterThanToeplitz(t *testing.T) {
	for _, test := range []struct{ n, buffers int }{{256, 4}, {1024, 4}, {4096, 5}} {
		got := build(t, Options{Kind: BLT, N: test.n, Buffers: test.buffers}).MSE()
		root, best := build(t, options(Toeplitz, test.n)).MSE(), build(t, options(Optimal, test.n)).MSE()
		if got > root || got < 1.05*best || got > 1.09*best {
			t.Errorf("n = %d: %v, want 5 to 9 %% above %v and less than %v", test.n, got, best, root)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Kind: "three", N: 4}, `kind of factorization is "three"`},
		{Options{Kind: Tree}, "has 0 steps"},
		{Options{Kind: Tree, N: LargestN + 1}, "steps, want 1 to"},
		{Options{Kind: ARSum, N: 4}, "has 0 chains, want 1 to 64"},
		{Options{Kind: ARSum, N: 4, Chains: 65}, "has 65 chains"},
		{Options{Kind: Tree, N: 4, Chains: 1}, "tree has no chains, got 1"},
		{Options{Kind: BandedToeplitz, N: 4, Bands: 5}, "has 5 bands, want 1 to 4"},
		{Options{Kind: Optimal, N: 4, Bands: 2}, "optimal has no bands"},
		{Options{Kind: BLT, N: 4}, "has 0 buffers, want 1 to 32"},
		{Options{Kind: Toeplitz, N: 4, Buffers: -1}, "toeplitz has no buffers"},
		{Options{Kind: Toeplitz, N: 4, Gap: 1e-3}, "toeplitz has no gap"},
		{Options{Kind: Optimal, N: 4, Gap: 1e-13}, "gap of factorization optimal is 1e-13"},
		{Options{Kind: Optimal, N: 4, Gap: math.NaN()}, "is NaN"},
		{Options{Kind: Optimal, N: 4, Gap: 1.5}, "is 1.5"},
	} {
		f, err := New(test.options)
		if err == nil || f != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one with %q", test.options, err, test.want)
		}
	}
}

func ExampleFactorization_MSE() {
	for _, kind := range []Kind{Independent, Tree, Toeplitz, Optimal} {
		f, err := New(Options{Kind: kind, N: 1000})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %.4f\n", kind, f.MSE())
	}
	// Output:
	// independent 500.5000
	// tree 49.3800
	// toeplitz 9.6239
	// optimal 8.6910
}
