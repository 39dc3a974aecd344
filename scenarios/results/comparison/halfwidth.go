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
// and NaN for fewer than two values. HalfWidthOf is for a statistic over the seeds.
func HalfWidth(se float64, n int64) float64 {
	if n < 2 {
		return math.NaN()
	}
	return float64(numeric.StudentQuantile(float64(n-1), (1+Confidence)/2) * se)
}

// HalfWidthOf returns half the width of the 95 % confidence interval of a statistic over the seeds of
// an arm at a step, by the bootstrap of CompareAgainst; NaN where that bounds none. The error says
// which part of the statistic is missing.
func HalfWidthOf(arm Arm, metricName string, step int64, statistics Statistics) (float64, error) {
	seeds := seedsIn(arm.Run)
	of, err := statistics(arm, metricName, step, seeds)
	if err != nil {
		return math.NaN(), err
	}
	b := newBootstrap(len(seeds))
	own := b.studentized(b.of(of))
	return own.high - own.value, nil
}
