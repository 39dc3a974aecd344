package kernel

// Matrices are dense, row by row, without gaps. Slices are as long as their matrix, else
// a call panics; c overlaps neither a nor b.

// Inner computes c = a b', or with add c += a b', for a rows x n, b columns x n and c
// rows x columns. Entry (i, j) is the inner product of row i of a and row j of b, in 8
// lanes, however many rows there are.
func Inner(c, a, b []float32, rows, columns, n int, add bool) {
	requireMatrices(len(c) == rows*columns && len(a) == rows*n && len(b) == columns*n)
	if !assembly || n == 0 {
		innerGo(c, a, b, rows, columns, n, add)
		return
	}
	i := 0
	for ; i+1 < rows; i += 2 {
		innerRows(c[i*columns:(i+2)*columns], a[i*n:(i+2)*n], b, columns, n, add)
	}
	if i < rows {
		innerRow(c[i*columns:(i+1)*columns], a[i*n:(i+1)*n], b, columns, n, add)
	}
}

func requireMatrices(fit bool) {
	if !fit {
		panic("kernel: a slice is not as long as its matrix")
	}
}

func innerGo(c, a, b []float32, rows, columns, n int, add bool) {
	for i := range rows {
		row, to := a[i*n:(i+1)*n], c[i*columns:(i+1)*columns]
		for j := range to {
			put(&to[j], dot32(row, b[j*n:(j+1)*n]), add)
		}
	}
}

func put(to *float32, v float32, add bool) {
	if add {
		*to += v
	} else {
		*to = v
	}
}

// innerRows is Inner of two rows, four columns at a time; the last of fewer are computed
// beside copies of themselves.
func innerRows(c, a, b []float32, columns, n int, add bool) {
	var to [8]float32
	for j := 0; j < columns; j += 4 {
		last := columns - 1
		dot2x4AVX(&to, &a[0], &a[n], &b[j*n], &b[min(j+1, last)*n], &b[min(j+2, last)*n], &b[min(j+3, last)*n], n)
		for k := range min(4, columns-j) {
			put(&c[j+k], to[k], add)
			put(&c[columns+j+k], to[4+k], add)
		}
	}
}

// innerRow is Inner of one row.
func innerRow(c, a, b []float32, columns, n int, add bool) {
	var to [4]float32
	for j := 0; j < columns; j += 4 {
		last := columns - 1
		dot1x4AVX(&to, &a[0], &b[j*n], &b[min(j+1, last)*n], &b[min(j+2, last)*n], &b[min(j+3, last)*n], n)
		for k := range min(4, columns-j) {
			put(&c[j+k], to[k], add)
		}
	}
}

// strip is the number of columns of c that are computed at a time: the rows of b that they
// take stay in the processor's first cache.
const strip = 512

// Outer computes c += a b, for a rows x n, b n x columns and c rows x columns, or, of a
// transposed, a n x rows. Each entry of c adds its n terms in ascending order. Terms with a
// factor 0 in a are left out.
func Outer(c, a, b []float32, rows, columns, n int, transposed bool) {
	requireMatrices(len(c) == rows*columns && len(a) == rows*n && len(b) == n*columns)
	down, along := n, 1
	if transposed {
		down, along = 1, rows
	}
	for first := 0; first < columns; first += strip {
		end := min(first+strip, columns)
		for i := range rows {
			to := c[i*columns+first : i*columns+end]
			var factors [4]float32
			var terms [4][]float32
			count := 0
			for k, at := 0, i*down; k < n; k, at = k+1, at+along {
				if a[at] == 0 {
					continue
				}
				factors[count], terms[count] = a[at], b[k*columns+first:k*columns+end]
				if count++; count == len(terms) {
					axpy4x32(to, &factors, &terms)
					count = 0
				}
			}
			for k := range count {
				Axpy32(to, factors[k], terms[k])
			}
		}
	}
}
