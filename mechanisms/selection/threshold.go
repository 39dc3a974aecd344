package selection

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
)

// AboveThreshold reports of one query after another whether it is above a threshold, until the
// first that is (Dwork, Roth 2014, algorithm 1). Arm draws the noisy threshold and pays for
// everything up to and including that first positive answer; then it must be armed again.
type AboveThreshold struct {
	// Threshold is the threshold that queries are compared with, before noise, in their unit.
	Threshold float64
	// ThresholdScale and QueryScale are the scales of the Laplace noise of the
	// threshold and of each query, >= 0. The choice of the paper's algorithm 1
	// for epsilon and sensitivity 1 is 2/epsilon and 4/epsilon.
	ThresholdScale, QueryScale float64
	// Monotone states that a neighbouring input moves all queries of one arming in the same
	// direction, which halves the cost of the queries.
	Monotone bool
	// Cumulative states that the queries of one arming are running totals: a
	// neighbouring input moves all of them from some query on by one and the same
	// amount, and none before it.
	Cumulative bool
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
//
// For cumulative queries it is the larger of sensitivity/ThresholdScale and
// sensitivity/QueryScale. Let the queries q_j move by c from some j on; F is the law of a
// query's noise, z the noisy threshold and p its density, and the answers are negative up to
// one that is positive at k, if any: their probability is the integral over z of p(z), F(z -
// q_j) of every negative answer and 1 - F(z - q_k). If c > 0, every F falls and the last
// factor grows by at most exp(c/QueryScale). If c < 0, substitute z + c for z: the queries
// that moved are as before, the F of every other query falls, and p(z + c) <=
// exp(|c|/ThresholdScale) p(z). Answers that end before j are as likely as they were.
func (a AboveThreshold) Loss(sensitivity float64) accountant.Loss {
	threshold := loss(sensitivity, a.ThresholdScale, true)
	if a.Cumulative {
		query := loss(sensitivity, a.QueryScale, true)
		return accountant.Loss{Epsilon: max(threshold.Epsilon, query.Epsilon)}
	}
	return threshold.Compose(loss(sensitivity, a.QueryScale, a.Monotone))
}

// Arm returns a newly drawn noisy threshold, after pay has accepted the loss for the given
// sensitivity of the queries. It is secret: a caller publishes the answers only. It draws one
// number. An error of pay is returned as it is, with nothing drawn.
func (a AboveThreshold) Arm(r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (noisy float64, err error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if err := pay(a.Loss(sensitivity)); err != nil {
		return 0, err
	}
	return a.Threshold + float64(a.ThresholdScale*r.Laplace()), nil
}

// Above reports whether the query, with noise of its own, exceeds the noisy threshold that Arm
// returned. It draws one number. After true the noisy threshold is used up. The answers have
// the receipt of Standing.
func (a AboveThreshold) Above(noisy, query float64, r *rng.Rand) bool {
	return query+float64(a.QueryScale*r.Laplace()) > noisy
}

// Standing is the receipt of the answers of a threshold that is armed, which Arm
// has paid for.
func (a AboveThreshold) Standing(sensitivity float64) accountant.Receipt {
	return accountant.Standing(a.Loss(sensitivity))
}
