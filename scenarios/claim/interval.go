package claim

import (
	"math"
	"slices"

	"starling/mechanisms/probability"
)

// estimate is a number and how well it is known.
type estimate struct {
	// value is the number; NaN where the run has none.
	value float64
	// se is its standard error: 0 if the number is exact, NaN if it has none.
	se float64
	// n is how many seeds are behind it; 0 for what is derived and not measured.
	n int
}

// exact is an estimate of what is derived and not measured.
func exact(value float64) estimate { return estimate{value: value} }

// unknown is the estimate of what the run has not.
var unknown = estimate{value: math.NaN(), se: math.NaN()}

// mean is the estimate from values under seeds. Equal values, infinities among
// them, have the standard error 0.
func mean(values []float64) estimate {
	n := len(values)
	if n == 0 {
		return unknown
	}
	e := estimate{value: values[0], se: math.NaN(), n: n}
	if n == 1 || math.IsNaN(values[0]) {
		return e
	}
	if !slices.ContainsFunc(values, func(x float64) bool { return x != values[0] }) {
		e.se = 0
		return e
	}
	var sum, squares float64
	for _, x := range values {
		sum += x
	}
	e.value = sum / float64(n)
	for _, x := range values {
		deviation := x - e.value
		squares += float64(deviation * deviation)
	}
	e.se = math.Sqrt(squares / float64(n-1) / float64(n))
	return e
}

// missing says why the estimate has no interval; it is empty if it has one.
func (e estimate) missing() string {
	switch {
	case math.IsNaN(e.value):
		return "not a number under every seed"
	case e.n == 1:
		return "one seed has no interval"
	case math.IsInf(e.value, 0) && e.se != 0:
		return "infinite under some seeds"
	case math.IsNaN(e.se) || math.IsInf(e.se, 0):
		return "no standard error"
	}
	return ""
}

// freedom is that of Student's law, which is the law of (estimate - truth)/se.
func (e estimate) freedom() float64 { return float64(e.n - 1) }

// interval is the confidence interval at a level.
func (e estimate) interval(level float64) (low, high float64) {
	if e.se == 0 {
		return e.value, e.value
	}
	half := float64(probability.StudentQuantile(e.freedom(), (1+level)/2) * e.se)
	return e.value - half, e.value + half
}

// span is the range that a claim has a number in, from low to high; an open one
// is without its finite ends.
type span struct {
	low, high float64
	open      bool
}

// p is the two-sided p-value at the end of the span that is nearest to the
// estimate: the least 1 - level at which its interval meets no end.
func (s span) p(e estimate) float64 {
	if e.se == 0 {
		return 0
	}
	distance := min(math.Abs(e.value-s.low), math.Abs(e.value-s.high))
	return 2 * probability.StudentSurvival(e.freedom(), distance/e.se)
}
