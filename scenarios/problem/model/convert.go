package model

import "math"

// Conversions are unrolled: a conversion on amd64 waits for the last one into
// the same register, so that loops of one conversion take four times as long.

// narrow rounds x to float32 in dst, as long as x, and returns the bits of the
// result that is largest in size, where NaN counts as larger than all.
func narrow(dst []float32, x []float64) (largest uint32) {
	const size = 1<<31 - 1
	dst = dst[:len(x)]
	for len(x) >= 4 && len(dst) >= 4 {
		a, b, c, d := float32(x[0]), float32(x[1]), float32(x[2]), float32(x[3])
		dst[0], dst[1], dst[2], dst[3] = a, b, c, d
		largest = max(largest, math.Float32bits(a)&size, math.Float32bits(b)&size, math.Float32bits(c)&size, math.Float32bits(d)&size)
		x, dst = x[4:], dst[4:]
	}
	for k, v := range x {
		dst[k] = float32(v)
		largest = max(largest, math.Float32bits(dst[k])&size)
	}
	return largest
}

// add adds x to dst, as long as x.
func add(dst []float64, x []float32) {
	dst = dst[:len(x)]
	for len(x) >= 4 && len(dst) >= 4 {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		dst[0] += a
		dst[1] += b
		dst[2] += c
		dst[3] += d
		x, dst = x[4:], dst[4:]
	}
	for k, v := range x {
		dst[k] += float64(v)
	}
}

// widen writes the products scale x, rounded to float32, to dst, as long as x.
func widen(dst []float64, scale float32, x []float32) {
	dst = dst[:len(x)]
	for len(x) >= 4 && len(dst) >= 4 {
		a, b, c, d := scale*x[0], scale*x[1], scale*x[2], scale*x[3]
		dst[0], dst[1], dst[2], dst[3] = float64(a), float64(b), float64(c), float64(d)
		x, dst = x[4:], dst[4:]
	}
	for k, v := range x {
		dst[k] = float64(scale * v)
	}
}
