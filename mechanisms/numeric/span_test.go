package numeric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"starling/mechanisms/numeric"
)

// Shares are those of the pseudoinverse: e_k' A' (A A')^+ A e_k, of rows that may depend on
// each other.
func TestSpan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 12; n++ {
		rows := 1 + r.IntN(n+2)
		a := mat.NewDense(rows, n, nil)
		for i := range rows {
			for k := range n {
				a.Set(i, k, r.NormFloat64())
			}
			if i >= 2 && i%3 == 2 { // what is in the span
				for k := range n {
					a.Set(i, k, 2*a.At(i-1, k)-a.At(i-2, k))
				}
			}
		}
		var s numeric.Span
		for i := range rows {
			if !s.Add(a.RawRowView(i)) || !s.Add(make([]float64, n)) {
				t.Fatalf("row %d of %d x %d cannot be told", i, rows, n)
			}
		}
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			t.Fatal("no factors")
		}
		var v mat.Dense
		svd.VTo(&v)
		rank := svd.Rank(1e-10)
		if s.Dim() != rank {
			t.Errorf("%d x %d: dimension %d, want %d", rows, n, s.Dim(), rank)
		}
		for k := range n {
			var want float64
			for j := range rank {
				want += v.At(k, j) * v.At(k, j)
			}
			if got := s.Share(k); math.Abs(got-want) > 1e-9 {
				t.Errorf("%d x %d: share %v of %d, want %v", rows, n, got, k, want)
			}
		}
	}
}

// Rounding hides whether a vector lies in a span that it is nearly in.
func TestSpanCannotTell(t *testing.T) {
	var s numeric.Span
	for _, test := range []struct {
		x    []float64
		told bool
		dim  int
	}{
		{[]float64{1, 1, 1}, true, 1}, {[]float64{3, 3, 3}, true, 1}, {[]float64{1, 1, 1 + 1e-11}, false, 1},
		{[]float64{1, 1, 1 + 1e-6}, true, 2}, {[]float64{0, 0, 1e-300}, true, 2}, {[]float64{0, 1, 0}, true, 3}, {[]float64{7, 1, 0}, true, 3},
	} {
		if told := s.Add(test.x); told != test.told || s.Dim() != test.dim {
			t.Errorf("%v: told %v, dimension %d, want %v and %d", test.x, told, s.Dim(), test.told, test.dim)
		}
	}
}
