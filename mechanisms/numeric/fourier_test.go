package numeric_test

import (
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"starling/mechanisms/numeric"
)

// TestTransform compares the coefficients with their sums, whose angles are reduced
// exactly, and transforms back.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for size := 2; size <= 512; size *= 2 {
		x := make([]float64, size)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		transform := numeric.NewTransform(size)
		found := transform.Coefficients(x)
		if len(found) != size/2+1 {
			t.Fatalf("%d coefficients of %d numbers", len(found), size)
		}
		// An error of 3 u a level (Higham, theorem 24.2) relative to the norm.
		tolerance := 8 * float64(bits.Len(uint(size))) * 0x1p-53 * math.Sqrt(float64(size)) * math.Sqrt(float64(size)) * 2
		for k, got := range found {
			var want complex128
			for j, v := range x {
				want += complex(v, 0) * cmplx.Rect(1, -2*math.Pi*float64(j*k%size)/float64(size))
			}
			if off := cmplx.Abs(got - want); !(off <= tolerance) {
				t.Errorf("size %d: coefficient %d is %v, want %v", size, k, got, want)
			}
		}
		for j, got := range transform.Sequence(found) {
			if want := x[j] * float64(size); !(math.Abs(got-want) <= float64(size)*tolerance) {
				t.Errorf("size %d: number %d came back as %v, want %v", size, j, got, want)
			}
		}
	}
}

func TestPower(t *testing.T) {
	for _, z := range []complex128{0, 1, -1, 1i, 0.6 + 0.7i, cmplx.Rect(1, 0.001)} {
		for _, k := range []int{0, 1, 2, 3, 10, 1000} {
			got, want := numeric.PowerComplex(z, k), cmplx.Pow(z, complex(float64(k), 0))
			if off := cmplx.Abs(got - want); !(off <= 4*float64(k+1)*0x1p-52*(1+cmplx.Abs(want))) {
				t.Errorf("(%v)^%d = %v, want %v", z, k, got, want)
			}
		}
	}
}

func BenchmarkTransform(b *testing.B) {
	const size = 1 << 16
	x := make([]float64, size)
	for j := range x {
		x[j] = float64(j % 17)
	}
	transform := numeric.NewTransform(size)
	for b.Loop() {
		transform.Sequence(transform.Coefficients(x))
	}
}
