package kernel

// Below, vectors of n entries, n > 0, lie side by side, as rows. The result for each row is
// the result of the function for one vector, without a call for each.

// RowDots overwrites dst with the inner product of row i of x and row i of y, for each
// entry i of dst.
func RowDots(dst, x, y []float64, n int) {
	x, y = x[:len(dst)*n], y[:len(dst)*n]
	if n == 2 {
		for i := range dst {
			a, b := x[2*i:2*i+2:2*i+2], y[2*i:2*i+2:2*i+2]
			dst[i] = 0 + float64(a[0]*b[0]) + float64(a[1]*b[1])
		}
		return
	}
	for i := range dst {
		dst[i] = Dot(x[i*n:(i+1)*n], y[i*n:(i+1)*n])
	}
}

// ScaleRows computes row i of dst = a[i] times row i of x, for each entry i of a.
func ScaleRows(dst, a, x []float64, n int) {
	dst, x = dst[:len(a)*n], x[:len(a)*n]
	if n == 2 {
		for i, v := range a {
			to, of := dst[2*i:2*i+2:2*i+2], x[2*i:2*i+2:2*i+2]
			to[0], to[1] = v*of[0], v*of[1]
		}
		return
	}
	for i, v := range a {
		Scale(dst[i*n:(i+1)*n], v, x[i*n:(i+1)*n])
	}
}

// RowsNear returns the number of rows of x, from the first on, that have a SquaredDistance
// from y, one row, of at most limit.
func RowsNear(x, y []float64, limit float64) (rows int) {
	n := len(y)
	if n == 2 {
		y0, y1 := y[0], y[1]
		for ; len(x) >= 2 && square(x[0]-y0)+square(x[1]-y1) <= limit; x = x[2:] {
			rows++
		}
		return rows
	}
	for ; len(x) >= n && SquaredDistance(x[:n], y) <= limit; x = x[n:] {
		rows++
	}
	return rows
}

// MultiplyRows computes row i of dst = a0 x0 + a1 x1 + .. for each i below len(start)-1, by
// AddRows to zero: of the terms start[i] .. start[i+1]-1 of a and of rows, which are rows of
// block that begin at their number times width.
func MultiplyRows[I ~int32](dst []float64, n int, start []int32, a []float64, rows []I, block []float64, width int) {
	dst = dst[:(len(start)-1)*n]
	for i, lo := range start[:len(start)-1] {
		hi := start[i+1]
		row := dst[i*n : (i+1)*n : (i+1)*n]
		if n != 2 {
			clear(row)
			AddRows(row, a[lo:hi], rows[lo:hi], block, width)
			continue
		}
		var d0, d1 float64
		weights := a[lo:hi]
		for k, j := range rows[lo:hi] {
			at, w := int(j)*width, weights[k]
			x := block[at : at+2 : at+2]
			d0 += float64(w * x[0])
			d1 += float64(w * x[1])
		}
		row[0], row[1] = d0, d1
	}
}
