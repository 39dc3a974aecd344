package comparison

import (
	"math"

	"starling/mechanisms/numeric"
	"starling/scenarios/results"
)

// Ratio is a quotient of two means with the ends of its confidence interval. Value is NaN where
// there is none, and Low and High are NaN where there is no interval.
type Ratio struct{ Value, Low, High float64 }

// noRatio stands for a quotient that is not defined.
func noRatio() Ratio { return Ratio{math.NaN(), math.NaN(), math.NaN()} }

// fieller returns the ratio of the mean of y to the mean of x with Fieller's interval (1954) for
// pairs under the same seeds. x and y have one length.
//
// For a quotient r the mean of y - r x has the expectation 0 and, for normal pairs, Student's t on
// n-1 degrees of freedom. The interval has each r that the t-test does not reject:
//
//	(my - r mx)^2 <= t^2 (vy - 2 r cxy + r^2 vx)
//
// with the variances and the covariance of the two means. So it has its confidence for every n, and
// it holds 1 where the paired t-test of y - x does not reject. It is bounded where
// g = t^2 vx/mx^2 < 1: where the mean of x is told apart from 0. With the residuals
// e = y - (my/mx) x, the variance ve of their mean and its covariance cxe with the mean of x, the ends
// are, without a difference of nearly equal numbers,
//
//	my/mx + (-t^2 cxe +- sqrt(t^2 ve (mx^2 - t^2 vx) + t^4 cxe^2))/(mx^2 - t^2 vx)
//
// There is no ratio where a value of x is 0 or values of x have both signs, or where the
// interval is not bounded: the quotient then says nothing. There is no interval for a single
// pair, nor where y is a multiple of x under every seed, which agreement of a few seeds does not
// prove: a derived metric that is the same under every seed has one of width 0.
func fieller(x, y []float64, derived bool) Ratio {
	if !oneSign(x) {
		return noRatio()
	}
	n := len(x)
	mx, sx := results.MeanSE(x)
	my, _ := results.MeanSE(y)
	ratio := Ratio{my / mx, math.NaN(), math.NaN()}
	if math.IsInf(mx, 0) || math.IsInf(my, 0) || math.IsNaN(my) {
		return noRatio()
	}
	if n < 2 {
		return ratio
	}
	residuals := make([]float64, n) // of y from the ratio
	for i := range residuals {
		residuals[i] = y[i] - float64(ratio.Value*x[i])
	}
	me, se := results.MeanSE(residuals)
	if !(se > agreement*math.Abs(my)) {
		if derived && sx == 0 {
			ratio.Low, ratio.High = ratio.Value, ratio.Value
		}
		return ratio
	}
	t := numeric.StudentQuantile(float64(n-1), (1+Confidence)/2)
	square := float64(t * t)
	a := float64(mx*mx) - float64(square*float64(sx*sx))
	if !(a > 0) {
		return noRatio()
	}
	c := square * covariance(x, residuals, mx, me)
	root := math.Sqrt(float64(square*float64(float64(se*se)*a)) + float64(c*c))
	ratio.Low, ratio.High = ratio.Value+(-c-root)/a, ratio.Value+(-c+root)/a
	return ratio
}

// oneSign reports whether values are all above 0, or all below.
func oneSign(x []float64) bool {
	if len(x) == 0 {
		return false
	}
	for _, v := range x {
		if !(float64(v*math.Copysign(1, x[0])) > 0) {
			return false
		}
	}
	return true
}

// covariance returns the covariance of the means of pairs.
func covariance(x, y []float64, mx, my float64) float64 {
	sum := 0.0
	for i := range x {
		sum += float64((x[i] - mx) * (y[i] - my))
	}
	n := float64(len(x))
	return sum / (n - 1) / n
}
