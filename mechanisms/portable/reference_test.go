package portable

import (
	"math"
	"math/big"
)

// The references are computed in numbers of precision bits, by series alone.
const precision = 1400

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func whole(n int64) *big.Float    { return new(big.Float).SetPrec(precision).SetInt64(n) }
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
	e := series(whole(1), 400, func(n int64, term *big.Float) { term.Mul(term, small).Quo(term, whole(n)) })
	for range h {
		e.Mul(e, e)
	}
	return e
}

// bigLog is the natural logarithm of x > 0: Newton's steps from that of math.
func bigLog(x *big.Float) *big.Float {
	significand := blank()
	exponent := x.MantExp(significand)
	if f, _ := significand.Float64(); f < 0.75 {
		significand, exponent = significand.Mul(significand, whole(2)), exponent-1
	}
	return bigAtanhLog(significand).Add(bigAtanhLog(significand), blank().Mul(whole(int64(exponent)), bigLn2))
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
	for n := int64(3); power.MantExp(nil) > total.MantExp(nil)-400; n += 2 {
		power.Mul(power, square)
		total.Add(total, blank().Quo(power, whole(n)))
	}
	return total.Mul(total, whole(2))
}

// bigPi is pi by Machin's formula.
var bigPi = func() *big.Float {
	arctan := func(n int64) *big.Float { // of 1/n
		power, total := blank().Quo(whole(1), whole(n)), blank()
		for k := int64(1); power.MantExp(nil) > -precision; k += 2 {
			part := blank().Quo(power, whole(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			total.Add(total, part)
			power.Quo(power, whole(n*n))
		}
		return total
	}
	pi := blank().Mul(whole(16), arctan(5))
	return pi.Sub(pi, blank().Mul(whole(4), arctan(239)))
}()

// bigSincos is the sine and the cosine of x.
func bigSincos(x *big.Float) (sin, cos *big.Float) {
	turn := blank().Mul(whole(2), bigPi)
	turns, _ := blank().Quo(x, turn).Int(nil)
	rest := blank().Sub(x, blank().Mul(blank().SetInt(turns), turn))
	square := blank().Mul(rest, rest)
	square.Neg(square)
	sin = series(rest, 1200, func(n int64, term *big.Float) { term.Mul(term, square).Quo(term, whole(2*n*(2*n+1))) })
	cos = series(whole(1), 1200, func(n int64, term *big.Float) { term.Mul(term, square).Quo(term, whole(2*n*(2*n-1))) })
	return sin, cos
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
