package kernel

// In what follows dst may be an operand, but overlaps none otherwise. Operands are at
// least as long as dst, else a call panics; of longer ones the beginning counts.

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

// Axpy4 computes dst = (((dst + a0 x0) + a1 x1) + a2 x2) + a3 x3 in one pass: what four
// calls of Axpy do. No x is dst.
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

// AxpyRows computes dst = ((dst + a0 x0) + a1 x1) + .. in one pass: what a call of Axpy
// for each a does. Row i of x begins at i stride, stride >= 0, is as long as dst and is
// not dst.
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
