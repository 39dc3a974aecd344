package portable

import "math"

// Pow is x^y. Its error is below 0.53 ulp; if the result is subnormal, below 0.8.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case x == 0 || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y) // exact cases, by comparisons alone
	case x < 0 && y != math.Trunc(y):
		return math.NaN()
	}
	size := positivePow(math.Abs(x), y)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -size
	}
	return size
}

// positivePow is x^y for a positive finite x and a finite y.
func positivePow(x, y float64) float64 {
	switch {
	case x == 1 || math.Abs(y) < 0x1p-64:
		return 1
	case math.Abs(y) > 0x1p64:
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	l := logDouble(x, 0)
	p := product(y, l.high)
	p = orderedSum(p.high, p.low+float64(y*l.low))
	switch {
	case p.high > 710:
		return math.Inf(1)
	case p.high < -746:
		return 0
	}
	e, exponent := expParts(p.high, p.low)
	return scaled(e.high+e.low, exponent)
}

// Hypot is the square root of x^2 + y^2, without overflow or underflow on the way. Its
// error is below 1.25 ulp.
func Hypot(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	largest, scale := max(a, b), 1.0
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case largest > 0x1p500:
		scale = 0x1p600
	case largest < 0x1p-400:
		scale = 0x1p-600
	default: // NaN too
		return math.Sqrt(float64(a*a) + float64(b*b))
	}
	a, b = a/scale, b/scale
	return math.Sqrt(float64(a*a)+float64(b*b)) * scale
}
