package numeric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/mechanisms/numeric"
)

// random is a matrix, and one times its transpose.
func random(r *rand.Rand, n int) (a, square []float64) {
	a = make([]float64, n*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	var s mat.Dense
	m := mat.NewDense(n, n, a)
	s.Mul(m, m.T())
	return a, s.RawMatrix().Data
}

// off is the largest difference of two vectors relative to the largest entry.
func off(got, want []float64) float64 {
	most, size := 0.0, 0.0
	for i, w := range want {
		most, size = max(most, math.Abs(got[i]-w)), max(size, math.Abs(w))
	}
	return most / size
}

func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n++ {
		a, square := random(r, n)
		right := make([]float64, n)
		for i := range right {
			right[i] = r.NormFloat64()
		}
		var want mat.VecDense
		if err := want.SolveVec(mat.NewDense(n, n, square), mat.NewVecDense(n, right)); err == nil {
			c, ok := numeric.NewCholesky(square, n, 0)
			if !ok {
				t.Fatalf("n = %d: not positive definite", n)
			}
			var back mat.Dense // L^-1 A L^-T, which is the identity
			inverse := mat.NewDense(n, n, c.Inverse())
			back.Mul(inverse, mat.NewDense(n, n, square))
			back.Mul(&back, inverse.T())
			for i := range n {
				back.Set(i, i, back.At(i, i)-1)
			}
			got := append([]float64(nil), right...)
			c.Solve(got)
			condition := mat.Cond(mat.NewDense(n, n, square), 2)
			if o := mat.Norm(&back, 2); !(o <= 100*float64(n)*condition*0x1p-52) {
				t.Errorf("Inverse, n = %d: off by %v", n, o)
			}
			if o := off(got, want.RawVector().Data); !(o <= 100*float64(n)*condition*0x1p-52) {
				t.Errorf("Cholesky, n = %d: off by %v of the largest", n, o)
			}
		}
		if err := want.SolveVec(mat.NewDense(n, n, a), mat.NewVecDense(n, right)); err == nil {
			f, ok := numeric.NewLU(a, n)
			if !ok {
				t.Fatalf("n = %d: singular", n)
			}
			var inverse mat.Dense
			if err := inverse.Inverse(mat.NewDense(n, n, a)); err != nil {
				t.Fatal(err)
			}
			condition := mat.Norm(mat.NewDense(n, n, a), math.Inf(1)) * mat.Norm(&inverse, math.Inf(1))
			if got := f.Condition(); !(math.Abs(got-condition) <= 1e-6*condition) {
				t.Errorf("n = %d: condition %v, want %v", n, got, condition)
			}
			if o := off(f.Solve(right), want.RawVector().Data); !(o <= 100*float64(n)*condition*0x1p-52) {
				t.Errorf("LU, n = %d: off by %v of the largest", n, o)
			}
		}
	}
}

func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 30; n++ {
		_, a := random(r, n)
		values, vectors, ok := numeric.Eigen(a, n)
		if !ok {
			t.Fatalf("n = %d: not converged", n)
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(n, a), false) {
			t.Fatal("the reference has not converged")
		}
		if o := off(values, eigen.Values(nil)); !(o <= 1e-13*float64(n)) {
			t.Errorf("n = %d: values off by %v of the largest", n, o)
		}
		// The matrix comes back, and the vectors are orthonormal.
		v := mat.NewDense(n, n, vectors)
		var scaled, back, ones mat.Dense
		scaled.Mul(mat.NewDiagDense(n, values), v)
		back.Mul(v.T(), &scaled)
		if o := off(back.RawMatrix().Data, a); !(o <= 1e-13*float64(n)) {
			t.Errorf("n = %d: the matrix off by %v of the largest", n, o)
		}
		ones.Mul(v, v.T())
		for i := range n {
			ones.Set(i, i, ones.At(i, i)-1)
		}
		if o := mat.Norm(&ones, 2); !(o <= 1e-13*float64(n)) {
			t.Errorf("n = %d: vectors are off orthonormal by %v", n, o)
		}
	}
}

func TestHopeless(t *testing.T) {
	for _, a := range [][]float64{{1, 2, 2, 1}, {1, 0, 0, -1}, {1, math.NaN(), math.NaN(), 1}} {
		if _, ok := numeric.NewCholesky(a, 2, 0); ok {
			t.Errorf("%v has a Cholesky factor", a)
		}
	}
	if _, ok := numeric.NewLU([]float64{1, 2, 2, 4}, 2); ok {
		t.Error("a singular matrix has factors")
	}
	if _, _, ok := numeric.Eigen([]float64{1, math.NaN(), math.NaN(), 1}, 2); ok {
		t.Error("a matrix that is no number has eigenvalues")
	}
	if values, _, ok := numeric.Eigen([]float64{0, 3, 3, 0}, 2); !ok || values[0] != -3 || values[1] != 3 {
		t.Errorf("eigenvalues %v, %v", values, ok)
	}
}
