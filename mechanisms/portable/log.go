package portable

import "math"

const (
	logSteps  = 128                // entries of logTable
	logFirst  = 0x3fe6000000000000 // the bits of 0.6875, where the table begins
	smallest  = 0x0010000000000000 // the bits of the smallest normal number
	infinity  = 0x7ff0000000000000
	lowLogBit = 1<<26 - 1
)

// An octant is one part of [0.6875, 1.375), of 128: the inverse of a number in it, in
// 20 bits, and minus the logarithm of that inverse, high + low, where high is a
// multiple of 2^-42. About 1 the inverse is 1.
type octant struct{ inverse, high, low float64 }

// Log is the natural logarithm. Its error is below 0.52 ulp.
//
// x = 2^k z with z in [0.6875, 1.375), and z = (1 + r) / inverse for the inverse of
// the table's entry. r is exact, as a sum of two numbers; |r| is at most 1/128 and
// its logarithm a polynomial of degree 8 (Tang, Table-driven implementation of the
// logarithm function in IEEE floating-point arithmetic, 1990).
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	if bits-smallest >= infinity-smallest {
		if !(x > 0) || x > math.MaxFloat64 {
			return specialLog(x)
		}
		bits = math.Float64bits(x*0x1p52) - 52<<52
	}
	past := bits - logFirst
	t := &logTable[past>>45&(logSteps-1)]
	k := float64(int64(past) >> 52)
	bits -= past & (0xfff << 52)
	front := math.Float64frombits(bits &^ lowLogBit)
	a := float64(front*t.inverse) - 1
	b := float64((math.Float64frombits(bits) - front) * t.inverse)
	r := a + b
	low := (a - r) + b
	whole := float64(k*ln2High) + t.high
	s := whole + r
	low += (whole - s) + r
	square := float64(r * r)
	q := (float64(r*(1./3)) - 1./2) +
		float64(square*((float64(r*(1./5))-1./4)+float64(square*((float64(r*(1./7))-1./6)-float64(square*(1./8))))))
	return s + (low + (float64(k*ln2Low) + t.low) + float64(square*q))
}

// specialLog is the logarithm of an x that is not positive and finite.
func specialLog(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > 0:
		return x
	}
	return math.NaN()
}

// logSeries are the coefficients of r^3 to r^11 in log(1+r).
var logSeries = [...]float64{1. / 3, -1. / 4, 1. / 5, -1. / 6, 1. / 7, -1. / 8, 1. / 9, -1. / 10, 1. / 11}

// logParts is log(x+rest) = parts + exponent ln 2 for a positive finite x and a rest
// of at most an ulp of x. The error is below 2^-66 of the parts, or of the whole.
func logParts(x, rest float64) (parts double, exponent float64) {
	bits := math.Float64bits(x)
	shift := uint64(0)
	if bits < smallest {
		bits, shift = math.Float64bits(x*0x1p52), 52
	}
	past := bits - shift<<52 - logFirst
	t := &logTable[past>>45&(logSteps-1)]
	k := int64(past) >> 52
	bits = bits - shift<<52 - past&(0xfff<<52)
	if rest != 0 {
		rest = scaled(rest, int(-k))
	}
	front := math.Float64frombits(bits &^ lowLogBit)
	r := orderedSum(float64(front*t.inverse)-1, float64((math.Float64frombits(bits)-front)*t.inverse))
	r.low += float64(rest * t.inverse)
	r = orderedSum(r.high, r.low)
	square := product(r.high, r.high)
	first := orderedSum(t.high, r.high)
	second := orderedSum(first.high, -float64(square.high/2))
	low := first.low + second.low - float64(square.low/2) + t.low + (r.low - float64(r.low*r.high))
	low += float64(float64(square.high*r.high) * horner(r.high, logSeries[:]))
	return orderedSum(second.high, low), float64(k)
}

// logDouble is log(x+rest), with an error below 2^-66 of it.
func logDouble(x, rest float64) double {
	parts, k := logParts(x, rest)
	whole := orderedSum(float64(k*ln2High), parts.high)
	return orderedSum(whole.high, whole.low+(parts.low+float64(k*ln2Low)))
}

// Log1p is log(1+x). Its error is below 0.52 ulp.
func Log1p(x float64) float64 {
	switch {
	case !(x > -1) || x > math.MaxFloat64:
		return specialLog(1 + x)
	case math.Abs(x) < 0x1p-54:
		return x
	}
	u := sum(1, x)
	if u.low == 0 {
		return Log(u.high)
	}
	l := logDouble(u.high, u.low)
	return l.high + l.low
}

// Log2 is the logarithm to base 2. Its error is below 0.51 ulp, and whole results are exact.
func Log2(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return specialLog(x)
	}
	parts, k := logParts(x, 0)
	l := parts.times(double{log2EHigh, log2ELow})
	s := orderedSum(k, l.high)
	return s.high + (s.low + l.low)
}

// Log10 is the logarithm to base 10. Its error is below 0.51 ulp, and whole results are exact.
func Log10(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return specialLog(x)
	}
	l := logDouble(x, 0).times(double{log10EHigh, log10ELow})
	return l.high + l.low
}
