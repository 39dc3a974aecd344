package kernel

// Below, dst may be an operand, but overlaps none otherwise. Operands are at least as long as
// dst, else a call panics; of longer ones the beginning counts.

// Add computes dst += x.
func Add(dst, x []float64) {
	x = x[:len(dst)]
	if assembly && len(dst) > few {
		addAVX(&dst[0], &x[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] += v
	}
}

// Axpy computes dst += a x.
func Axpy(dst []float64, a float64, x []float64) {
	x = x[:len(dst)]
	if assembly && len(dst) > few {
		axpyAVX(&dst[0], a, &x[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] += float64(a * v)
	}
}

// Axpy4 computes dst = (((dst + a0 x0) + a1 x1) + a2 x2) + a3 x3 in one pass: the result of
// four calls of Axpy. No x is dst.
func Axpy4(dst []float64, a *[4]float64, x *[4][]float64) {
	n := len(dst)
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	if assembly && n > few {
		axpy4AVX(&dst[0], a, &x0[0], &x1[0], &x2[0], &x3[0], n)
		return
	}
	a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
	for k, v := range x0 {
		dst[k] = (((dst[k] + float64(a0*v)) + float64(a1*x1[k])) + float64(a2*x2[k])) + float64(a3*x3[k])
	}
}

// AxpyRows computes dst = ((dst + a0 x0) + a1 x1) + .. in one pass: the result of a call of
// Axpy for each a. Row i of x begins at i stride, stride >= 0, is as long as dst and is not
// dst.
func AxpyRows(dst, a, x []float64, stride int) {
	if len(a) == 0 || len(dst) == 0 {
		return
	}
	x = x[:(len(a)-1)*stride+len(dst)]
	if assembly && len(dst) > few {
		axpyRowsAVX(&dst[0], len(dst), &a[0], len(a), &x[0], stride)
		return
	}
	for i, v := range a {
		Axpy(dst, v, x[i*stride:])
	}
}

// AddRows computes dst += a0 x0 + a1 x1 + ..., one term after the other, where the x are rows
// of a block: x k begins at rows[k] times width, and is as long as dst, which is at most
// width. The result is as of as many calls of Axpy.
func AddRows[I ~int32](dst, a []float64, rows []I, block []float64, width int) {
	a = a[:len(rows)]
	switch n := len(dst); {
	case n == 2:
		addPairs(dst, a, rows, block, width)
	case assembly && n > few:
		for ; len(rows) >= 4; a, rows = a[4:], rows[4:] {
			axpy4AVX(&dst[0], (*[4]float64)(a), rowAt(block, rows[0], width, n), rowAt(block, rows[1], width, n),
				rowAt(block, rows[2], width, n), rowAt(block, rows[3], width, n), n)
		}
		for k, i := range rows {
			axpyAVX(&dst[0], a[k], rowAt(block, i, width, n), n)
		}
	default:
		for k, i := range rows {
			at, w := int(i)*width, a[k]
			for c, v := range block[at : at+n] {
				dst[c] += float64(w * v)
			}
		}
	}
}

// rowAt is the first of n entries of a row.
func rowAt[I ~int32](block []float64, row I, width, n int) *float64 {
	at := int(row) * width
	return &block[at : at+n : at+n][0]
}

// addPairs is AddRows for two entries, which it keeps in registers.
func addPairs[I ~int32](dst, a []float64, rows []I, block []float64, width int) {
	d0, d1 := dst[0], dst[1]
	for k, i := range rows {
		at, w := int(i)*width, a[k]
		x := block[at : at+2 : at+2]
		d0 += float64(w * x[0])
		d1 += float64(w * x[1])
	}
	dst[0], dst[1] = d0, d1
}

// Scale computes dst = a x.
func Scale(dst []float64, a float64, x []float64) {
	x = x[:len(dst)]
	if assembly && len(dst) > few {
		scaleAVX(&dst[0], a, &x[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] = a * v
	}
}

// ScaledDifference computes dst = a (x - y).
func ScaledDifference(dst []float64, a float64, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if assembly && len(dst) > few {
		scaledDifferenceAVX(&dst[0], a, &x[0], &y[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] = a * (v - y[k])
	}
}

// AddProduct computes dst = c + x y, entry by entry.
func AddProduct(dst, c, x, y []float64) {
	c, x, y = c[:len(dst)], x[:len(dst)], y[:len(dst)]
	if assembly && len(dst) > few {
		addProductAVX(&dst[0], &c[0], &x[0], &y[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] = c[k] + float64(v*y[k])
	}
}
