package claim

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"starling/mechanisms/portable"
	"starling/mechanisms/probability"
)

// support is what is known of a quantity before it is measured.
type support struct {
	// derived tells that it follows from the scenario, as privacy losses and traffic do: where
	// it is the same under all seeds it is exact.
	derived bool
	// bounded tells that it lies from low to high, as a share does from 0 to 1.
	bounded   bool
	low, high float64
}

// estimate is a number and how well it is known.
type estimate struct {
	// value is the number; NaN where the run has none.
	value float64
	// se is its standard error: 0 where all seeds agree, NaN if it has none.
	se float64
	// n is how many seeds are behind it; 0 for what is derived and not measured.
	n  int
	of support
	// two is set where there are two different values, as of what happens or does not.
	two *twoValues
}

// twoValues are the values of a sample that has two: count of its seeds have the higher.
type twoValues struct {
	low, high float64
	count     int
}

// exact is an estimate of what is derived and not measured.
func exact(value float64) estimate { return estimate{value: value, of: support{derived: true}} }

// unknown is the estimate of what the run has not.
var unknown = estimate{value: math.NaN(), se: math.NaN()}

// certain tells that the number is known: what is derived and the same under all seeds, and
// what is infinite under all of them, since an infinity that happens makes the mean infinite.
func (e estimate) certain() bool { return e.se == 0 && (e.of.derived || math.IsInf(e.value, 0)) }

// roundingOfSums is by what part of the numbers that they are made of values may differ and
// still agree.
const roundingOfSums = 1e-12

// mean is the estimate from values under seeds, computed from numbers of a size. Equal values,
// infinities among them, have the standard error 0.
func mean(values []float64, of support, size float64) estimate {
	n := len(values)
	if n == 0 {
		return unknown
	}
	e := estimate{value: values[0], se: math.NaN(), n: n, of: of}
	if slices.ContainsFunc(values, math.IsNaN) {
		e.value = math.NaN()
		return e
	}
	if n == 1 {
		return e
	}
	least, most := slices.Min(values), slices.Max(values)
	if least == most || most-least <= roundingOfSums*size && !math.IsInf(size, 0) {
		e.se = 0
		return e
	}
	var sum, squares float64
	count := 0
	for _, x := range values {
		sum += x
		if x == most {
			count++
		}
	}
	if !slices.ContainsFunc(values, func(x float64) bool { return x != least && x != most }) {
		e.two = &twoValues{low: least, high: most, count: count}
	}
	e.value = sum / float64(n)
	for _, x := range values {
		deviation := x - e.value
		squares += float64(deviation * deviation)
	}
	e.se = math.Sqrt(squares / float64(n-1) / float64(n))
	return e
}

// sizeOf is the largest size of some values.
func sizeOf(values []float64) (size float64) {
	for _, x := range values {
		size = max(size, math.Abs(x))
	}
	return size
}

// plus is the estimate of a number that is larger by x, which is known.
func (e estimate) plus(x float64) estimate {
	e.value += x
	if e.two != nil {
		e.two = &twoValues{low: e.two.low + x, high: e.two.high + x, count: e.two.count}
	}
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
	case e.se == 0 && !e.certain() && !(e.of.bounded && e.of.low <= e.value && e.value <= e.of.high):
		return fmt.Sprintf("the same under all %d seeds, which bounds no mean over others", e.n)
	}
	return ""
}

// interval is the confidence interval at a level. It has the quantile of SkewedStudent, so
// that it is right for values as skewed as those of the exponential law; of two values it is
// at least as wide as that of Clopper and Pearson for the share of the higher.
func (e estimate) interval(level float64) (low, high float64) {
	alpha := float64((1 - level) / 2)
	switch {
	case e.certain():
		return e.value, e.value
	case e.se == 0:
		// Of a seed that n others do not show the chance is at most p, and such a seed may have
		// any value of the support.
		p := -portable.Expm1(portable.Log(alpha) / float64(e.n))
		return e.value - float64(p*(e.value-e.of.low)), e.value + float64(p*(e.of.high-e.value))
	}
	half := float64(skewedQuantile(e.n, 1-alpha) * e.se)
	low, high = e.value-half, e.value+half
	if e.two != nil {
		k, n, width := float64(e.two.count), float64(e.n), e.two.high-e.two.low
		low = min(low, e.two.low+float64(width*probability.BetaQuantile(k, n-k+1, alpha)))
		high = max(high, e.two.low+float64(width*probability.BetaQuantile(k+1, n-k, 1-alpha)))
	}
	return low, high
}

// tail is the chance of an estimate as far from a number as this one, or farther, on its
// side, were the number the truth.
func (e estimate) tail(truth float64) float64 {
	switch {
	case e.certain():
		return 0
	case truth == e.value:
		return 1
	case e.se == 0:
		share := (truth - e.value) / (e.of.high - e.value)
		if truth < e.value {
			share = (truth - e.value) / (e.of.low - e.value)
		}
		return portable.Pow(1-min(share, 1), float64(e.n))
	}
	p := skewedSurvival(e.n, math.Abs(e.value-truth)/e.se)
	if e.two == nil {
		return p
	}
	k, n, share := float64(e.two.count), float64(e.n), (truth-e.two.low)/(e.two.high-e.two.low)
	switch {
	case share >= 1 || share <= 0:
		return p
	case truth > e.value:
		return max(p, probability.Beta(n-k, k+1, 1-share))
	}
	return max(p, probability.Beta(k, n-k+1, share))
}

// skewed has the law of the ratio of estimates to their errors.
var skewed struct {
	sync.Mutex
	law probability.SkewedStudent
}

func skewedQuantile(n int, p float64) float64 {
	skewed.Lock()
	defer skewed.Unlock()
	return skewed.law.Quantile(n, p)
}

func skewedSurvival(n int, ratio float64) float64 {
	skewed.Lock()
	defer skewed.Unlock()
	return skewed.law.Survival(n, ratio)
}

// span is the range that a claim has a number in, from low to high; an open one
// is without its finite ends.
type span struct {
	low, high float64
	open      bool
}

// p is the two-sided p-value at the end of the span that is nearest to the
// estimate: the least 1 - level at which its interval meets no end.
func (s span) p(e estimate) (p float64) {
	for _, end := range []float64{s.low, s.high} {
		if !math.IsInf(end, 0) {
			p = max(p, 2*e.tail(end))
		}
	}
	return min(1, p)
}
