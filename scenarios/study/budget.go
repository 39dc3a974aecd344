package study

import (
	"fmt"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
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
	planned, within, err := plannedTotal(p, steps, budget, nil)
	return planned.Loss(), within, err
}

// plannedTotal is the total of those releases, as the observer of an account learns of
// them; nil is what is paid.
func plannedTotal(p *Plan, steps int, budget accountant.Loss, a *ledger.Account) (total accountant.Total, within int, err error) {
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
		_, within, err := plannedTotal(p, steps, b.Limit(), nil)
		if err != nil {
			return accountant.Loss{}, err
		}
		steps = within
	}
	total, _, err := plannedTotal(p, steps, accountant.NotPrivate(), nil)
	return ledger.Stated(&total, b.StatedDelta()), err
}

// limitedAccount is the one that a budget limits; nil where it names none.
func limitedAccount(b *ledger.BudgetSection, p *Plan) (*ledger.Account, error) {
	if b.Observer == "" {
		return nil, nil
	}
	return AccountOf(p, b.Observer)
}

// checkBudget refuses an arm whose planned loss exceeds its budget, if that is
// what the budget says, and an observer whose knowledge cannot be limited.
func checkBudget(arm *Arm) error {
	b, p := arm.File.Budget, &arm.Algorithm
	if b == nil || p.Loss == nil { // the algorithm could not be built
		return nil
	}
	a, err := limitedAccount(b, p)
	if err != nil {
		return document.At("budget.observer", "%s", err)
	}
	if !b.Limits() {
		return nil
	}
	if p.Budgeted {
		return checkPlannedObserver(arm)
	}
	if b.On == ledger.BudgetRefuse {
		return checkRefused(arm, a)
	}
	return nil
}

// checkRefused refuses an arm whose planned releases exceed its budget.
func checkRefused(arm *Arm, a *ledger.Account) error {
	b, p := arm.File.Budget, arm.Algorithm
	// A check of a file must be quick: the exact loss of some mechanisms takes seconds to
	// compute.
	if p.Unprepared != nil {
		p.Loss = p.Unprepared
	}
	total, within, err := plannedTotal(&p, arm.File.Horizon, b.Limit(), a)
	if err != nil {
		return document.At("budget", "%v", err)
	}
	if within == arm.File.Horizon {
		return nil
	}
	text := "no step is within the budget"
	if within > 0 {
		text = fmt.Sprintf("step %d is the last within the budget", p.FirstStep+within-1)
	}
	planned := fmt.Sprintf("a loss of %s", ledger.Stated(&total, b.Delta))
	if !total.Private() {
		planned = "an infinite loss"
	}
	if a != nil {
		planned += fmt.Sprintf(" by what observer %s sees,", a.Observer)
	}
	return document.At("budget.epsilon", "the releases of %d steps have %s a node, over the budget of %s; %s",
		arm.File.Horizon, planned, b.Limit(), text)
}

// checkPlannedObserver refuses the observer of a budget that the algorithm plans
// with itself, where that observer sees what the plan leaves out: raw statistics.
// All else that the plan counts is seen by everybody.
func checkPlannedObserver(arm *Arm) error {
	b, p := arm.File.Budget, &arm.Algorithm
	if b.Observer == "" {
		return nil
	}
	for k := range arm.File.Horizon {
		if step := p.FirstStep + k; !p.Loss(step).Private() {
			return document.At("budget.observer", "what %s sees from step %d on is not private, and no budget limits it; leave the observer out for a budget of what is paid for", b.Observer, step)
		}
	}
	return nil
}

// BudgetNotes says what the budget of an arm comes to.
func BudgetNotes(arm *Arm) []Note {
	b := arm.File.Budget
	if !b.Limits() || arm.Algorithm.Budgeted {
		return nil
	}
	a, err := limitedAccount(b, &arm.Algorithm)
	if err != nil {
		return nil // the scenario was refused for it
	}
	_, within, err := plannedTotal(&arm.Algorithm, arm.File.Horizon, b.Limit(), a)
	if err != nil {
		return []Note{{"budget", err.Error()}}
	}
	value := fmt.Sprintf("%s a node", b.Limit())
	if a != nil {
		value += fmt.Sprintf(" by what observer %s sees", a.Observer)
	}
	if within < arm.File.Horizon {
		return []Note{{"budget", fmt.Sprintf("%s; it pays for %d of %d steps", value, within, arm.File.Horizon)}}
	}
	return []Note{{"budget", value + "; it pays for all steps"}}
}

// StopWarnings say which nodes ended their part in a job and when: a warning
// for all nodes that did so in one step for one reason.
func StopWarnings(arm *Arm, seed uint64, stops []gauge.Stop) (warnings []results.Warning) {
	// One warning for each group of nodes that stopped alike. Thousands of nodes mostly
	// stop in one step.
	for len(stops) > 0 {
		first := stops[0]
		alike := func(s gauge.Stop) bool { return s.Step == first.Step && s.Reason == first.Reason }
		count := 0
		for _, s := range stops {
			if alike(s) {
				count++
			}
		}
		who := fmt.Sprintf("%d of %d nodes ended their", count, arm.File.Nodes)
		switch count {
		case 1:
			who = fmt.Sprintf("node %d ended its", int(first.Node)+arm.Algorithm.FirstLabel)
		case arm.File.Nodes:
			who = fmt.Sprintf("all %d nodes ended their", count)
		}
		warnings = append(warnings, results.Warning{Code: "stopped", Arm: arm.Name,
			Message: fmt.Sprintf("seed %d: %s part at step %d: %s", seed, who, first.Step, first.Reason)})
		stops = slices.DeleteFunc(slices.Clone(stops), alike)
	}
	return warnings
}
