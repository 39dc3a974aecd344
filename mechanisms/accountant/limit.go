package accountant

import "errors"

// ErrBudget is wrapped by the error that refuses a release because a privacy
// budget does not pay for it.
var ErrBudget = errors.New("the privacy budget is spent")

// budgetSlack is the relative rounding that a sum of losses may have and still
// count as equal to a budget.
const budgetSlack = 1e-12

// Within tells whether the loss is at most a budget, part by part. A sum that
// only rounding takes beyond the budget is within it, and everything is within
// a budget that is not private. It converts nothing: Gaussian noise is never
// within a pure budget, however little it costs.
func (l Loss) Within(budget Loss) bool {
	if !budget.Private() {
		return true
	}
	atMost := func(part, limit float64) bool { return part <= limit*(1+budgetSlack) }
	return atMost(l.Epsilon, budget.Epsilon) && atMost(l.Delta, budget.Delta) && atMost(l.Rho, budget.Rho) &&
		(l.Sampled == SampledGaussian{} || l.Sampled == budget.Sampled)
}

// Within tells whether the total is within a budget. Without a delta in it that is
// Loss.Within of the sum; with one, what counts is Total.Epsilon at it by PLD, so
// that pure releases are within it by basic or by advanced composition. The latter
// is of releases whose number is fixed beforehand: the budget may end them early
// only where their losses, and so the end, depend on no data.
func (t *Total) Within(budget Loss) bool {
	if budget.Delta == 0 || !budget.Private() || !t.Private() {
		return t.Loss().Within(budget)
	}
	epsilon, err := t.Epsilon(budget.Delta, PLD)
	return err == nil && Loss{Epsilon: epsilon}.Within(Loss{Epsilon: budget.Epsilon})
}
