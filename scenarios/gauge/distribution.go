package gauge

import (
	"math"

	"starling/scenarios/metric"
)

// statistic is a number that describes how the values of participants are distributed.
type statistic struct {
	name, label, summary string
	dispersion           bool // it says how far values differ, so that less is better
	// value returns the statistic of values without NaN, ascending; NaN for none.
	value func(sorted []float64, better metric.Direction) float64
}

// gini is the name of the Gini coefficient.
const gini = "gini"

// statistics lists the statistics, in the order of lists.
var statistics = []statistic{
	{name: "worst", label: "the worst", summary: "the worst value", value: func(sorted []float64, better metric.Direction) float64 {
		return end(sorted, better == metric.LowerIsBetter)
	}},
	{name: "best", label: "the best", summary: "the best value", value: func(sorted []float64, better metric.Direction) float64 {
		return end(sorted, better == metric.HigherIsBetter)
	}},
	quantileAt(0.1, "quantile.10", "quantile 0.1", "the quantile of 0.1"),
	quantileAt(0.5, "median", "median", "the median"),
	quantileAt(0.9, "quantile.90", "quantile 0.9", "the quantile of 0.9"),
	{name: gini, label: "Gini coefficient", summary: "the Gini coefficient, 0 where all are equal, undefined where some are infinite", dispersion: true, value: func(sorted []float64, _ metric.Direction) float64 {
		return Gini(sorted)
	}},
	{name: "spread", label: "spread", summary: "the largest less the least value", dispersion: true, value: func(sorted []float64, _ metric.Direction) float64 {
		if len(sorted) > 0 && equal(sorted) {
			return 0 // also of values that are infinite
		}
		return end(sorted, true) - end(sorted, false)
	}},
}

// quantileAt returns the statistic of a quantile.
func quantileAt(share float64, name, label, summary string) statistic {
	return statistic{name: name, label: label, summary: summary, value: func(sorted []float64, _ metric.Direction) float64 {
		return Quantile(sorted, share)
	}}
}

// equal reports whether some values, which ascend, are all the same.
func equal(sorted []float64) bool { return sorted[0] == sorted[len(sorted)-1] }

// end returns the last or the first of some values; NaN for none.
func end(sorted []float64, last bool) float64 {
	switch {
	case len(sorted) == 0:
		return math.NaN()
	case last:
		return sorted[len(sorted)-1]
	}
	return sorted[0]
}

// Quantile returns the quantile of values, which ascend, at a share from 0 to 1. Between two
// values it is linear in the share. It is NaN without values.
func Quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := share * float64(len(sorted)-1)
	low := int(at)
	if part := at - float64(low); part > 0 && sorted[low] != sorted[low+1] {
		return float64((1-part)*sorted[low]) + float64(part*sorted[low+1])
	}
	return sorted[low]
}

// Gini returns the Gini coefficient of values, which ascend: the mean absolute difference of two
// of them over twice their mean, from 0 to 1. It is 0 where all are equal. It is NaN without
// values, and where they differ and one is below 0 or infinite: no coefficient is defined there.
func Gini(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return math.NaN()
	case equal(sorted):
		return 0
	case sorted[0] < 0 || math.IsInf(sorted[n-1], 1):
		return math.NaN()
	}
	var sum, weighted float64
	for i, value := range sorted {
		sum += value
		weighted += float64(float64(2*i+1-n) * value)
	}
	return weighted / (float64(n) * sum)
}
