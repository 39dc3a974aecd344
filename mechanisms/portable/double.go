package portable

import "math"

// A double is the unevaluated sum high + low, where |low| is at most half an ulp of
// high: a number of about 106 bits (Dekker, A floating-point technique for extending
// the available precision, 1971).
type double struct{ high, low float64 }

// lowBits are the bits of a significand that halves drops.
const lowBits = 1<<27 - 1

// halves is x = high + low exactly, where high has at most 26 significant bits and
// low at most 27.
func halves(x float64) (high, low float64) {
	high = math.Float64frombits(math.Float64bits(x) &^ lowBits)
	return high, x - high
}

// product is x y, with an error below 2^-105 of it if neither overflows nor becomes subnormal.
func product(x, y float64) double {
	p := float64(x * y)
	xh, xl := halves(x)
	yh, yl := halves(y)
	return double{p, float64(xh*yh) - p + float64(xh*yl) + float64(xl*yh) + float64(xl*yl)}
}

// sum is x + y exactly (Knuth).
func sum(x, y float64) double {
	s := x + y
	part := s - x
	return double{s, (x - (s - part)) + (y - part)}
}

// orderedSum is x + y exactly if x is 0 or |x| >= |y| (Dekker).
func orderedSum(x, y float64) double {
	s := x + y
	return double{s, (x - s) + y}
}

// times is a b, with an error below 2^-102 of it.
func (a double) times(b double) double {
	p := product(a.high, b.high)
	return orderedSum(p.high, p.low+(float64(a.high*b.low)+float64(a.low*b.high)))
}

// over is a / b, with an error below 2^-100 of it.
func (a double) over(b double) double {
	q := a.high / b.high
	p := product(q, b.high)
	rest := (a.high - p.high) - p.low + (a.low - float64(q*b.low))
	return orderedSum(q, rest/b.high)
}

// plus is a + y, rounded to a double.
func (a double) plus(y float64) double {
	s := sum(a.high, y)
	return orderedSum(s.high, s.low+a.low)
}

// minus is a - b, rounded to a double.
func (a double) minus(b double) double {
	s := sum(a.high, -b.high)
	return orderedSum(s.high, s.low+(a.low-b.low))
}
