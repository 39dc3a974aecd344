package fedsvt

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
)

// The protected unit is one loss of one client at one step. It is in the queries of one arming
// of the threshold only, between two switches, so all armings together cost it as much as one;
// and it is in the scores of every switch after it. A loss of the first block has the largest
// privacy loss. The server therefore spends one arming, at the start, and every switch.
//
// The queries of one arming are running totals, for the expert stays between switches: one
// loss of that expert moves none of them until its block ends, and then all by the same
// amount. An arming therefore costs the larger of eps/4, the cost of its threshold, and eps/8,
// the cost of its positive answer (selection.AboveThreshold), and not the eps/2 of general
// queries that the proof of Theorem 4 takes: eps/4 + kappa eta in place of eps/2 + kappa eta.

// spentBefore pays nothing for the armings after the first: they concern other losses.
func spentBefore(accountant.Loss) error { return nil }

// Accounted computes the account: an arming, and as many draws of the exponential mechanism as
// there can be switches, at most ceil(kappa) and the number of exchanges. It returns the
// errors of Validate.
func Accounted(o *Options) (algorithm.StarAccount, error) {
	schedule, err := NewSchedule(o)
	if err != nil {
		return algorithm.StarAccount{}, err
	}
	a := algorithm.StarAccount{Claimed: accountant.Loss{Epsilon: o.Epsilon, Delta: o.Delta}}
	if schedule.Exchanges() == 0 {
		return a, nil // nothing that depends on losses is ever sent
	}
	a.Wire = accountant.NotPrivate()
	switches := int(min(math.Ceil(o.Parameters().Kappa), float64(schedule.Exchanges())))
	a.Public, err = o.Loss(switches)
	return a, err
}

// Loss is the loss of the decisions once an expert has been drawn that many times: an arming,
// and the draws, composed at Delta. The options must be valid.
func (o *Options) Loss(switches int) (accountant.Loss, error) {
	s := &shared{Options: *o, derived: o.Parameters()}
	drawn, err := algorithm.ComposeReleases(s.exponential().Loss(sensitivity).Epsilon, switches, o.Delta)
	if err != nil {
		return accountant.Loss{}, err
	}
	return s.threshold().Loss(sensitivity).Compose(accountant.Loss{Epsilon: drawn, Delta: o.Delta}), nil
}

// Prices are the losses that the server pays for its one arming, and for every draw of an
// expert. The options must be valid.
func (o *Options) Prices() (arming, draw accountant.Loss) {
	s := &shared{Options: *o, derived: o.Parameters()}
	return s.threshold().Loss(sensitivity), s.exponential().Loss(sensitivity)
}

// Warnings are notes on the claim for readers of results: where the accounted loss exceeds it,
// and why.
func Warnings(o *Options) ([]string, error) {
	a, err := Accounted(o)
	if err != nil {
		return nil, err
	}
	// A claim that is reached in full is a sum of many terms.
	const rounding = 1e-12
	if a.Public.Epsilon <= a.Claimed.Epsilon*(1+rounding) {
		return nil, nil
	}
	cause := "eta = eps/sqrt(kappa log(1/delta)) is too large for the composition of the switches"
	if o.Variant == Pure {
		cause = "kappa is not whole, and ceil(kappa) switches can happen"
	}
	return []string{fmt.Sprintf("the decisions cost epsilon = %.6g, more than the %v that is claimed: %s", a.Public.Epsilon, a.Claimed.Epsilon, cause)}, nil
}
