package portable

import "math"

const (
	expSteps  = 128                  // entries of expTable: powers 2^(j/128)
	roundHalf = 0x1.8p52             // added and taken away, it rounds to an integer
	largeExp  = 0x1.62e42fefa39efp+9 // the largest x with a finite exponential
	smallExp  = -0x1.74910d52d3052p+9
)

// 1/k! for the series of exp and expm1.
const (
	inverse2 = 1.0 / 2
	inverse3 = 1.0 / 6
	inverse4 = 1.0 / 24
	inverse5 = 1.0 / 120
)

// A power is 2^(j/128) = value (1 + tail).
type power struct{ value, tail float64 }

// Exp is e^x. Its error is below 0.52 ulp; if the result is subnormal, below 0.8.
//
// The argument is reduced by the nearest multiple k of (ln 2)/128 to a rest of at most 0.0028,
// with an exponential by a polynomial of degree 5; 2^(k/128) is a table's entry with a
// correction, times a power of two (Tang, Table-driven implementation of the exponential
// function in IEEE floating-point arithmetic, 1989).
func Exp(x float64) float64 {
	if !(math.Abs(x) < 708) {
		return farExp(x)
	}
	k := float64(x*stepsPerLn2) + roundHalf
	at := int32(math.Float64bits(k))
	k -= roundHalf
	r := (x - float64(k*stepHigh)) - float64(k*stepLow)
	t := &expTable[at&(expSteps-1)]
	square := float64(r * r)
	p := (t.tail + r) + float64(square*((inverse2+float64(r*inverse3))+float64(square*(inverse4+float64(r*inverse5)))))
	scale := math.Float64frombits(math.Float64bits(t.value) + uint64(at>>7)<<52)
	return scale + float64(scale*p)
}

// farExp is Exp where the result may overflow, is small, or is special.
func farExp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > largeExp:
		return math.Inf(1)
	case x < smallExp:
		return 0
	}
	e, exponent := expParts(x, 0)
	return scaled(e.high+e.low, exponent)
}

// expParts is e^(x+low) = parts 2^exponent, where |x| <= 746 and low is at most an
// ulp of x. The parts are between 0.99 and 2, and their error is below 2^-61.
func expParts(x, low float64) (parts double, exponent int) {
	k := float64(x*stepsPerLn2) + roundHalf
	at := int32(math.Float64bits(k))
	k -= roundHalf
	r := orderedSum(x-float64(k*stepHigh), low-float64(k*stepLow))
	t := &expTable[at&(expSteps-1)]
	square := float64(r.high * r.high)
	p := float64(square * ((inverse2 + float64(r.high*inverse3)) + float64(square*(inverse4+float64(r.high*inverse5)))))
	return orderedSum(t.value, float64(t.value*(r.high+(r.low+t.tail+p)))), int(at >> 7)
}

// scaled is y 2^exponent, rounded once, where y is between 0.5 and 4 and exponent at
// least -1140 and at most 1030.
func scaled(y float64, exponent int) float64 {
	switch {
	case exponent > 1000:
		return y * 0x1p100 * powerOf2(exponent-100)
	case exponent < -1000:
		return y * powerOf2(exponent+160) * 0x1p-160
	}
	return y * powerOf2(exponent)
}

// powerOf2 is 2^exponent for an exponent from -1022 to 1023.
func powerOf2(exponent int) float64 { return math.Float64frombits(uint64(exponent+1023) << 52) }

// nearExpm1 is the bound below which expm1 and tanh are computed by a series.
const nearExpm1 = 0.125

// expm1Series are 1/3! to 1/12!.
var expm1Series = [...]float64{
	inverse3, inverse4, inverse5, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
}

// Expm1 is e^x - 1. Its error is below 0.6 ulp.
func Expm1(x float64) float64 {
	switch {
	case x == 0 || math.IsNaN(x):
		return x
	case x > largeExp:
		return math.Inf(1)
	case x < -40:
		return -1
	case x > 40:
		return Exp(x)
	}
	e := expm1Parts(x)
	return e.high + e.low
}

// expm1Parts is e^x - 1 for |x| <= 40, with an error below 2^-57 of it.
func expm1Parts(x float64) double {
	if math.Abs(x) >= nearExpm1 {
		e, exponent := expParts(x, 0)
		scale := powerOf2(exponent)
		return double{float64(e.high * scale), float64(e.low * scale)}.plus(-1)
	}
	if math.Abs(x) < 0x1p-300 { // where squares would be subnormal
		return double{x, 0}
	}
	s := product(x, x)
	rest := float64(float64(s.high*x) * horner(x, expm1Series[:]))
	parts := orderedSum(x, float64(s.high/2))
	return orderedSum(parts.high, parts.low+(float64(s.low/2)+rest))
}

// horner is the polynomial c[0] + c[1] x + c[2] x^2 + ...
func horner(x float64, c []float64) float64 {
	value := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		value = c[i] + float64(value*x)
	}
	return value
}

// Tanh is the hyperbolic tangent. Its error is below 0.6 ulp.
func Tanh(x float64) float64 {
	switch {
	case math.Abs(x) > 20:
		return math.Copysign(1, x)
	case math.Abs(x) < 0x1p-30 || math.IsNaN(x):
		return x
	}
	e := expm1Parts(-2 * math.Abs(x))
	t := e.over(e.plus(2))
	return math.Copysign(t.high+t.low, x)
}

// Sinh is the hyperbolic sine. Its error is below 0.8 ulp.
func Sinh(x float64) float64 {
	size := math.Abs(x)
	switch {
	case math.IsNaN(x) || size < 0x1p-30:
		return x
	case size > 711:
		return math.Copysign(math.Inf(1), x)
	case size > 40:
		e, exponent := expParts(size, 0)
		return math.Copysign(scaled(e.high+e.low, exponent-1), x)
	}
	e := expm1Parts(size) // sinh x = (e + e/(1+e)) / 2
	q := e.over(e.plus(1))
	s := sum(e.high, q.high)
	return math.Copysign((s.high+(s.low+(e.low+q.low)))/2, x)
}
