package ledger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/personal"
)

// budgetAction is the action of a budget that does not last.
type budgetAction string

const (
	// BudgetStop lets a node stop before the release that would exceed it.
	BudgetStop budgetAction = "stop"
	// BudgetRefuse refuses the scenario if the planned releases exceed it.
	BudgetRefuse budgetAction = "refuse"
	// BudgetSpread multiplies the epsilons of the mechanism by one factor, such that the planned
	// releases just fit it.
	BudgetSpread budgetAction = "spread"
)

// BudgetSection is a limit on every node's accounted loss over the run: under pure
// differential privacy without a delta, and else as (epsilon, delta), as the ledger and the
// metrics state it. The ledger enforces it, whatever the family. Where losses follow a
// schedule, the step in which a budget ends a node's part says nothing of its data.
//
// If it names an observer, it limits the loss to that observer by the observer's account. Raw
// payloads that the observer sees count as infinite: a run with a budget that stops nodes is
// refused for them. If it names no observer, it limits the payments for releases. That is the
// largest loss to anybody, except to those that the algorithm trusts with raw data, such as a
// server, against which no budget could be kept.
//
// A node that stops does so in the turn of the release that it cannot pay for: it has played
// that step, sends nothing in it or after it, and plays no more. Nothing takes its place. Its
// neighbours fold the weighted sum of the messages that arrive, from which its share is then
// missing. Where all nodes have the same planned losses, all of them stop in the same step,
// and no sum is ever short of a part.
type BudgetSection struct {
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"largest privacy loss of a node over the run, above 0, or none for no limit"`
	Delta   float64          `yaml:"delta" min:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses are compared with epsilon, and stated, those of Laplace noise by their privacy loss distributions, or by their sum where that is as good; absent, that of the mechanism in dpfl and ali-dpfl, the deltas of nodes where groups of the mechanism state them, and 0, at which no Gaussian loss is within it, in others"`
	// Observer is empty where the file names none.
	Observer accountant.Observer `yaml:"observer" oneof:"wire server peer public" doc:"observer of the budget: wire, server, peer or public; absent, the payments for releases, which leave out observers that the algorithm trusts with raw data"`
	// Groups have an epsilon in place of the budget's, and Own are the epsilons of all units, which a
	// build finds by them; nil means that all have one.
	Groups personal.Groups `yaml:"groups" doc:"nodes with a budget of their own, in place of epsilon, at the delta of the section or of their group: a list of groups, a file with a line for each node, a law from which they are drawn, or a column of the problem's own data; for on: stop; absent, all nodes have one"`
	Own    *OwnEpsilons    `yaml:"-"`
	On     budgetAction    `yaml:"on,required" oneof:"stop refuse spread" doc:"effect of the budget: stop ends a node's part before the release that would exceed it, after which it decides as it did last; refuse refuses a scenario whose releases exceed it; spread multiplies the epsilons of the mechanism by one factor, such that the releases of all steps just fit it"`
}

// OwnEpsilons are the epsilons of budgets by unit: of the participants from First on.
type OwnEpsilons struct {
	First    messages.NodeID
	Epsilons []float64 // +Inf is no limit
	Deltas   []float64 // nil is the section's
}

// loss is the budget of a unit by its place, where the section's delta is base.
func (o *OwnEpsilons) loss(k int, base float64) accountant.Loss {
	if o.Deltas != nil {
		base = o.Deltas[k]
	}
	return accountant.Loss{Epsilon: o.Epsilons[k], Delta: base}
}

// Limits reports whether there is a budget that limits anything.
func (b *BudgetSection) Limits() bool {
	return b != nil && (!math.IsInf(float64(b.Epsilon), 1) || b.Groups.Any())
}

// Loss returns the budget as a loss, of units in no group.
func (b *BudgetSection) Loss() accountant.Loss {
	return accountant.Loss{Epsilon: float64(b.Epsilon), Delta: b.Delta}
}

// StatedDelta returns the delta at which all losses of a run are stated: the budget's, if
// there is a budget with a delta, and else the mechanism's.
func (b *BudgetSection) StatedDelta(ofMechanism float64) float64 {
	if b == nil || b.Delta == 0 {
		return ofMechanism
	}
	return b.Delta
}

// Budget is an account with a limit: it decides whether it pays for a release, and holds
// the payments in the jobs of an arm to it. Units may have limits of their own. nil is no limit. It
// is safe for concurrent use.
type Budget struct {
	account Account
	first   messages.NodeID
	of      []int32 // by unit, from first: index in classes; nil is one class for all
	mu      sync.Mutex
	classes []class // guarded by mu: by rising epsilon, then delta; limits are no values
}

