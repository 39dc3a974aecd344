package scenarios

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/results"
)

// budgetAction is what happens when a budget does not last.
type budgetAction string

const (
	// budgetStop lets a node stop before the release that would exceed it.
	budgetStop budgetAction = "stop"
	// budgetRefuse refuses the scenario if the planned releases exceed it.
	budgetRefuse budgetAction = "refuse"
)

func budgetActions() []budgetAction { return []budgetAction{budgetStop, budgetRefuse} }

// budgetSection is a limit on every node's accounted loss over the run: under pure
// differential privacy without a delta, and else as (epsilon, delta), as the ledger
// and the metrics state it. The ledger enforces it, whatever the family. DPDO-NC and online federated learning lose by a
// schedule, so that when a budget ends a node's part tells nothing of its data.
//
// It limits what the observer learns that it names: by the observer's account,
// where raw payloads that it sees count for infinity. Where it names none it
// limits what releases pay for. That is the most that anybody learns but for those
// whom the algorithm trusts with raw data, such as the server of Fed-SVT, against
// whom no budget could be kept.
//
// A node that stops does so in the turn of the release that it cannot pay for:
// it has played that step, sends nothing in it or after it, and plays no more.
// Nothing takes its place. What its neighbours fold is the weighted sum of what
// arrives, from which its share is then missing. In DPDO-NC all nodes have the
// same planned losses, so all of them stop in the same step and no sum is ever
// short of a part.
type budgetSection struct {
	Epsilon epsilonValue `yaml:"epsilon,required" doc:"largest privacy loss of a node over the run, above 0, or none for no limit"`
	Delta   float64      `yaml:"delta" doc:"delta at which losses are compared with epsilon, those of Laplace noise by their privacy loss distributions, or by their sum where that is as good; absent, that of the mechanism in dpfl and ali-dpfl, and 0, at which no Gaussian loss is within it, in others"`
	// Observer is empty where the file names none.
	Observer accountant.Observer `yaml:"observer" doc:"whose knowledge the budget limits: wire, server, peer or public; absent, what releases pay for, which leaves out whom the algorithm trusts with raw data"`
	On       budgetAction        `yaml:"on,required" doc:"what a budget that does not last does: stop ends a node's part before the release that would exceed it, after which it decides as it did last, refuse refuses the scenario"`
}

// limit is the budget as a loss.
func (b *budgetSection) limit() accountant.Loss {
	return accountant.Loss{Epsilon: float64(b.Epsilon), Delta: b.Delta}
}

// delta is that of the budget, 0 where there is none.
func (b *budgetSection) delta() float64 {
	if b == nil {
		return 0
	}
	return b.Delta
}

// purse holds what is paid in the jobs of an arm to its budget; nil is no limit. It
// is safe for concurrent use.
type purse struct {
	budget accountant.Loss
	before *before // of what is paid for in the jobs
	mu     sync.Mutex
	limit  *accountant.Limit // guarded by mu
}

// newPurse holds what is paid, besides what was shown before, to a budget.
func newPurse(budget accountant.Loss, before *before, limit *accountant.Limit) *purse {
	return &purse{budget: budget, before: before, limit: limit}
}

// purseOf is the purse of an arm. An algorithm that plans with the budget keeps to
// it by itself, and bounds that grow were planned for when the arm was checked, for
// nobody can stop in the algorithms that have them.
func purseOf(arm *Arm) *purse {
	b, p := arm.file.Budget, &arm.algorithm
	if !b.limits() || p.budgeted || p.growing {
		return nil
	}
	return newPurse(b.limit(), p.before, p.newLimit(b.limit()))
}

// newLimit holds totals to a budget by the accountant of the algorithm.
func (p *algorithmPlan) newLimit(budget accountant.Loss) *accountant.Limit {
	by := accountant.PLD
	if len(p.accounts) > 0 {
		by = p.accounts[0].by
	}
	return accountant.NewLimit(budget, by)
}

// pay returns an error that wraps accountant.ErrBudget where the budget does not pay
// for one more release.
func (p *purse) pay(paid *accountant.Total, loss accountant.Loss) error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.before.added(*paid)
	after := spent.Clone()
	after.Add(loss)
	within, err := p.limit.Allows(&after)
	if err == nil && !within {
		err = fmt.Errorf("%w: a release of %s after %s is over the budget of %s", accountant.ErrBudget, loss, spent.Loss(), p.budget)
	}
	return err
}

// plannedLoss is the loss of a node's releases over the steps of a plan, and
// how many of the first steps a budget pays for. The losses are added in the
// order in which they are paid.
func (p *algorithmPlan) plannedLoss(steps int, budget accountant.Loss) (total accountant.Loss, within int, err error) {
	planned, within, err := p.learned(steps, budget, nil)
	return planned.Loss(), within, err
}

