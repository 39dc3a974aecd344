package portable

import (
	"math"
	"math/bits"
)

// Sin is the sine of x in radians. Its error is below 0.8 ulp.
func Sin(x float64) float64 {
	switch {
	case x == 0:
		return x
	case math.IsNaN(x) || math.IsInf(x, 0):
		return math.NaN()
	}
	return turned(reduced(x))
}

// Cos is the cosine of x in radians. Its error is below 0.8 ulp.
func Cos(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN()
	}
	r, quadrant := reduced(x)
	return turned(r, quadrant+1)
}

// Sincos is Sin(x), Cos(x).
func Sincos(x float64) (sin, cos float64) { return Sin(x), Cos(x) }

// turned is the sine of r and a number of quarter turns.
func turned(r double, quarters int) float64 {
	var s float64
	if quarters&1 == 0 {
		s = sinPart(r)
	} else {
		s = cosPart(r)
	}
	if quarters&2 != 0 {
		return -s
	}
	return s
}

// sinPart is the sine of r, at most pi / 4: its series to r^17.
func sinPart(r double) float64 {
	x := r.high
	square := float64(x * x)
	fourth := float64(square * square)
	p := (float64(square*(1.0/120)) - 1.0/6) +
		float64(fourth*((float64(square*(1.0/362880))-1.0/5040)+
			float64(fourth*((float64(square*(1.0/6227020800))-1.0/39916800)+
				float64(fourth*(float64(square*(1.0/355687428096000))-1.0/1307674368000))))))
	return x + (r.low + float64(float64(square*x)*p))
}

// cosPart is the cosine of r, at most pi / 4: its series to r^18.
func cosPart(r double) float64 {
	x := r.high
	square := float64(x * x)
	fourth := float64(square * square)
	p := (1.0/24 - float64(square*(1.0/720))) +
		float64(fourth*((1.0/40320-float64(square*(1.0/3628800)))+
			float64(fourth*((1.0/479001600-float64(square*(1.0/87178291200)))+
				float64(fourth*(1.0/20922789888000-float64(square*(1.0/6402373705728000))))))))
	half := float64(square / 2)
	c := 1 - half
	return c + (((1 - c) - half) + (float64(fourth*p) - float64(x*r.low)))
}

// reduced is x minus the nearest multiple of pi/2, and the number of that multiple
// modulo 4. The error is below 2^-60 of it.
func reduced(x float64) (double, int) {
	switch size := math.Abs(x); {
	case size < math.Pi/4:
		return double{x, 0}, 0
	case size > 0x1p20:
		return farReduced(x)
	}
	k := float64(x*(2/math.Pi)) + roundHalf - roundHalf
	a, b := x-float64(k*halfPi[0]), float64(k*halfPi[1]) // halfPi has 33 bits an entry: both are exact
	if math.Abs(a) > 0x1p-8 {
		r := orderedSum(a, -b)
		return orderedSum(r.high, r.low-float64(k*halfPi[2])), int(k)
	}
	return sum(a, -b).plus(-float64(k * halfPi[2])).plus(-float64(k * halfPi[3])), int(k)
}

// farReduced is reduced for |x| > 2^20, by the bits of 2/pi that matter (Payne and
// Hanek, Radian reduction for trigonometric functions, 1983).
func farReduced(x float64) (double, int) {
	word := math.Float64bits(x)
	exponent := int(word>>52&0x7ff) - 1075 // x = m 2^exponent
	m := word&(1<<52-1) | 1<<52
	// Bits of 2/pi before place exponent-1 give multiples of 4. twoOverPi begins
	// with 64 zeros.
	at := exponent - 2 + 64
	i, shift := at/64, uint(at%64)
	digit := func(j int) uint64 { return twoOverPi[i+j]<<shift | twoOverPi[i+j+1]>>(64-shift) }
	high2, low0 := bits.Mul64(m, digit(2))
	high1, low1 := bits.Mul64(m, digit(1))
	mid, carry := bits.Add64(high2, low1, 0)
	top, _ := bits.Add64(high1, m*digit(0), carry)
	// top, mid and low0 are 2 bits of the quadrant and 190 of its part.
	quadrant := int(top >> 62)
	top, mid, low0 = top<<2|mid>>62, mid<<2|low0>>62, low0<<2
	negative := top>>63 == 1
	if negative { // more than a half: the next multiple is the nearest
		quadrant++
		var borrow uint64
		low0, borrow = bits.Sub64(0, low0, 0)
		mid, borrow = bits.Sub64(0, mid, borrow)
		top, _ = bits.Sub64(0, top, borrow)
	}
	zeros := uint(bits.LeadingZeros64(top))
	top, mid = top<<zeros|mid>>(64-zeros), mid<<zeros|low0>>(64-zeros)
	scale := powerOf2(-int(zeros) - 53)
	part := double{float64(top>>11) * scale, float64(top<<53|mid>>11) * scale * 0x1p-64}
	r := part.times(double{math.Pi / 2, halfPiLow})
	if negative != (x < 0) {
		r = double{-r.high, -r.low}
	}
	if x < 0 {
		quadrant = -quadrant
	}
	return r, quadrant
}
