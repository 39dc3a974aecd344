package accountant

import (
	"fmt"
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// PureComposition returns the least epsilon that the theorems here give for
// steps releases of a pure epsilon each, adaptively chosen, at delta: basic
// composition, which holds at delta = 0 too, or advanced composition where it
// is smaller. steps >= 0, delta in [0, 1).
func PureComposition(epsilon float64, steps int, delta float64) (float64, error) {
	if delta == 0 {
		return BasicComposition(epsilon, steps)
	}
	basic, err := BasicComposition(epsilon, steps)
	if err != nil {
		return 0, err
	}
	advanced, err := AdvancedComposition(epsilon, steps, delta)
	return min(basic, advanced), err
}

// BasicComposition returns steps times epsilon (Dwork, Roth 2014, theorem
// 3.16).
func BasicComposition(epsilon float64, steps int) (float64, error) {
	if err := checkReleases(epsilon, steps); err != nil {
		return 0, err
	}
	if steps == 0 {
		return 0, nil
	}
	return float64(steps) * epsilon, nil
}

// AdvancedComposition returns k epsilon (e^epsilon - 1) + epsilon sqrt(2 k
// ln(1/delta)) for k = steps (Dwork, Rothblum, Vadhan 2010, theorem III.3).
// It is smaller than the sum k epsilon only where epsilon is small and k large, about k >
// 2 ln(1/delta): callers take the minimum of both, as PureComposition does. delta in (0,
// 1).
func AdvancedComposition(epsilon float64, steps int, delta float64) (float64, error) {
	if err := checkReleases(epsilon, steps); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	k := float64(steps)
	if k == 0 || epsilon == 0 {
		return 0, nil
	}
	return float64(k*epsilon*portable.Expm1(epsilon)) + float64(epsilon*math.Sqrt(-2*k*portable.Log(delta))), nil
}

// OptimalComposition returns the least epsilon that holds at delta for every composition of
// steps releases of a pure epsilon each (Kairouz, Oh, Viswanath 2015, theorem 3.3): the
// composition of randomized responses. Their loss is (k - 2i) epsilon with the binomial
// probability of i lies. It takes O(sqrt(steps) ln(1/delta)) above a few thousand steps, and
// is then an upper bound sharp to rounding.
func OptimalComposition(epsilon float64, steps int, delta float64) (float64, error) {
	if err := checkReleases(epsilon, steps); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	if math.IsInf(epsilon, 1) && steps > 0 {
		return epsilon, nil
	}
	// From the largest loss down, delta at each loss l is computed from delta at the next
	// larger: from the chance, and the likelihood ratio's mass, of the losses above.
	k, target := float64(steps), portable.Log(delta)
	// One randomized response tells the truth with probability e^epsilon/(1 + e^epsilon)
	// and lies with 1/(1 + e^epsilon).
	logLie, logTruth := -numeric.Log1pExp(epsilon), -numeric.Log1pExp(-epsilon)
	logDelta, above := math.Inf(-1), math.Inf(-1) // ln delta(l), ln of the neighbour's mass above l, times e^l
	var logBinomial float64
	// The first losses, of very few lies, are so unlikely that they may be skipped: their
	// share of delta is added as a whole.
	first := 0
	if first = negligibleLies(epsilon, steps, target); first > 0 {
		logBinomial, logDelta = numeric.LogChoose(k, float64(first))+float64(k*0x1p-50), target-negligibleLog
		above = logDelta
	}
	for i := first; i <= steps; i++ {
		loss := float64((k - 2*float64(i)) * epsilon)
		mass := logBinomial + float64(float64(i)*logLie) + float64((k-float64(i))*logTruth)
		// mass is ln P(exactly i lies): C(k, i) times the chances of i lies and k - i
		// truths.
		above = numeric.LogAdd(above, mass)
		// One grid step further down, at loss - 2 epsilon, delta has grown by
		// above (1 - e^(-2 epsilon)); in between it is linear in e^l.
		gain := above + portable.Log(-portable.Expm1(-2*epsilon))
		if next := numeric.LogAdd(logDelta, gain); next > target {
			fall := portable.Exp(numeric.LogSub(target, logDelta) - above) // 1 - e^(l - loss)
			return max(0, min(loss, loss+portable.Log1p(-fall))), nil
		} else if loss <= 0 {
			return 0, nil
		} else {
			logDelta = next
		}
		// above is in units of e^l. The next loss is 2 epsilon smaller, and so is its
		// unit.
		above -= 2 * epsilon
		logBinomial += portable.Log(k-float64(i)) - portable.Log(float64(i)+1)
	}
	return 0, nil
}

// fewReleases is the largest number of releases that are composed from the largest loss down.
const fewReleases = 4096

// negligibleLog is -ln of the share of delta that the largest losses may have
// without being looked at.
const negligibleLog = 40

// negligibleLies returns a number of lies. All losses of fewer lies together have at most
// exp(-negligibleLog) of delta, by Hoeffding's inequality. It is 0 for few releases.
func negligibleLies(epsilon float64, steps int, logDelta float64) int {
	if steps <= fewReleases || epsilon == 0 {
		return 0
	}
	k := float64(steps)
	loss := float64(k*epsilon*portable.Tanh(epsilon/2)) + float64(epsilon*math.Sqrt(2*k*(negligibleLog-logDelta)))
	return max(0, int((k-loss/epsilon)/2))
}

func checkReleases(epsilon float64, steps int) error {
	if !(epsilon >= 0) {
		return fmt.Errorf("epsilon = %v is not a number >= 0", epsilon)
	}
	if steps < 0 {
		return fmt.Errorf("steps = %d is below 0", steps)
	}
	return nil
}
