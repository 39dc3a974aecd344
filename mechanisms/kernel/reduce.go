package kernel

import "math"

// lanes is the number of sums that a reduction of float64 keeps.
const lanes = 16

// few is the largest number of terms for which a reduction is written out, without lanes: the
// fold of the lanes is then the fold of the terms.
const few = 4

// fold adds up the lanes in the stated order.
func fold(l *[lanes]float64) float64 {
	even := ((l[0] + l[8]) + (l[4] + l[12])) + ((l[2] + l[10]) + (l[6] + l[14]))
	odd := ((l[1] + l[9]) + (l[5] + l[13])) + ((l[3] + l[11]) + (l[7] + l[15]))
	return even + odd
}

// foldFew is fold of the first lanes alone. It adds to 0 first, as lanes do: a sum is
// never -0.
func foldFew(l *[few]float64) float64 { return (0 + l[0] + l[2]) + (l[1] + l[3]) }

// Dot is <x, y>, of slices of the same length; a shorter y panics.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	switch {
	case len(x) <= few:
		return dotFew(x, y)
	case assembly:
		return dotAVX(&x[0], &y[0], len(x))
	}
	return dotGo(x, y)
}

func dotFew(x, y []float64) float64 {
	if len(x) == 2 { // the plane, where many sensors are
		return 0 + float64(x[0]*y[0]) + float64(x[1]*y[1])
	}
	var lane [few]float64
	for k, v := range x {
		lane[k] = float64(v * y[k])
	}
	return foldFew(&lane)
}

// dotGo takes eight lanes at a time: as many sums as a processor has registers for.
func dotGo(x, y []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a, b := x[k:k+8:k+8], y[k:k+8:k+8]
			s0 += float64(a[0] * b[0])
			s1 += float64(a[1] * b[1])
			s2 += float64(a[2] * b[2])
			s3 += float64(a[3] * b[3])
			s4 += float64(a[4] * b[4])
			s5 += float64(a[5] * b[5])
			s6 += float64(a[6] * b[6])
			s7 += float64(a[7] * b[7])
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += float64(v * y[whole+k])
	}
	return fold(&lane)
}

// SquaredNorm is ||x||^2 in the 2-norm.
func SquaredNorm(x []float64) float64 {
	switch {
	case len(x) <= few:
		return dotFew(x, x)
	case assembly:
		return squaredNormAVX(&x[0], len(x))
	}
	return dotGo(x, x)
}

// Norm is ||x|| in the 2-norm: the root of SquaredNorm, which overflows and underflows.
func Norm(x []float64) float64 { return math.Sqrt(SquaredNorm(x)) }

// Sum is the sum of the entries.
func Sum(x []float64) float64 {
	switch {
	case len(x) <= few:
		var lane [few]float64
		copy(lane[:], x)
		return foldFew(&lane)
	case assembly:
		return sumAVX(&x[0], len(x))
	}
	return sumGo(x)
}

func sumGo(x []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a := x[k : k+8 : k+8]
			s0 += a[0]
			s1 += a[1]
			s2 += a[2]
			s3 += a[3]
			s4 += a[4]
			s5 += a[5]
			s6 += a[6]
			s7 += a[7]
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += v
	}
	return fold(&lane)
}

// Norm1 is the sum of the absolute values of the entries.
func Norm1(x []float64) float64 {
	switch {
	case len(x) <= few:
		var lane [few]float64
		for k, v := range x {
			lane[k] = math.Abs(v)
		}
		return foldFew(&lane)
	case assembly:
		return norm1AVX(&x[0], len(x))
	}
	return norm1Go(x)
}

func norm1Go(x []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a := x[k : k+8 : k+8]
			s0 += math.Abs(a[0])
			s1 += math.Abs(a[1])
			s2 += math.Abs(a[2])
			s3 += math.Abs(a[3])
			s4 += math.Abs(a[4])
			s5 += math.Abs(a[5])
			s6 += math.Abs(a[6])
			s7 += math.Abs(a[7])
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += math.Abs(v)
	}
	return fold(&lane)
}

// SquaredDistance is ||x - y||^2 in the 2-norm, of slices of the same length; a shorter y
// panics.
func SquaredDistance(x, y []float64) float64 {
	y = y[:len(x)]
	switch {
	case len(x) <= few:
		var lane [few]float64
		for k, v := range x {
			lane[k] = square(v - y[k])
		}
		return foldFew(&lane)
	case assembly:
		return squaredDistanceAVX(&x[0], &y[0], len(x))
	}
	return squaredDistanceGo(x, y)
}

func squaredDistanceGo(x, y []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a, b := x[k:k+8:k+8], y[k:k+8:k+8]
			s0 += square(a[0] - b[0])
			s1 += square(a[1] - b[1])
			s2 += square(a[2] - b[2])
			s3 += square(a[3] - b[3])
			s4 += square(a[4] - b[4])
			s5 += square(a[5] - b[5])
			s6 += square(a[6] - b[6])
			s7 += square(a[7] - b[7])
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += square(v - y[whole+k])
	}
	return fold(&lane)
}

func square(v float64) float64 { return float64(v * v) }

// Distance is ||x - y|| in the 2-norm: the root of SquaredDistance, which overflows and
// underflows.
func Distance(x, y []float64) float64 { return math.Sqrt(SquaredDistance(x, y)) }

// Distance1 is ||x - y|| in the 1-norm, of slices of the same length; a shorter y panics.
func Distance1(x, y []float64) float64 {
	y = y[:len(x)]
	switch {
	case len(x) <= few:
		var lane [few]float64
		for k, v := range x {
			lane[k] = math.Abs(v - y[k])
		}
		return foldFew(&lane)
	case assembly:
		return distance1AVX(&x[0], &y[0], len(x))
	}
	return distance1Go(x, y)
}

func distance1Go(x, y []float64) float64 {
	var lane [lanes]float64
	whole := len(x) &^ (lanes - 1)
	for half := 0; half < lanes && whole > 0; half += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for k := half; k < whole; k += lanes {
			a, b := x[k:k+8:k+8], y[k:k+8:k+8]
			s0 += math.Abs(a[0] - b[0])
			s1 += math.Abs(a[1] - b[1])
			s2 += math.Abs(a[2] - b[2])
			s3 += math.Abs(a[3] - b[3])
			s4 += math.Abs(a[4] - b[4])
			s5 += math.Abs(a[5] - b[5])
			s6 += math.Abs(a[6] - b[6])
			s7 += math.Abs(a[7] - b[7])
		}
		copy(lane[half:], []float64{s0, s1, s2, s3, s4, s5, s6, s7})
	}
	for k, v := range x[whole:] {
		lane[k] += math.Abs(v - y[whole+k])
	}
	return fold(&lane)
}

// AllFinite reports whether no entry is infinite or not a number. It makes one pass.
func AllFinite(x []float64) bool {
	if assembly && len(x) > few {
		return allFiniteAVX(&x[0], len(x))
	}
	if len(x) == 2 {
		return (x[0]-x[0])+(x[1]-x[1]) == 0
	}
	return allFiniteGo(x)
}

// allFiniteGo adds v - v, which is 0 of a finite v and else NaN: nothing branches.
func allFiniteGo(x []float64) bool {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += x[0] - x[0]
		s1 += x[1] - x[1]
		s2 += x[2] - x[2]
		s3 += x[3] - x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v - v
	}
	return (s0+s1)+(s2+s3) == 0
}
