package selection

import (
	"fmt"
	"math"
	"math/rand/v2"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// AboveThreshold tells of one query after another whether it is above a
// threshold, until the first that is (Dwork, Roth 2014, algorithm 1). Arm
// draws the noisy threshold and pays for everything up to and including that
// first positive answer; then it must be armed again.
type AboveThreshold struct {
	Threshold float64
	// ThresholdScale and QueryScale are the scales of the Laplace noise of the
	// threshold and of each query, >= 0. The choice of the paper's algorithm 1
	// for epsilon and sensitivity 1 is 2/epsilon and 4/epsilon.
	ThresholdScale, QueryScale float64
	// Monotone states that a neighbouring input moves all queries of one
	// arming in the same direction, which halves what the queries cost.
	Monotone bool
}

// Validate refuses scales that are negative, infinite or NaN, and a threshold
// that is no finite number.
func (a AboveThreshold) Validate() error {
	if math.IsNaN(a.Threshold) || math.IsInf(a.Threshold, 0) {
		return fmt.Errorf("above threshold: threshold %v is not a finite number", a.Threshold)
	}
	if err := checkScale("above threshold, threshold", a.ThresholdScale); err != nil {
		return err
	}
	return checkScale("above threshold, query", a.QueryScale)
}

// Loss is the cost of one arming where a neighbouring input moves no query by
// more than sensitivity: sensitivity/ThresholdScale for the threshold and
// 2 sensitivity/QueryScale for the one positive answer, or half of the latter
// for monotone queries; the negative answers are free, however many (Lyu, Su,
// Li 2017, theorems 2 and 3, for one positive answer).
func (a AboveThreshold) Loss(sensitivity float64) accountant.Loss {
	threshold := loss(sensitivity, a.ThresholdScale, true)
	return threshold.Compose(loss(sensitivity, a.QueryScale, a.Monotone))
}

// Arm returns a newly drawn noisy threshold, after pay has accepted the loss
// for the given sensitivity of the queries. It is secret: what a caller
// publishes are the answers. It takes one 64-bit draw. An error of pay is
// returned as it is, with nothing drawn.
func (a AboveThreshold) Arm(r *rand.Rand, sensitivity float64, pay func(accountant.Loss) error) (noisy float64, err error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if err := pay(a.Loss(sensitivity)); err != nil {
		return 0, err
	}
	return a.Threshold + float64(a.ThresholdScale*noise.Standard(r)), nil
}

// Above tells whether the query, with noise of its own, exceeds the noisy
// threshold that Arm returned. It takes one 64-bit draw. After true the noisy
// threshold is used up.
func (a AboveThreshold) Above(noisy, query float64, r *rand.Rand) bool {
	return query+float64(a.QueryScale*noise.Standard(r)) > noisy
}
