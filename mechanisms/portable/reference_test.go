package portable

import (
	"math"
	"math/big"
)

// The references are computed in numbers of precision bits, by series alone; sines of
// large angles, and pi for them, in widePrecision bits.
const (
	precision     = 320
	widePrecision = 1500
)

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func whole(n int64) *big.Float    { return new(big.Float).SetPrec(precision).SetInt64(n) }
func float(x *big.Float) float64  { f, _ := x.Float64(); return f }
func wide() *big.Float            { return new(big.Float).SetPrec(widePrecision) }
func blank() *big.Float           { return new(big.Float).SetPrec(precision) }

// series is the sum of terms, where next makes term n of the one before, until they
// are negligible beside the sum.
func series(first *big.Float, bits int, next func(n int64, term *big.Float)) *big.Float {
	total, term := blank().Set(first), blank().Set(first)
	for n := int64(1); ; n++ {
		next(n, term)
		if term.Sign() == 0 || total.Sign() != 0 && term.MantExp(nil) < total.MantExp(nil)-bits {
			return total
		}
		total.Add(total, term)
	}
}

// bigExp is e^x: the series of x/2^h, squared h times.
func bigExp(x *big.Float) *big.Float {
	const h = 24
	small := blank().SetMantExp(x, -h)
	e := series(whole(1), 300, func(n int64, term *big.Float) { term.Mul(term, small).Quo(term, whole(n)) })
	for range h {
		e.Mul(e, e)
	}
	return e
}

// bigLog is the natural logarithm of x > 0.
func bigLog(x *big.Float) *big.Float {
	significand := blank()
	exponent := x.MantExp(significand)
	if f, _ := significand.Float64(); f < 0.75 {
		significand, exponent = significand.Mul(significand, whole(2)), exponent-1
	}
	l := bigAtanhLog(significand)
	return l.Add(l, blank().Mul(whole(int64(exponent)), bigLn2))
}

var bigLn2 = bigAtanhLog(whole(2))

// bigAtanhLog is log x = 2 artanh((x-1)/(x+1)).
func bigAtanhLog(x *big.Float) *big.Float {
	y := blank().Quo(blank().Sub(x, whole(1)), blank().Add(x, whole(1)))
	if y.Sign() == 0 {
		return blank()
	}
	square, power := blank().Mul(y, y), blank().Set(y)
	total := blank().Set(y)
	for n := int64(3); power.MantExp(nil) > total.MantExp(nil)-300; n += 2 {
		power.Mul(power, square)
		total.Add(total, blank().Quo(power, whole(n)))
	}
	return total.Mul(total, whole(2))
}

