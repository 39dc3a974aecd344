package accounts

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// ModelCosts returns the loss of the data by the model of a job that has run, to anybody that
// sees the model: of the unit that loses the most, with the loss by the start.
func ModelCosts(arm *study.Arm, l *ledger.Ledger) (string, error) {
	p, trained := &arm.Privacy, study.TrainedModelOf(arm)
	a, err := study.AccountOf(p, accountant.Public)
	if err != nil {
		return "", err
	}
	own := ledger.Cost{
		Data: trained.Data, Digest: trained.Digest, Unit: a.Unit, Neighbours: a.Neighbours, Relation: string(a.Relation),
		Observer: string(a.Observer), Definition: string(accountant.NoPrivacy),
	}
	var others []ledger.Cost
	known := p.Before
	if known != nil {
		others = known.Others
		if known.Unknown {
			known = nil // it is stated separately
		}
	}
	worst, epsilon, err := a.Worst(l, known)
	if err != nil {
		return "", err
	}
	if !math.IsInf(epsilon, 1) {
		own.Definition, own.Total = string(worst.Definition(a.By)), &worst
		own.Epsilon, own.Delta, own.Accountant = epsilon, a.Delta, a.By
		if a.Converted { // the total is of payments, which are for other neighbours
			own.Relation, own.Neighbours = string(accountant.AddOrRemove), a.PaidFor
			if own.Epsilon, err = ledger.EpsilonOf(worst, a.Delta, a.By); err != nil {
				return "", err
			}
		}
	}
	return ledger.EncodeCosts(append([]ledger.Cost{own}, others...))
}
