package study

import (
	"starling/mechanisms/accountant"
	"starling/scenarios/ledger"
)

// PurseOf is the purse of an arm. An algorithm that plans with the budget keeps to
// it by itself, and bounds that grow were planned for when the arm was checked, for
// nobody can stop in the algorithms that have them.
func PurseOf(arm *Arm) *ledger.Purse {
	b, p := arm.File.Budget, &arm.Algorithm
	if !b.Limits() || p.Budgeted || p.Growing {
		return nil
	}
	return ledger.NewPurse(b.Limit(), p.Before, newLimit(p, b.Limit()))
}

// newLimit holds totals to a budget by the accountant of the algorithm.
func newLimit(p *Plan, budget accountant.Loss) *accountant.Limit {
	by := accountant.PLD
	if len(p.Accounts) > 0 {
		by = p.Accounts[0].By
	}
	return accountant.NewLimit(budget, by)
}

// PlannedLoss is the loss of a node's releases over the steps of a plan, and
// how many of the first steps a budget pays for. The losses are added in the
// order in which they are paid.
func PlannedLoss(p *Plan, steps int, budget accountant.Loss) (total accountant.Loss, within int, err error) {
	planned, within, err := PlannedTotal(p, steps, budget, nil)
	return planned.Loss(), within, err
}

// PlannedTotal is the total of those releases, as the observer of an account learns of
// them; nil is what is paid.
func PlannedTotal(p *Plan, steps int, budget accountant.Loss, a *ledger.Account) (total accountant.Total, within int, err error) {
	// The same order, and the same accountant, as in a run: the two may not disagree in
	// the last bit about which step is the last.
	limit := newLimit(p, budget)
	total = p.Before.Added(total)
	for k := range steps {
		switch loss := p.Loss(p.FirstStep + k); {
		case a != nil && a.Bound != nil:
			total = a.Bound(p.FirstStep + k).Total()
		case p.Growing:
			total.Grow(loss)
		default:
			total.Add(loss)
		}
		if within < k {
			continue // and more is not within either
		}
		allowed, err := limit.Allows(&total)
		if err != nil {
			return total, within, err
		}
		if allowed {
			within = k + 1
		}
	}
	return total, within, nil
}

// PlannedLossOf is the planned loss of a node, as one: of all steps, or of those that a
// budget pays for where it ends a node's part.
func PlannedLossOf(arm *Arm) (accountant.Loss, error) {
	p, b, steps := &arm.Algorithm, arm.File.Budget, arm.File.Horizon
	if b.Limits() && b.On == ledger.BudgetStop && !p.Budgeted {
		_, within, err := PlannedTotal(p, steps, b.Limit(), nil)
		if err != nil {
			return accountant.Loss{}, err
		}
		steps = within
	}
	total, _, err := PlannedTotal(p, steps, accountant.NotPrivate(), nil)
	return ledger.Stated(&total, b.StatedDelta()), err
}

// LimitedAccount is the one that a budget limits; nil where it names none.
func LimitedAccount(b *ledger.BudgetSection, p *Plan) (*ledger.Account, error) {
	if b.Observer == "" {
		return nil, nil
	}
	return AccountOf(p, b.Observer)
}
