package claim

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// support is the prior knowledge of a quantity before it is measured.
type support struct {
	// derived means that it follows from the scenario, as privacy losses and traffic do: where
	// it is the same under all seeds it is exact.
	derived bool
	// bounded means that it lies from low to high, as a share does from 0 to 1.
	bounded   bool
	low, high float64
}

// estimate is a number with its uncertainty.
type estimate struct {
	// value is the number; NaN where the run has none.
	value float64
	// se is its standard error: 0 where all seeds agree, NaN if it has none.
	se float64
	// n is the number of seeds behind it; 0 for a number that is derived and not measured.
	n  int
	of support
	// two is set if the sample has exactly two different values, as an event and its absence
	// have.
	two *twoValues
}

// twoValues are the values of a sample that has two: count of its seeds have the higher one.
type twoValues struct {
	low, high float64
	count     int
}

// exact returns the estimate of a number that is derived and not measured.
func exact(value float64) estimate { return estimate{value: value, of: support{derived: true}} }

// unknown is the estimate of a number that the run does not have.
var unknown = estimate{value: math.NaN(), se: math.NaN()}

// certain reports whether the number is known. Derived numbers are known if they are the same
// under all seeds. Infinite numbers are known if they are infinite under all seeds: an
// infinity with a positive chance makes the mean infinite.
func (e estimate) certain() bool { return e.se == 0 && (e.of.derived || math.IsInf(e.value, 0)) }

// roundingOfSums is the relative difference at which values still agree, relative to the
// numbers from which they are computed.
const roundingOfSums = 1e-12

// mean returns the estimate from values under seeds; size is the size of the numbers from
// which they are computed. Equal values, infinities among them, have the standard error 0.
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

// sizeOf returns the largest size of some values.
func sizeOf(values []float64) (size float64) {
	for _, x := range values {
		size = max(size, math.Abs(x))
	}
	return size
}

// plus returns the estimate of a number that is larger by x, which is known.
func (e estimate) plus(x float64) estimate {
	e.value += x
	if e.two != nil {
		e.two = &twoValues{low: e.two.low + x, high: e.two.high + x, count: e.two.count}
	}
	return e
}

// missing returns the reason why the estimate has no interval; it is empty if it has one.
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

// interval returns the confidence interval at a level. It uses the quantile of SkewedStudent,
// so that it is right for values as skewed as under the exponential law. For two values it is
// at least as wide as the interval of Clopper and Pearson for the share of the higher one.
func (e estimate) interval(level float64) (low, high float64) {
	alpha := float64((1 - level) / 2)
	switch {
	case e.certain():
		return e.value, e.value
	case e.se == 0:
		// A value that n seeds do not show has a chance of at most p, and it may be any value
		// of the support.
		p := -portable.Expm1(portable.Log(alpha) / float64(e.n))
		return e.value - float64(p*(e.value-e.of.low)), e.value + float64(p*(e.of.high-e.value))
	}
	half := float64(skewedQuantile(e.n, 1-alpha) * e.se)
	low, high = e.value-half, e.value+half
	if e.two != nil {
		k, n, width := float64(e.two.count), float64(e.n), e.two.high-e.two.low
		low = min(low, e.two.low+float64(width*numeric.BetaQuantile(k, n-k+1, alpha)))
		high = max(high, e.two.low+float64(width*numeric.BetaQuantile(k+1, n-k, 1-alpha)))
	}
	return low, high
}

// tail returns the chance of an estimate as far from truth as this one, or farther, on its
// side, if truth were the true value.
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
		return max(p, numeric.Beta(n-k, k+1, 1-share))
	}
	return max(p, numeric.Beta(k, n-k+1, share))
}

// skewed has the law of the ratio of estimates to their errors.
var skewed struct {
	sync.Mutex
	law numeric.SkewedStudent
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

// span is the claimed range of a number, from low to high; an open span excludes its finite
// ends.
type span struct {
	low, high float64
	open      bool
}

// p returns the two-sided p-value at the end of the span that is nearest to the estimate: the
// least 1 - level at which its interval meets no end.
func (s span) p(e estimate) (p float64) {
	for _, end := range []float64{s.low, s.high} {
		if !math.IsInf(end, 0) {
			p = max(p, 2*e.tail(end))
		}
	}
	return min(1, p)
}
