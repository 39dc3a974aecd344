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
	purse, err := LimitOf(b, p)
	if err != nil {
		return nil // the check of the arm, which comes after this, refuses it for the same error
	}
	return purse
}

// LimitOf is what a budget limits: the account of the observer that it names, or of what is
// paid. What is promised of a budget, what it stops and what is told of it are by this
// account. The error is of an observer that nobody is.
func LimitOf(b *ledger.BudgetSection, p *Plan) (*ledger.Purse, error) {
	if b.Observer != "" {
		a, err := AccountOf(p, b.Observer)
		if err != nil {
			return nil, err
		}
		return ledger.NewPurse(b.Limit(), *a), nil
	}
	return ledger.NewPurse(b.Limit(), paidOf(p)), nil
}

// paidOf is the account of what is paid, as the first account states it.
func paidOf(p *Plan) ledger.Account {
	if len(p.Accounts) == 0 {
		return ledger.Account{By: accountant.PLD, Before: p.Before}
	}
	a := p.Accounts[0]
	a.Observer, a.Worth, a.Bound, a.Guarantee = "", nil, nil, nil
	return a
}

// PlannedLoss is the loss of a node's releases over the steps of a plan, and
// how many of the first steps a budget pays for. The losses are added in the
// order in which they are paid.
func PlannedLoss(p *Plan, steps int, budget accountant.Loss) (total accountant.Loss, within int, err error) {
	planned, within, err := PlannedTotal(p, steps, ledger.NewPurse(budget, paidOf(p)))
	return planned.Loss(), within, err
}

// PlannedTotal is the total of those releases as the observer of the account learns of them
// that a purse limits, and how many of the steps it allows.
func PlannedTotal(p *Plan, steps int, purse *ledger.Purse) (total accountant.Total, within int, err error) {
	// The same order, and the same account, as in a run: the two may not disagree in the
	// last bit about which step is the last.
	a := purse.Account()
	total = a.Before.Added(total)
	for k := range steps {
		step := p.FirstStep + k
		switch loss := p.Loss(step); {
		case a.Bound != nil:
			total = a.Before.Added(a.Bound(step).Total())
		case p.Growing:
			total.Grow(loss)
		case a.Worth != nil && loss != (accountant.Loss{}):
			total.Add(a.Worth.Most(step, loss))
		default:
			total.Add(loss)
		}
		if within < k {
			continue // and more is not within either
		}
		allowed, err := purse.Allows(&total)
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
		purse, err := LimitOf(b, p)
		if err != nil {
			return accountant.Loss{}, err
		}
		if _, steps, err = PlannedTotal(p, steps, purse); err != nil {
			return accountant.Loss{}, err
		}
	}
	total, _, err := PlannedTotal(p, steps, ledger.NewPurse(accountant.NotPrivate(), paidOf(p)))
	return ledger.Stated(&total, b.StatedDelta(0)), err
}
