package audit

import (
	"fmt"
	"math"
	"sort"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// UpperLimit returns the upper Clopper-Pearson limit of a probability of which
// count of n trials came true, 0 <= count <= n: it lies below the probability
// with chance at most miss (Clopper, Pearson 1934).
func UpperLimit(count, n int, miss float64) float64 {
	switch {
	case count >= n:
		return 1
	case count == 0: // the limit of the formula below, in closed form
		return -portable.Expm1(portable.Log(miss) / float64(n))
	}
	return 1 - numeric.BetaQuantile(float64(n-count), float64(count+1), miss)
}

// LowerLimit returns the lower Clopper-Pearson limit: it lies above the
// probability with chance at most miss.
func LowerLimit(count, n int, miss float64) float64 {
	switch {
	case count <= 0:
		return 0
	case count >= n:
		return portable.Exp(portable.Log(miss) / float64(n))
	}
	return numeric.BetaQuantile(float64(count), float64(n-count+1), miss)
}

// limits are the Clopper-Pearson limits of counts of n outcomes, of which both hold with a
// confidence. They are kept: thresholds of many events leave few counts, and a limit is a
// search.
type limits struct {
	n            int
	miss         float64 // of each
	lower, upper map[int]float64
}

func limitsOf(n int, confidence float64) *limits {
	return &limits{n, (1 - confidence) / 2, map[int]float64{}, map[int]float64{}}
}

// measure is a measure at the limits of the two probabilities of which more and less are the
// counts.
func (l *limits) measure(more, less int, m Measure) float64 {
	p, ok := l.lower[more]
	if !ok {
		p = LowerLimit(more, l.n, l.miss)
		l.lower[more] = p
	}
	q, ok := l.upper[less]
	if !ok {
		q = UpperLimit(less, l.n, l.miss)
		l.upper[less] = q
	}
	return m(p, q)
}

// atLeast is the chance that a binomial number of n trials of probability p is
// count or more.
func atLeast(count, n int, p float64) float64 {
	switch {
	case count <= 0:
		return 1
	case count > n:
		return 0
	}
	return numeric.Beta(float64(count), float64(n-count+1), p)
}

// most returns the least count that a binomial number exceeds with chance at
// most miss, fewest the largest that it falls short of with that chance.
func most(n int, p, miss float64) int {
	low, high := -1, n // low is exceeded too often, high is not
	for high-low > 1 {
		if middle := low + (high-low)/2; atLeast(middle+1, n, p) <= miss {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// fewest mirrors most: falling short of count successes is exceeding n - count failures.
func fewest(n int, p, miss float64) int { return n - most(n, 1-p, miss) }

// mostSamples bounds the search for the samples that an audit needs.
const mostSamples = min(1<<40, math.MaxInt/4)

// SamplesNeeded returns a number of samples of each input with which LowerBound exceeds a
// claimed parameter with chance at least power, where the event that it chooses has
// probability p under one input and q under the other: with the count of the first at its
// lower quantile and the count of the second at its upper one, each quantile at half of 1 -
// power, the limits still do. It is an error if m(p, q) does not exceed the claim, for then no
// number would do.
func SamplesNeeded(p, q float64, pilot Pilot, m Measure, claimed, confidence, power float64) (int, error) {
	if !(p >= 0 && p <= 1 && q >= 0 && q <= 1) {
		return 0, fmt.Errorf("audit: p = %v and q = %v are no probabilities", p, q)
	}
	if !(power > 0 && power < 1) {
		return 0, fmt.Errorf("audit: power %v is not in (0, 1)", power)
	}
	if err := checkConfidence(confidence); err != nil {
		return 0, err
	}
	if !(m(p, q) > claimed) {
		return 0, fmt.Errorf("audit: an event of probabilities %v and %v is allowed by the claim %v", p, q, claimed)
	}
	enough := func(tests int) bool {
		miss := (1 - power) / 2
		return limitsOf(tests, confidence).measure(fewest(tests, p, miss), most(tests, q, miss), m) > claimed
	}
	high := 2
	for !enough(high) {
		if high *= 2; high > mostSamples {
			return 0, fmt.Errorf("audit: %d samples do not show that %v exceeds the claim %v", mostSamples, m(p, q), claimed)
		}
	}
	low := high / 2
	for high-low > 1 {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	// So many, and those that choose the event, which are at most as many.
	all := high + sort.Search(high, func(more int) bool { return high+more-pilot(high+more) >= high })
	return all + all%2, nil
}
