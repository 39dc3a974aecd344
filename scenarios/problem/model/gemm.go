package model

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// The largest result that gonum multiplies on the calling goroutine: three of
// its blocks of 64 x 64. Larger ones would start goroutines, which allocate and
// compete with the goroutines that compute other samples.
const (
	tileRows    = 64
	tileColumns = 192
)

// matrix is a dense matrix, row by row.
func matrix(rows, columns int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
}

// multiply computes c = op(a) op(b) + beta c in tiles. Gonum skips what is zero
// in a unless b is transposed, so the sparser factor belongs there.
func multiply(ta, tb blas.Transpose, a, b blas32.General, beta float32, c blas32.General) {
	for row := 0; row < c.Rows; row += tileRows {
		rows := min(tileRows, c.Rows-row)
		left := section(a, ta, row, rows)
		for column := 0; column < c.Cols; column += tileColumns {
			columns := min(tileColumns, c.Cols-column)
			right := section(b, flip(tb), column, columns)
			tile := blas32.General{Rows: rows, Cols: columns, Stride: c.Stride, Data: c.Data[row*c.Stride+column:]}
			blas32.Gemm(ta, tb, 1, left, right, beta, tile)
		}
	}
}

// section is the rows first .. first+n-1 of op(m).
func section(m blas32.General, t blas.Transpose, first, n int) blas32.General {
	if t == blas.NoTrans {
		return blas32.General{Rows: n, Cols: m.Cols, Stride: m.Stride, Data: m.Data[first*m.Stride:]}
	}
	return blas32.General{Rows: m.Rows, Cols: n, Stride: m.Stride, Data: m.Data[first:]}
}

func flip(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}

// alignment is that of all buffers, in bytes: a cache line.
const alignment = 64

// aligned allocates n zeros that begin at a multiple of alignment. Gonum's inner
// products begin at the next multiple of 16 bytes, so that where a slice lies
// in memory would otherwise decide on the order of a sum.
func aligned(n int) []float32 {
	const spare = alignment/4 - 1
	s := make([]float32, n+spare)
	skip := 0
	for uintptr(unsafe.Pointer(&s[skip]))%alignment != 0 {
		skip++
	}
	return s[skip : skip+n : skip+n]
}
