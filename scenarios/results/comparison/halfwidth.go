package comparison

import (
	"math"

	"starling/mechanisms/numeric"
)

// HalfWidth returns half the width of the 95 % confidence interval of a mean of n values with the
// standard error se:
//
//	t se,  t the 0.975-quantile of Student's law of n - 1 degrees of freedom,
//
// and NaN for fewer than two values. All intervals of means over seeds that are shown are it.
func HalfWidth(se float64, n int64) float64 {
	if n < 2 {
		return math.NaN()
	}
	return float64(numeric.StudentQuantile(float64(n-1), (1+Confidence)/2) * se)
}
