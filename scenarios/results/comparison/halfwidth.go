package comparison

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

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
	return HalfWidths(len(seeds), []Statistic{of})[0], nil
}

// HalfWidths is HalfWidthOf for several statistics over some seeds, each with memory of its own: they are computed
// beside each other.
func HalfWidths(seeds int, list []Statistic) []float64 {
	halves := make([]float64, len(list))
	b := newBootstrap(seeds)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				own := b.studentized(b.of(list[i]))
				halves[i] = own.high - own.value
			}
		})
	}
	workers.Wait()
	return halves
}