// class is a limit of some units.
type class struct {
	budget accountant.Loss
	limit  *accountant.Limit
}

// NewBudget returns a budget that limits an account, by the account's method and for
// its neighbours.
func NewBudget(budget accountant.Loss, account Account) *Budget {
	return &Budget{account: account, classes: []class{newClass(budget, &account)}}
}

func newClass(budget accountant.Loss, account *Account) class {
	if account.Converted {
		return class{budget, accountant.NewReplaceLimit(budget, account.By)}
	}
	return class{budget, accountant.NewLimit(budget, account.By)}
}

// Limit returns the budget of an account that the section limits.
func (b *BudgetSection) Limit(account Account) *Budget {
	p := NewBudget(b.Loss(), account)
	if b.Own == nil {
		return p
	}
	p.first, p.classes = b.Own.First, nil
	compare := func(x, y accountant.Loss) int {
		return cmp.Or(cmp.Compare(x.Epsilon, y.Epsilon), cmp.Compare(x.Delta, y.Delta))
	}
	var all []accountant.Loss
	for k := range b.Own.Epsilons {
		all = append(all, b.Own.loss(k, b.Delta))
	}
	known := slices.Compact(slices.SortedFunc(slices.Values(all), compare))
	for _, budget := range known {
		p.classes = append(p.classes, newClass(budget, &account))
	}
	for _, budget := range all {
		k, _ := slices.BinarySearchFunc(known, budget, compare)
		p.of = append(p.of, int32(k))
	}
	return p
}

// Account returns the account that is limited.
func (p *Budget) Account() *Account { return &p.account }

// Allows reports whether a total loss to the observer, with the loss by the start of the run
// included, is within the budget; of several, within any.
func (p *Budget) Allows(total *accountant.Total) (bool, error) {
	largest := -1.0 // delta of the classes that were tried, which have larger epsilons
	for k := len(p.classes) - 1; k >= 0; k-- {
		if p.classes[k].budget.Delta <= largest {
			continue
		}
		largest = p.classes[k].budget.Delta
		if within, err := p.allows(k, total); within || err != nil {
			return within, err
		}
	}
	return false, nil
}

// allowsAll reports whether a total is within all limits.
func (p *Budget) allowsAll(total *accountant.Total) (bool, error) {
	least := math.Inf(1) // delta of the classes that were tried, which have smaller epsilons
	for k, c := range p.classes {
		if c.budget.Delta >= least {
			continue
		}
		least = c.budget.Delta
		if within, err := p.allows(k, total); !within || err != nil {
			return within, err
		}
	}
	return true, nil
}

func (p *Budget) allows(class int, total *accountant.Total) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.classes[class].limit.Allows(total)
}

// classOf returns the class of a participant. One that is no unit, such as a server, pays for
// several: it has none by itself, and is held to all.
func (p *Budget) classOf(node messages.NodeID) (class int, unit bool) {
	if k := int(node - p.first); k >= 0 && k < len(p.of) {
		return int(p.of[k]), true
	}
	return 0, false
}

// alike reports whether the participants first .. end-1 have one limit. nil has one.
func (p *Budget) alike(first, end messages.NodeID) bool {
	if p == nil || p.of == nil {
		return true
	}
	class, _ := p.classOf(first)
	for node := first + 1; node < end; node++ {
		if other, _ := p.classOf(node); other != class {
			return false
		}
	}
	return true
}

// delta returns the largest delta of a budget; 0 if there is no limit.
func (p *Budget) delta() (most float64) {
	if p == nil {
		return 0
	}
	for _, c := range p.classes {
		most = max(most, c.budget.Delta)
	}
	return most
}

// worth returns the Worth of the limited account; nil if there is none.
func (p *Budget) worth() *Worth {
	if p == nil {
		return nil
	}
	return p.account.Worth
}

// Pay returns an error that wraps accountant.ErrBudget if the budget of a participant does not pay
// for one more release, after the loss to the observer so far, which is unchanged.
func (p *Budget) Pay(node messages.NodeID, learned *accountant.Total, loss accountant.Loss) error {
	spent := p.account.Before.Added(*learned)
	after := spent.Clone()
	after.Add(loss)
	class, unit := p.classOf(node)
	var within bool
	var err error
	if unit {
		within, err = p.allows(class, &after)
	} else {
		within, err = p.allowsAll(&after)
	}
	if err == nil && !within {
		needs := ""
		if _, pure := after.Pure(); !pure && p.classes[class].budget.Delta == 0 {
			needs = ", which has no delta: Gaussian noise needs one"
		}
		err = fmt.Errorf("%w: a release of %s after %s is over the budget of %s%s", accountant.ErrBudget, loss, spent.Loss(), p.classes[class].budget, needs)
	}
	return err
}
