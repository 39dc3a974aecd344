package study

import (
	"errors"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
)

// BudgetOf returns the budget of an arm; nil if there is no limit to hold it to. An algorithm
// that plans with the budget keeps to it by itself. Bounds that grow were planned for when the
// arm was checked, as no node can stop in the algorithms that have them.
func BudgetOf(arm *Arm) *ledger.Budget {
	b, p := arm.File.Budget, &arm.Privacy
	if !b.Limits() || p.Budgeted || p.Growing {
		return nil
	}
	budget, err := LimitOf(b, p)
	if err != nil {
		return nil // the check of the arm, which comes after this, refuses it for the same error
	}
	return budget
}

// OwnBudgets finds the budgets of an arm whose nodes have their own. The extent, the privacy and the
// graphs of the arm are known. The error has all faults of the section, each at its place.
func OwnBudgets(b *Builder, arm *Arm, doc *document.Document) error {
	budget, p, at := arm.File.Budget, &arm.Privacy, arm.Site(b)
	if budget == nil || !budget.Groups.Any() {
		limitAtOwnDeltas(arm)
		return nil
	}
	section, _ := doc.Find("budget")
	at.Section = section
	if err := budget.Groups.Check(); err != nil {
		return section.Resolve(err)
	}
	switch {
	case budget.On != ledger.BudgetStop:
		return document.At("budget.groups", "budgets of their own end the part of nodes one by one; want on: %s", ledger.BudgetStop)
	case p.Budgeted:
		return document.At("budget.groups", "this algorithm plans its releases with the budget by itself: there is one for all")
	case p.Together:
		return document.At("budget.groups", "a server adds the noise, and pays for all clients at once: they have one budget")
	case p.Growing:
		return document.At("budget.groups", "nobody can stop in this algorithm: there is one budget for all")
	}
	of, err := budget.Groups.Assign(&at, float64(budget.Epsilon))
	if err != nil {
		return section.Resolve(err)
	}
	budget.Own = ownEpsilons(arm, of.Epsilons)
	return nil
}

// limitAtOwnDeltas limits the loss of each unit at its own delta, where the mechanism has deltas of units
// and the budget has none.
func limitAtOwnDeltas(arm *Arm) {
	budget := arm.File.Budget
	if budget == nil || len(arm.Privacy.Accounts) == 0 || arm.Privacy.Accounts[0].Own == nil {
		return
	}
	epsilons := slices.Repeat([]float64{float64(budget.Epsilon)}, len(arm.Privacy.Accounts[0].Own.Deltas))
	budget.Own = ownEpsilons(arm, epsilons)
}

// ownEpsilons are the budgets of units, from 0, each at the delta at which its loss is stated, where units
// have their own.
func ownEpsilons(arm *Arm, epsilons []float64) *ledger.OwnEpsilons {
	own := &ledger.OwnEpsilons{Epsilons: epsilons}
	if arm.Extent.Server {
		own.First = 1
	}
	if accounts := arm.Privacy.Accounts; len(accounts) > 0 && accounts[0].Own != nil {
		own.Deltas = accounts[0].Own.Deltas
	}
	return own
}

// LimitOf returns the budget of the account that the section budget limits: the named observer's, or the
// account of payments. The promise of a budget, the stops that it causes and the notes on it
// are by this account. The error is for an observer that the algorithm does not have.
func LimitOf(b *ledger.BudgetSection, p *Privacy) (*ledger.Budget, error) {
	if b.Groups.Any() && b.Own == nil {
		return nil, errors.New("the budgets of groups are not known")
	}
	if b.Observer != "" {
		a, err := AccountOf(p, b.Observer)
		if err != nil {
			return nil, err
		}
		return b.Limit(*a), nil
	}
	return b.Limit(paidOf(p)), nil
}

// paidOf returns the account of payments, as the first account states it.
func paidOf(p *Privacy) ledger.Account {
	if len(p.Accounts) == 0 {
		return ledger.Account{By: accountant.PLD, Before: p.Before}
	}
	a := p.Accounts[0]
	a.Observer, a.Worth, a.Bound, a.Guarantee = "", nil, nil, nil
	return a
}

// PlannedLoss returns the loss of a node's releases over the first steps of an arm, and the number
// of first steps that a budget pays for. The losses are added in the order in which they are
// paid.
func PlannedLoss(arm *Arm, steps int, budget accountant.Loss) (total accountant.Loss, within int, err error) {
	planned, within, err := PlannedTotal(arm, steps, ledger.NewBudget(budget, paidOf(&arm.Privacy)))
	return planned.Loss(), within, err
}

// PlannedTotal returns the total of those releases, as the loss to the observer of the budget's
// account, and the number of steps that the budget allows.
func PlannedTotal(arm *Arm, steps int, budget *ledger.Budget) (total accountant.Total, within int, err error) {
	// The order and the account are the same as in a run: the two may not disagree in the last
	// bit about which step is the last.
	a, p := budget.Account(), &arm.Privacy
	total = a.Before.Added(total)
	for k := range steps {
		step := arm.Extent.FirstStep + k
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
		allowed, err := budget.Allows(&total)
		if err != nil {
			return total, within, err
		}
		if allowed {
			within = k + 1
		}
	}
	return total, within, nil
}

// PlannedLossOf returns the planned loss of a node, as one: of all steps, or, if the budget
// ends a node's part, of the steps that it pays for.
func PlannedLossOf(arm *Arm) (accountant.Loss, error) {
	p, b, steps := &arm.Privacy, arm.File.Budget, arm.File.Horizon
	if b.Limits() && b.On == ledger.BudgetStop && !p.Budgeted {
		budget, err := LimitOf(b, p)
		if err != nil {
			return accountant.Loss{}, err
		}
		if _, steps, err = PlannedTotal(arm, steps, budget); err != nil {
			return accountant.Loss{}, err
		}
	}
	total, _, err := PlannedTotal(arm, steps, ledger.NewBudget(accountant.NotPrivate(), paidOf(p)))
	return ledger.Stated(&total, b.StatedDelta(0)), err
}
