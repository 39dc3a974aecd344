package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/portable"
)

// OneRun bounds epsilon at delta from below, with the given confidence, from a
// single run in which every one of m canaries was in, or was its opposite, by
// an independent fair coin, and where flipping one coin makes neighbouring
// inputs. statistics, one for each canary, are large where its coin was more
// likely true. The guesses canaries with the largest |statistic| are guessed;
// guesses must not depend on the run.
func OneRun(statistics []float64, coins []bool, guesses int, delta, confidence float64) (float64, error) {
	m := len(statistics)
	if len(coins) != m {
		return 0, fmt.Errorf("audit: %d coins for %d canaries", len(coins), m)
	}
	if guesses < 1 || guesses > m {
		return 0, fmt.Errorf("audit: %d guesses about %d canaries; want 1 to as many", guesses, m)
	}
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	// The surest first. Canaries that are not guessed cost nothing: guessing all of them
	// would dilute the sure guesses with coin flips.
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(statistics[j]), math.Abs(statistics[i])) })
	right := 0
	for _, i := range order[:guesses] {
		if (statistics[i] > 0) == coins[i] {
			right++
		}
	}
	return OneRunEpsilon(m, guesses, right, delta, confidence)
}

// OneRunMu bounds the mu of Gaussian differential privacy from below, with the given
// confidence, from a run as for OneRun, but with statistics that are independent given the
// coins, each with the same law for every canary. Then one run of m canaries is m runs of one:
// the chance that the statistic is above 0 on either side has Clopper-Pearson limits, each at
// half of the error, as in LowerBound, of which no half is needed to choose the event. Nothing
// else is assumed of the noise. Independent noise on a coordinate a canary has such
// statistics. The outputs of a network that has learned from canaries have not. OneRun is for
// those: it rests on the coins alone, and gives less.
func OneRunMu(statistics []float64, coins []bool, confidence float64) (float64, error) {
	if len(coins) != len(statistics) {
		return 0, fmt.Errorf("audit: %d coins for %d canaries", len(coins), len(statistics))
	}
	if err := checkConfidence(confidence); err != nil {
		return 0, err
	}
	var above, all [2]int // by coin
	for i, coin := range coins {
		side := 0
		if coin {
			side = 1
		}
		all[side]++
		if statistics[i] > 0 {
			above[side]++
		}
	}
	if all[0] == 0 || all[1] == 0 {
		return 0, nil
	}
	miss := (1 - confidence) / 2
	return max(0, Mu()(LowerLimit(above[1], all[1], miss), UpperLimit(above[0], all[0], miss))), nil
}

// OneRunEpsilon returns the lower bound on epsilon at delta that right of
// guesses guesses about m canaries give: the largest epsilon under which so many
// would have chance at most 1 - confidence (Steinke, Nasr, Jagielski 2023,
// "Privacy Auditing with One (1) Training Run", theorem 5.2 and appendix D).
func OneRunEpsilon(m, guesses, right int, delta, confidence float64) (float64, error) {
	if !(0 <= right && right <= guesses && guesses <= m) {
		return 0, fmt.Errorf("audit: %d right of %d guesses about %d canaries", right, guesses, m)
	}
	if !(delta >= 0 && delta < 1) {
		return 0, fmt.Errorf("audit: delta = %v is not in [0, 1)", delta)
	}
	if err := checkConfidence(confidence); err != nil {
		return 0, err
	}
	refuted := func(epsilon float64) bool {
		return chanceOfGuesses(m, guesses, right, epsilon, delta) <= 1-confidence
	}
	if !refuted(0) {
		return 0, nil
	}
	// The chance of so many right guesses grows with epsilon: double until it is
	// possible, then bisect. low is always refuted, so that the answer is a lower bound.
	low, high := 0.0, 1.0
	for refuted(high) {
		low, high = high, 2*high
	}
	for high-low > 1e-9*high {
		if middle := low + float64((high-low)/2); refuted(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// chanceOfGuesses bounds the chance of right or more right guesses under (epsilon, delta):
// with f(v) the chance of v or more successes of randomized response, f(right) + 2 m delta
// max_i (f(right-i) - f(right))/i.
func chanceOfGuesses(m, guesses, right int, epsilon, delta float64) float64 {
	// Under pure epsilon the best guesser is right as often as randomized response tells
	// the truth.
	truth := 1 / (1 + portable.Exp(-epsilon))
	base := atLeast(right, guesses, truth)
	if delta == 0 {
		return base
	}
	var steepest float64
	for i := 1; i <= right; i++ {
		steepest = max(steepest, (atLeast(right-i, guesses, truth)-base)/float64(i))
	}
	return min(1, base+float64(2*float64(m)*delta*steepest))
}
