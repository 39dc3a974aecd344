package comparison

import (
	"math"

	"starling/mechanisms/numeric"
	"starling/scenarios/results"
)

// Mean is a mean over seeds with its standard error and the number of the seeds.
type Mean struct {
	Value, SE float64
	N         int64
}

// Unpaired returns the second of two means less the first, and half the width of its 95 % confidence interval by Welch's
// method, for runs without a common seed:
//
//	t s,  s² = se₁² + se₂²,  t the 0.975-quantile of Student's law of s⁴/(se₁⁴/(n₁-1) + se₂⁴/(n₂-1)) degrees of freedom.
//
// Half is NaN for fewer than two seeds on a side, for means that do not vary, and for infinite ones. Pairs of one seed have
// shorter intervals, as they share the data of the seed.
func Unpaired(first, second Mean) (difference, half float64) {
	difference = second.Value - first.Value
	a, b := float64(first.SE*first.SE), float64(second.SE*second.SE)
	if first.N < 2 || second.N < 2 || !(a+b > 0) || math.IsInf(a+b, 0) || math.IsNaN(difference) || math.IsInf(difference, 0) {
		return difference, math.NaN()
	}
	freedom := float64((a+b)*(a+b)) / (float64(a*a)/float64(first.N-1) + float64(b*b)/float64(second.N-1))
	return difference, float64(numeric.StudentQuantile(freedom, (1+Confidence)/2) * math.Sqrt(a+b))
}

// CommonSeeds reports whether two ranges have a seed in common.
func CommonSeeds(a, b results.Seeds) bool {
	_, _, ok := commonSeeds(a, b)
	return ok
}
