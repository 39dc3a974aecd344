package portable

import "math"

// A piece is a polynomial of degree 13 on one of four parts of [2^e, 2^(e+1)), in the
// distance from the middle of the part. Its first coefficient is double.
type piece struct {
	first double
	rest  [13]float64
}

// pieceOf is the number of the part of x >= least, a power of two, in a table that
// begins there, and the middle of the part.
func pieceOf(x, least float64) (at int, middle float64) {
	bits := math.Float64bits(x)
	return int(bits>>50 - math.Float64bits(least)>>50), math.Float64frombits(bits&^(1<<50-1) | 1<<49)
}

// at is the polynomial at a distance t from the middle of its part.
func (p *piece) at(t float64) double {
	square := float64(t * t)
	fourth := float64(square * square)
	c := &p.rest
	low := (c[0] + float64(t*c[1])) + float64(square*(c[2]+float64(t*c[3])))
	mid := (c[4] + float64(t*c[5])) + float64(square*(c[6]+float64(t*c[7])))
	high := (c[8] + float64(t*c[9])) + float64(square*(c[10]+float64(t*c[11]))) + float64(fourth*c[12])
	rest := low + float64(fourth*(mid+float64(fourth*high)))
	return orderedSum(p.first.high, p.first.low+float64(t*rest))
}

// nearErf is the bound below which erf is computed by its series.
const nearErf = 0.25

// erfSeries are 2/sqrt(pi) times the coefficients of x^3, x^5, ..., as a share of it.
var erfSeries = [...]float64{-1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216, -1.0 / 1320, 1.0 / 9360, -1.0 / 75600, 1.0 / 685440}

// Erf is the error function. Its error is below 0.8 ulp.
func Erf(x float64) float64 {
	size := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x
	case size < nearErf:
		return erfNear(x)
	case size > 6:
		return math.Copysign(1, x)
	}
	e := erfcFar(size)
	s := orderedSum(1, -e.high)
	return math.Copysign(s.high+(s.low-e.low), x)
}

// erfNear is erf for |x| < nearErf.
func erfNear(x float64) float64 {
	if math.Abs(x) < 0x1p-500 { // a product's low part would be subnormal
		return x + float64(x*(twoOverRootPi-1))
	}
	square := float64(x * x)
	p := product(x, twoOverRootPi)
	return p.high + (p.low + float64(x*twoOverRootPiLow) + float64(p.high*float64(square*horner(square, erfSeries[:]))))
}

// Erfc is 1 - erf(x). Its error is below 0.8 ulp; if the result is subnormal, below
// 1.
func Erfc(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 27.3:
		return 0
	case x < -6:
		return 2
	case math.Abs(x) < nearErf:
		return 1 - erfNear(x)
	case x > 26:
		square := product(x, x)
		e, exponent := expParts(-square.high, -square.low)
		e = e.times(scaledErfc(x))
		return scaled(e.high, exponent)
	case x > 0:
		e := erfcFar(x)
		return e.high + e.low
	}
	e := erfcFar(-x)
	s := orderedSum(2, -e.high)
	return s.high + (s.low - e.low)
}

// erfcFar is erfc(x) for x in [nearErf, 26], with an error below 2^-57 of it.
func erfcFar(x float64) double {
	square := product(x, x)
	e, exponent := expParts(-square.high, -square.low)
	e = e.times(scaledErfc(x))
	scale := powerOf2(exponent)
	return double{float64(e.high * scale), float64(e.low * scale)}
}

// scaledErfc is e^(x^2) erfc(x) for x in [nearErf, 32).
func scaledErfc(x float64) double {
	at, middle := pieceOf(x, nearErf)
	return erfcTable[at].at(x - middle)
}

// NormalQuantile is the x below which a standard normal variable lies with probability p. Its
// error is below 2 ulp, beside the error of 1 - p for p > 1/2. It is NaN for a p that is no
// probability.
//
// With w = -log(4 p (1-p)), the quantile's share of 1 - 2p is smooth in w.
func NormalQuantile(p float64) float64 {
	switch {
	case p > 0.5 && p <= 1:
		return -NormalQuantile(1 - p)
	case p == 0:
		return math.Inf(-1)
	case !(p > 0 && p <= 1):
		return math.NaN()
	}
	w := max(0, -Log(float64(4*p)*(1-p)))
	table, middle := &quantileTable[0], leastQuantile/2
	if w >= leastQuantile {
		var at int
		at, middle = pieceOf(w, leastQuantile)
		table = &quantileTable[at+1]
	}
	share := table.at(w - middle)
	return float64((float64(2*p) - 1) * share.high)
}

// leastQuantile is the number at which the parts of quantileTable begin; the first is below.
const leastQuantile = 0.25

// Lgamma is the logarithm of the gamma function of x > 0, NaN for other x. Its error is
// below 1 ulp of the result or 2^-54, whichever is more.
func Lgamma(x float64) float64 {
	switch {
	case !(x > 0):
		return math.NaN()
	case x == 1 || x == 2:
		return 0
	case x > 0x1p1000:
		return float64(x * (Log(x) - 1)) // the rest is far below an ulp
	}
	// Gamma(x) = Gamma(y) / (x (x+1) ... (y-1)), by Stirling's series at y >= 16.
	y, past := double{x, 0}, double{1, 0}
	for ; y.high < 16; y = y.plus(1) {
		past = past.times(y)
	}
	l := logDouble(y.high, y.low)
	s := y.plus(-0.5).times(l)
	s = s.minus(y).plus(halfLog2PiLow).plus(halfLog2Pi)
	inverse := 1 / y.high
	s = s.plus(float64(inverse * horner(float64(inverse*inverse), stirling[:])))
	if past.high != 1 {
		s = s.minus(logDouble(past.high, past.low))
	}
	return s.high + s.low
}

// stirling are B(2k) / (2k (2k-1)), of y^(1-2k).
var stirling = [...]float64{
	1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400,
}
