package arms

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// checkBudget refuses an arm if its planned loss exceeds its budget and the budget is to
// refuse it. It also refuses an observer to which the loss cannot be limited.
func checkBudget(arm *study.Arm) error {
	b, p := arm.File.Budget, &arm.Privacy
	if b == nil {
		return nil
	}
	budget, err := study.LimitOf(b, p)
	switch {
	case err != nil:
		return document.At("budget.observer", "%s", err)
	case !b.Limits():
		return nil
	case p.Budgeted:
		return checkPlannedObserver(arm, p.Loss)
	case b.On == ledger.BudgetRefuse, b.On == ledger.BudgetSpread:
		return checkRefused(arm, budget)
	case budget.Account().Bound != nil:
		return checkPlannedObserver(arm, budget.Account().Bound)
	}
	return nil
}

// checkRefused refuses an arm if its planned releases exceed its budget.
func checkRefused(arm *study.Arm, budget *ledger.Budget) error {
	b, rounded := arm.File.Budget, *arm
	// A check of a file must be quick: the exact loss of some mechanisms takes seconds to
	// compute.
	if quick := arm.Privacy.Unprepared; quick != nil {
		rounded.Privacy.Loss = quick
	}
	total, within, err := study.PlannedTotal(&rounded, arm.File.Horizon, budget)
	if err != nil {
		return document.At("budget", "%v", err)
	}
	if within == arm.File.Horizon {
		return nil
	}
	text := "no step is within the budget"
	if within > 0 {
		text = fmt.Sprintf("step %d is the last within the budget", arm.Extent.FirstStep+within-1)
	}
	planned := fmt.Sprintf("a loss of %s", ledger.Stated(&total, b.Delta))
	if !total.Private() {
		planned = "an infinite loss"
	}
	if b.Observer != "" {
		planned += fmt.Sprintf(" by what observer %s sees,", b.Observer)
	}
	return document.At("budget.epsilon", "the releases of %d steps have %s a node, over the budget of %s; %s",
		arm.File.Horizon, planned, b.Loss(), text)
}

// checkPlannedObserver refuses the observer of a budget that is to stop the run, if the loss
// to that observer up to a step, or in it, is not private. Such an observer sees messages
// without payment: raw statistics, for example, or the messages of clients to a trusted
// server. learns returns the loss.
func checkPlannedObserver(arm *study.Arm, learns func(step int) accountant.Loss) error {
	b := arm.File.Budget
	if b.Observer == "" {
		return nil
	}
	for k := range arm.File.Horizon {
		if step := arm.Extent.FirstStep + k; !learns(step).Private() {
			return document.At("budget.observer", "the view of %s from step %d on is not private, and no budget limits it; leave the observer out for a budget of the payments for", b.Observer, step)
		}
	}
	return nil
}
