package kernel

// lanes32 is the number of sums that an inner product of float32 keeps.
const lanes32 = 8

// AllFinite32 is AllFinite of float32.
func AllFinite32(x []float32) bool {
	if assembly && len(x) > few {
		return allFinite32AVX(&x[0], len(x))
	}
	var sum float32
	for _, v := range x {
		sum += v - v
	}
	return sum == 0
}

// SquaredNorm32 is ||x||^2 in the 2-norm, summed in float64 in the 16 lanes of a
// reduction of float64.
func SquaredNorm32(x []float32) float64 {
	if assembly && len(x) > few {
		return squaredNorm32AVX(&x[0], len(x))
	}
	return squaredNorm32Go(x)
}

func squaredNorm32Go(x []float32) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a := x[k : k+8 : k+8]
			s0 += square(float64(a[0]))
			s1 += square(float64(a[1]))
			s2 += square(float64(a[2]))
			s3 += square(float64(a[3]))
			s4 += square(float64(a[4]))
			s5 += square(float64(a[5]))
			s6 += square(float64(a[6]))
			s7 += square(float64(a[7]))
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += square(float64(v))
	}
	return fold(&lane)
}

// Axpy32 computes dst += a x. The operand is at least as long as dst, of which it
// overlaps nothing.
func Axpy32(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	if assembly && len(dst) > few {
		axpy32AVX(&dst[0], a, &x[0], len(dst))
		return
	}
	for k, v := range x {
		dst[k] += float32(a * v)
	}
}

// axpy4x32 is Axpy4 of float32.
func axpy4x32(dst []float32, a *[4]float32, x *[4][]float32) {
	n := len(dst)
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	if assembly && n > few {
		axpy4x32AVX(&dst[0], a, &x0[0], &x1[0], &x2[0], &x3[0], n)
		return
	}
	a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
	for k, v := range x0 {
		dst[k] = (((dst[k] + float32(a0*v)) + float32(a1*x1[k])) + float32(a2*x2[k])) + float32(a3*x3[k])
	}
}

// dot32 is <x, y>, of slices of the same length, in 8 lanes.
func dot32(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(x) >= lanes32 && len(y) >= lanes32 {
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
		s4 += float32(x[4] * y[4])
		s5 += float32(x[5] * y[5])
		s6 += float32(x[6] * y[6])
		s7 += float32(x[7] * y[7])
		x, y = x[lanes32:], y[lanes32:]
	}
	if len(x) > 0 {
		lane := [lanes32]float32{s0, s1, s2, s3, s4, s5, s6, s7}
		for k, v := range x {
			lane[k] += float32(v * y[k])
		}
		s0, s1, s2, s3, s4, s5, s6, s7 = lane[0], lane[1], lane[2], lane[3], lane[4], lane[5], lane[6], lane[7]
	}
	return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}