// bigPi is pi by Machin's formula.
var bigPi = func() *big.Float {
	arctan := func(n int64) *big.Float { // of 1/n
		power, total := wide().Quo(whole(1), whole(n)), wide()
		for k := int64(1); power.MantExp(nil) > -widePrecision; k += 2 {
			part := wide().Quo(power, whole(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			total.Add(total, part)
			power.Quo(power, whole(n*n))
		}
		return total
	}
	pi := wide().Mul(whole(16), arctan(5))
	return pi.Sub(pi, wide().Mul(whole(4), arctan(239)))
}()

// bigSincos is the sine and the cosine of x.
func bigSincos(x *big.Float) (sin, cos *big.Float) {
	turn := wide().Mul(whole(2), bigPi)
	turns, _ := wide().Quo(x, turn).Int(nil)
	rest := wide().Sub(x, wide().Mul(wide().SetInt(turns), turn))
	rest.SetPrec(precision) // which is rounded
	square := blank().Mul(rest, rest)
	square.Neg(square)
	sin = series(rest, 400, func(n int64, term *big.Float) { term.Mul(term, square).Quo(term, whole(2*n*(2*n+1))) })
	cos = series(whole(1), 300, func(n int64, term *big.Float) { term.Mul(term, square).Quo(term, whole(2*n*(2*n-1))) })
	return sin, cos
}

// bigErf is the error function by its series, for |x| < 8.
func bigErf(x *big.Float) *big.Float {
	square := blank().Mul(x, x)
	term, total := blank().Set(x), blank().Set(x)
	for n := int64(1); term.MantExp(nil) > -500; n++ {
		term.Mul(term, square).Quo(term, whole(-n))
		total.Add(total, blank().Quo(term, whole(2*n+1)))
	}
	return total.Mul(total, blank().Quo(whole(2), blank().Sqrt(bigPi)))
}

// bigScaledErfc is exp(x^2) erfc(x): by bigErf, or from 3 on by Laplace's continued
// fraction.
func bigScaledErfc(x *big.Float) *big.Float {
	if x.Cmp(whole(3)) < 0 {
		e := blank().Sub(whole(1), bigErf(x))
		return e.Mul(e, bigExp(blank().Mul(x, x)))
	}
	tail := blank().Set(x)
	for n := 20 + int64(1500/float(blank().Mul(x, x))); n > 0; n-- { // so the rest is below 2^-128
		tail.Add(x, tail.Quo(blank().Quo(whole(n), whole(2)), tail))
	}
	return tail.Quo(whole(1), tail.Mul(tail, blank().Sqrt(bigPi)))
}

// bigErfc is 1 - erf(x).
func bigErfc(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return blank().Sub(whole(2), bigErfc(blank().Neg(x)))
	}
	square := blank().Mul(x, x)
	share := bigScaledErfc(x)
	return share.Mul(share, bigExp(square.Neg(square)))
}

// bigQuantile is the z > 0 that a standard normal variable exceeds with probability
// p, by Newton's steps on the logarithm.
func bigQuantile(logP *big.Float) *big.Float {
	root2 := blank().Sqrt(whole(2))
	z := number(math.Sqrt(-2 * float(logP)))
	if p := math.Exp(float(logP)); p > 1e-3 {
		z = number(-math.Sqrt2 * math.Erfinv(2*p-1))
	}
	for {
		share := bigScaledErfc(blank().Quo(z, root2))
		off := bigLog(blank().Quo(share, whole(2)))
		off.Sub(off, blank().Quo(blank().Mul(z, z), whole(2))).Sub(off, logP)
		slope := blank().Quo(blank().Sqrt(blank().Quo(whole(2), bigPi)), share)
		z.Add(z, off.Quo(off, slope))
		if off.Sign() == 0 || off.MantExp(nil) < z.MantExp(nil)-60 { // the next step would be the square
			return z
		}
	}
}

// bigQuantileShare is what quantileTable has.
func bigQuantileShare(w *big.Float) *big.Float {
	inside := blank().Sub(whole(1), bigExp(blank().Neg(w)))
	distance := inside.Sqrt(inside) // 1 - 2p
	logP := bigLog(blank().Mul(whole(2), blank().Add(whole(1), distance)))
	z := bigQuantile(logP.Neg(logP.Add(logP, w)))
	return z.Quo(z, distance)
}

// bigLgamma is the logarithm of the gamma function of x > 0: Stirling's series at 300
// and above, and below the recurrence.
func bigLgamma(x *big.Float) *big.Float {
	past, y := whole(1), blank().Set(x)
	for y.Cmp(whole(300)) < 0 {
		past.Mul(past, y)
		y.Add(y, whole(1))
	}
	total := blank().Mul(blank().Sub(y, number(0.5)), bigLog(y))
	total.Sub(total, y)
	total.Add(total, blank().Quo(bigLog(blank().Mul(whole(2), bigPi)), whole(2)))
	power := blank().Quo(whole(1), y)
	for k, b := range [][2]int64{{1, 6}, {-1, 30}, {1, 42}, {-1, 30}, {5, 66}, {-691, 2730}, {7, 6}, {-3617, 510}} {
		part := blank().Quo(whole(b[0]), whole(b[1]*int64(2*k+2)*int64(2*k+1)))
		total.Add(total, part.Mul(part, power))
		power.Quo(power, y).Quo(power, y)
	}
	return total.Sub(total, bigLog(past))
}

// ulps is |got - want| in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	if math.IsInf(nearest, 0) || math.IsInf(got, 0) || math.IsNaN(got) {
		if nearest == got {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(want.MantExp(nil)-53, -1074)
	off := blank().Sub(number(got), want)
	ratio, _ := off.SetMantExp(off, -exponent).Float64()
	return math.Abs(ratio)
}
