package numeric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/mechanisms/numeric"
)

// gram is a product G'G of a rows x n matrix: positive semidefinite, singular for fewer
// rows than columns.
func gram(t *rapid.T, n, rows int) []float64 {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	g := mat.NewDense(rows, n, nil)
	for i := range rows {
		for j := range n {
			g.Set(i, j, r.NormFloat64()*math.Ldexp(1, j%5))
		}
	}
	var a mat.Dense
	a.Mul(g.T(), g)
	symmetric := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			symmetric = append(symmetric, a.At(min(i, j), max(i, j)))
		}
	}
	return symmetric
}

func norm(a []float64) (sum float64) {
	for _, v := range a {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// Eigenvalues are those of another method, and the vectors make the matrix again.
func TestEigenOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := gram(t, n, rapid.IntRange(1, 15).Draw(t, "rows"))
		values, vectors, ok := numeric.Eigen(a, n)
		if !ok {
			t.Fatal("no convergence")
		}
		tolerance := 1e-13 * float64(n) * norm(a)
		var reference mat.EigenSym
		if !reference.Factorize(mat.NewSymDense(n, slices.Clone(a)), false) {
			t.Fatal("the reference does not converge")
		}
		for j, want := range reference.Values(nil) {
			if math.Abs(values[j]-want) > tolerance {
				t.Fatalf("values %v, want %v at %d", values, want, j)
			}
		}
		for i := range n {
			for k := range n {
				var product, identity float64
				for j := range n {
					product += values[j] * vectors[j*n+i] * vectors[j*n+k]
					identity += vectors[j*n+i] * vectors[j*n+k]
				}
				if math.Abs(product-a[i*n+k]) > tolerance {
					t.Fatalf("entry (%d, %d) is %v, want %v", i, k, product, a[i*n+k])
				}
				if i != k && math.Abs(identity) > 1e-12 || i == k && math.Abs(identity-1) > 1e-12 {
					t.Fatalf("vectors are not orthonormal: %v at (%d, %d)", identity, i, k)
				}
			}
		}
	})
}

// What is solved is a solution; singular matrices are refused.
func TestCholeskyOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := gram(t, n, 3*n)
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "x")
		right := make([]float64, n)
		for i := range n {
			for j := range n {
				right[i] += a[i*n+j] * x[j]
			}
		}
		got := slices.Clone(right)
		factor, ok := numeric.NewCholesky(a, n, 1e-12)
		if !ok {
			t.Fatal("not positive definite")
		}
		factor.Solve(got)
		residual := slices.Clone(right)
		for i := range n {
			for j := range n {
				residual[i] -= a[i*n+j] * got[j]
			}
		}
		// Backward stable: the residual is small beside the matrix and the solution.
		if norm(residual) > 1e-13*float64(n)*norm(a)*norm(got) {
			t.Fatalf("solved to %v, residual %v", got, residual)
		}
		if _, ok := numeric.NewCholesky(gram(t, n+1, (n+1)/2), n+1, 1e-12); ok {
			t.Fatal("a singular matrix is factorized")
		}
	})
}
