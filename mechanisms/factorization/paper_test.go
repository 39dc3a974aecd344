package factorization

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The tests here hold what the papers claim: v2 is "Locally differentially private
// online federated learning with correlated noise", second version, by equation.

// v2, Fig. 2: at n = 4 the dark nodes are the first leaf, the first pair, the pair
// and the third leaf, and the root.
func TestFigure2(t *testing.T) {
	want := []float64{1, 1, 2, 1}
	i := 0
	for row := range build(t, Options{Kind: Tree, N: 4}).RowNorms() {
		if row != want[i] {
			t.Errorf("row %d sums %v nodes, want %v", i, row, want[i])
		}
		i++
	}
}

// v2, (6): ||c||^2 <= log2 n + 1 holds for the tree without padding, and fails for
// one that is padded to a power of two; ||b||^2 <= log2 n fails at n = 2^k - 1,
// where the last row sums k nodes, and at n = 2, and holds at powers of two from 4.
func TestTreeBounds(t *testing.T) {
	for n := 1; n <= 1200; n++ {
		f := build(t, Options{Kind: Tree, N: n})
		limit := math.Log2(float64(n))
		if column := f.Sensitivity() * f.Sensitivity(); column > limit+1+1e-9 {
			t.Errorf("n = %d: squared column norm %v exceeds %v", n, column, limit+1)
		}
		peak := f.MaxError() / f.Sensitivity()
		exceeds := peak*peak > limit+1e-9
		if n&(n+1) == 0 && !exceeds {
			t.Errorf("n = %d: the row bound holds, %v <= %v", n, peak*peak, limit)
		}
		if n&(n-1) == 0 && n >= 4 && exceeds {
			t.Errorf("n = %d: the row bound fails, %v > %v", n, peak*peak, limit)
		}
		padded := math.Ceil(limit) + 1 // levels of the padded tree
		if fails := padded > limit+1; fails != (n&(n-1) != 0) {
			t.Errorf("n = %d: a padded tree has squared column norm %v beside %v", n, padded, limit+1)
		}
	}
}

// v2, (8): sum_j h(j)^2 <= 1 + ln(4n/5)/pi is false for every n.
func TestToeplitzBoundIsFalse(t *testing.T) {
	n := 0
	for sum := range runningSums(rootSeries(5000)) {
		n++
		if bound := 1 + math.Log(4*float64(n)/5)/math.Pi; sum <= bound {
			t.Errorf("n = %d: %v is within %v", n, sum, bound)
		}
		if n == 4000 && (math.Abs(sum-3.7063) > 5e-5 || math.Abs(1+math.Log(3200)/math.Pi-3.5690) > 1e-4) {
			t.Errorf("n = 4000: %v", sum)
		}
	}
}

// What few chains cost, in per cent of the optimum: at most what an independent
// implementation found, to its printed digits.
func TestLossOfFewChains(t *testing.T) {
	for _, test := range []struct {
		n, chains int
		want      float64
	}{
		{1024, 4, 0.9}, {1024, 6, 0.12}, {1024, 8, 0.022},
		{4096, 4, 2.0}, {4096, 6, 0.33}, {4096, 8, 0.07},
	} {
		f := build(t, Options{Kind: ARSum, N: test.n, Chains: test.chains})
		best := build(t, Options{Kind: Optimal, N: test.n}).MSE()
		loss := 100 * (f.MSE()/best - 1)
		if loss > test.want || loss < 0 {
			t.Errorf("n = %d, %d chains: %.4f %%, want at most %v %%", test.n, test.chains, loss, test.want)
		}
		if gap := 100 * f.Gap(); math.Abs(gap/(1-f.Gap())-loss) > 1e-5 {
			t.Errorf("n = %d, %d chains: loss %v %%, the gap says %v %%", test.n, test.chains, loss, gap)
		}
	}
}

// The mean squared error of the square root grows as (ln n/pi)^2, that of the
// tree as (log2 n)^2/2: the slopes of the roots against ln n are near 1/pi and
// 1/(sqrt 2 ln 2).
func TestGrowth(t *testing.T) {
	for kind, want := range map[Kind]float64{Toeplitz: 1 / math.Pi, Optimal: 1 / math.Pi, Tree: math.Sqrt(0.5) / math.Ln2} {
		var x, y []float64
		for n := 256; n <= 16384; n *= 2 {
			x = append(x, math.Log(float64(n)))
			y = append(y, math.Sqrt(build(t, options(kind, n)).MSE()))
		}
		if _, slope := stat.LinearRegression(x, y, nil, false); math.Abs(slope/want-1) > 0.05 {
			t.Errorf("%s: slope %v, want %v", kind, slope, want)
		}
	}
}
