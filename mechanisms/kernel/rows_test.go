package kernel

import (
	"math"
	"testing"
)

// Functions of rows have the bits of those of one vector.
func TestRows(t *testing.T) {
	everyLength(t, func(t *testing.T, d draws, n int) {
		if n == 0 {
			return
		}
		const count = 5
		x, y, a := d.vector(count*n), d.vector(count*n), d.vector(count)
		row := func(of []float64, i int) []float64 { return of[i*n : (i+1)*n] }
		dots, scaled := make([]float64, count), make([]float64, count*n)
		RowDots(dots, x, y, n)
		ScaleRows(scaled, a, x, n)
		want := make([]float64, n)
		for i := range count {
			if !same(dots[i], Dot(row(x, i), row(y, i))) {
				t.Fatalf("inner product %d of rows of %d is %v", i, n, dots[i])
			}
			Scale(want, a[i], row(x, i))
			sameVector(t, "scaled", row(scaled, i), want)
		}
		for _, limit := range []float64{-1, math.Inf(1), SquaredDistance(row(x, 1), row(y, 0))} {
			near := 0
			for near < count && SquaredDistance(row(x, near), row(y, 0)) <= limit {
				near++
			}
			if got := RowsNear(x, row(y, 0), limit); got != near {
				t.Fatalf("%d rows of %d are near, want %d", got, n, near)
			}
		}
		start, rows := []int32{0, 0, 2, 7, 8}, []int32{4, 1, 0, 2, 2, 3, 1, 0}
		weights := d.vector(len(rows))
		width := n + 2
		block := d.vector(5 * width)
		sums := d.vector(4 * n)
		MultiplyRows(sums, n, start, weights, rows, block, width)
		for i := range len(start) - 1 {
			clear(want)
			AddRows(want, weights[start[i]:start[i+1]], rows[start[i]:start[i+1]], block, width)
			sameVector(t, "multiplied", row(sums, i), want)
		}
	})
}

func sameVector(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for k := range want {
		if !same(got[k], want[k]) {
			t.Fatalf("%s: %v, want %v", name, got, want)
		}
	}
}