// learned is the total of those releases, as the observer of an account learns of
// them; nil is what is paid.
func (p *algorithmPlan) learned(steps int, budget accountant.Loss, a *account) (total accountant.Total, within int, err error) {
	limit := p.newLimit(budget)
	total = p.before.added(total)
	for k := range steps {
		switch loss := p.loss(p.firstStep + k); {
		case a != nil && a.bound != nil:
			total = a.bound(p.firstStep + k).Total()
		case p.growing:
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

// accounted is the planned loss of a node, as one: of all steps, or of those that a
// budget pays for where it ends a node's part.
func (arm *Arm) accounted() (accountant.Loss, error) {
	p, b, steps := &arm.algorithm, arm.file.Budget, arm.file.Horizon
	if b.limits() && b.On == budgetStop && !p.budgeted {
		_, within, err := p.learned(steps, b.limit(), nil)
		if err != nil {
			return accountant.Loss{}, err
		}
		steps = within
	}
	total, _, err := p.learned(steps, accountant.NotPrivate(), nil)
	return stated(&total, b.delta()), err
}

// stated is a total as one loss: pure releases by what they come to at a delta, if
// there is one.
func stated(total *accountant.Total, delta float64) accountant.Loss {
	loss := total.Loss()
	if _, pure := total.Pure(); !pure || delta == 0 {
		return loss
	}
	if epsilon, err := total.Epsilon(delta, accountant.PLD); err == nil && epsilon < loss.Epsilon {
		return accountant.Loss{Epsilon: epsilon, Delta: delta}
	}
	return loss
}

// account is the one that a budget limits; nil where it names none.
func (b *budgetSection) account(p *algorithmPlan) (*account, error) {
	if b.Observer == "" {
		return nil, nil
	}
	return p.accountOf(b.Observer)
}

// limits tells whether there is a budget that limits anything.
func (b *budgetSection) limits() bool { return b != nil && !math.IsInf(float64(b.Epsilon), 1) }

// checkBudget refuses an arm whose planned loss exceeds its budget, if that is
// what the budget says, and an observer whose knowledge cannot be limited.
func checkBudget(arm *Arm) error {
	b, p := arm.file.Budget, &arm.algorithm
	if b == nil || p.loss == nil { // the algorithm could not be built
		return nil
	}
	a, err := b.account(p)
	if err != nil {
		return document.At("budget.observer", "%s", err)
	}
	if !b.limits() {
		return nil
	}
	if p.budgeted {
		return checkPlannedObserver(arm)
	}
	if b.On == budgetRefuse {
		return checkRefused(arm, a)
	}
	return nil
}

// checkRefused refuses an arm whose planned releases exceed its budget.
func checkRefused(arm *Arm, a *account) error {
	b, p := arm.file.Budget, arm.algorithm
	if p.unprepared != nil {
		p.loss = p.unprepared
	}
	total, within, err := p.learned(arm.file.Horizon, b.limit(), a)
	if err != nil {
		return document.At("budget", "%v", err)
	}
	if within == arm.file.Horizon {
		return nil
	}
	text := "no step is within the budget"
	if within > 0 {
		text = fmt.Sprintf("step %d is the last within the budget", p.firstStep+within-1)
	}
	planned := fmt.Sprintf("a loss of %s", stated(&total, b.Delta))
	if !total.Private() {
		planned = "an infinite loss"
	}
	if a != nil {
		planned += fmt.Sprintf(" by what observer %s sees,", a.observer)
	}
	return document.At("budget.epsilon", "the releases of %d steps have %s a node, over the budget of %s; %s",
		arm.file.Horizon, planned, b.limit(), text)
}

// checkPlannedObserver refuses the observer of a budget that the algorithm plans
// with itself, where that observer sees what the plan leaves out: raw statistics.
// All else that the plan counts is seen by everybody.
func checkPlannedObserver(arm *Arm) error {
	b, p := arm.file.Budget, &arm.algorithm
	if b.Observer == "" {
		return nil
	}
	for k := range arm.file.Horizon {
		if step := p.firstStep + k; !p.loss(step).Private() {
			return document.At("budget.observer", "what %s sees from step %d on is not private, and no budget limits it; leave the observer out for a budget of what is paid for", b.Observer, step)
		}
	}
	return nil
}

// budgetNotes says what the budget of an arm comes to.
func (arm *Arm) budgetNotes() []note {
	b := arm.file.Budget
	if !b.limits() || arm.algorithm.budgeted {
		return nil
	}
	a, err := b.account(&arm.algorithm)
	if err != nil {
		return nil // the scenario was refused for it
	}
	_, within, err := arm.algorithm.learned(arm.file.Horizon, b.limit(), a)
	if err != nil {
		return []note{{"budget", err.Error()}}
	}
	value := fmt.Sprintf("%s a node", b.limit())
	if a != nil {
		value += fmt.Sprintf(" by what observer %s sees", a.observer)
	}
	if within < arm.file.Horizon {
		return []note{{"budget", fmt.Sprintf("%s; it pays for %d of %d steps", value, within, arm.file.Horizon)}}
	}
	return []note{{"budget", value + "; it pays for all steps"}}
}

// stopWarnings say which nodes ended their part in a job and when: a warning
// for all nodes that did so in one step for one reason.
func stopWarnings(arm *Arm, seed uint64, stops []meter.Stop) (warnings []results.Warning) {
	for len(stops) > 0 {
		first := stops[0]
		alike := func(s meter.Stop) bool { return s.Step == first.Step && s.Reason == first.Reason }
		count := 0
		for _, s := range stops {
			if alike(s) {
				count++
			}
		}
		who := fmt.Sprintf("%d of %d nodes ended their", count, arm.file.Nodes)
		switch count {
		case 1:
			who = fmt.Sprintf("node %d ended its", int(first.Node)+arm.algorithm.firstLabel)
		case arm.file.Nodes:
			who = fmt.Sprintf("all %d nodes ended their", count)
		}
		warnings = append(warnings, results.Warning{Code: "stopped", Arm: arm.Name,
			Message: fmt.Sprintf("seed %d: %s part at step %d: %s", seed, who, first.Step, first.Reason)})
		stops = slices.DeleteFunc(slices.Clone(stops), alike)
	}
	return warnings
}
