package factorization

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// The recurrences give the diagonal of the matrix function, for multipliers that
// vary by many orders of magnitude, on one goroutine or two.
func TestDiagonalAgainstDense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 10, 50} {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(3 * r.NormFloat64())
		}
		_, want := denseRoot(t, v)
		root, _ := inverseRootWithin(v, 1e-13)
		got := make([]float64, n)
		newEvaluator(n).diagonal(got, v, root)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-8*want[i] {
				t.Errorf("n = %d: entry %d is %v, want %v", n, i, got[i], want[i])
			}
		}
	}
}

// With v = 1 the eigenvalues of (A'A)^(-1) are 4 sin^2((2k-1) pi/(4n+2)), k = 1..n,
// which gives the trace for sizes no dense solver reaches.
func TestTraceOfManySteps(t *testing.T) {
	for _, n := range []int{concurrentRows - 1, concurrentRows, 100_000} {
		v := make([]float64, n)
		want := 0.0
		for k := range v {
			v[k] = 1
			want += 1 / (2 * math.Sin(float64(2*k+1)*math.Pi/float64(4*n+2)))
		}
		root, _ := inverseRootWithin(v, 1e-13)
		c := candidate{newEvaluator(n), v, make([]float64, n), nil}
		if got := c.trace(root); !near(got, want, 1e-11) {
			t.Errorf("n = %d: trace %v, want %v", n, got, want)
		}
	}
}

// The optimum of a dense solver: its cost is within the gap, and the lower bound
// below it.
func TestOptimumAgainstDense(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 9, 17, 33, 64} {
		_, want := solveDense(t, n)
		f := build(t, Options{Kind: Optimal, N: n, Gap: 1e-10})
		if gap := f.Gap(); !(gap <= 1e-10 && gap > -1e-13) {
			t.Errorf("n = %d: gap %v", n, gap)
		}
		if f.MSE() < want*(1-2e-12) || f.MSE()*(1-f.Gap()) > want*(1+2e-12) {
			t.Errorf("n = %d: optimum %v is not in [%v, %v]", n, want, f.MSE()*(1-f.Gap()), f.MSE())
		}
	}
}

// For any v > 0 the bounds of iterate hold, with the cost of the least C with
// X = C'C that v gives; at the optimum they meet.
func TestCertificates(t *testing.T) {
	optimum := map[int]float64{}
	for _, n := range []int{1, 2, 5, 12} {
		_, mse := solveDense(t, n)
		optimum[n] = mse * float64(n)
	}
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 5, 12}).Draw(r, "n")
		v := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(r, "log v")
		for i := range v {
			v[i] = math.Exp(v[i])
		}
		e := newEvaluator(n)
		c := candidate{e, v, make([]float64, n), nil}
		lower := c.lowerBound()
		root, _ := inverseRootWithin(v, exactRipple)
		upper := c.trace(root) * c.squaredSensitivity(root)
		if lower > optimum[n]*(1+1e-9) || upper < optimum[n]*(1-1e-9) {
			r.Fatalf("n = %d, v = %v: %v is not in [%v, %v]", n, v, optimum[n], lower, upper)
		}
		// The upper bound is max(d/v) sum d, and the cost of dense factors.
		m, d := denseRoot(t, v)
		largest := 0.0
		x := mat.NewSymDense(n, nil)
		for i := range n {
			largest = max(largest, d[i]/v[i])
			for j := i; j < n; j++ {
				x.SetSym(i, j, m.At(i, j)/math.Sqrt(v[i]*v[j]))
			}
		}
		var b, product mat.Dense
		if err := b.Inverse(x); err != nil {
			r.Fatal(err)
		}
		product.Product(triangle(n), &b, triangle(n).T())
		if dense := largest * mat.Trace(&product); !near(upper, dense, 1e-7) || !near(upper, largest*floats.Sum(d), 1e-9) {
			r.Fatalf("n = %d: upper bound %v, want %v and %v", n, upper, dense, largest*floats.Sum(d))
		}
	})
}

// Any size is solved to any gap that is allowed, and says so.
func TestGapIsReached(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 700).Draw(r, "n")
		gap := math.Pow(10, rapid.Float64Range(-11, -1).Draw(r, "log10 gap"))
		f := build(t, Options{Kind: Optimal, N: n, Gap: gap})
		if !(f.Gap() <= gap) {
			r.Fatalf("n = %d: gap %v, want %v", n, f.Gap(), gap)
		}
	})
}

// The same options give the same bits.
func TestOptimumIsReproducible(t *testing.T) {
	o := Options{Kind: ARSum, N: 3000, Chains: 4}
	a, b := build(t, o), build(t, o)
	if a.MSE() != b.MSE() || a.Gap() != b.Gap() {
		t.Errorf("%v, %v and %v, %v", a.MSE(), a.Gap(), b.MSE(), b.Gap())
	}
}
