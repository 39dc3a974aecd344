package ledger

import (
	"fmt"
	"math"
	"sync"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
)

// budgetAction is what happens when a budget does not last.
type budgetAction string

const (
	// BudgetStop lets a node stop before the release that would exceed it.
	BudgetStop budgetAction = "stop"
	// BudgetRefuse refuses the scenario if the planned releases exceed it.
	BudgetRefuse budgetAction = "refuse"
)

// BudgetSection is a limit on every node's accounted loss over the run: under pure
// differential privacy without a delta, and else as (epsilon, delta), as the ledger
// and the metrics state it. The ledger enforces it, whatever the family. Where losses follow
// a schedule, the step in which a budget ends a node's part tells nothing of its data.
//
// It limits what the observer learns that it names: by the observer's account,
// where raw payloads that it sees count for infinity: a run that is to stop is refused
// for them. Where it names none it
// limits what releases pay for. That is the most that anybody learns but for those
// whom the algorithm trusts with raw data, such as a server, against whom no budget
// could be kept.
//
// A node that stops does so in the turn of the release that it cannot pay for:
// it has played that step, sends nothing in it or after it, and plays no more.
// Nothing takes its place. What its neighbours fold is the weighted sum of what
// arrives, from which its share is then missing. Where all nodes have the same planned
// losses, all of them stop in the same step, and no sum is ever short of a part.
type BudgetSection struct {
	Epsilon document.Epsilon `yaml:"epsilon,required" unit:"nats" doc:"largest privacy loss of a node over the run, above 0, or none for no limit"`
	Delta   float64          `yaml:"delta" min:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses are compared with epsilon, and stated, those of Laplace noise by their privacy loss distributions, or by their sum where that is as good; absent, that of the mechanism in dpfl and ali-dpfl, and 0, at which no Gaussian loss is within it, in others"`
	// Observer is empty where the file names none.
	Observer accountant.Observer `yaml:"observer" oneof:"wire server peer public" doc:"whose knowledge the budget limits: wire, server, peer or public; absent, what releases pay for, which leaves out whom the algorithm trusts with raw data"`
	On       budgetAction        `yaml:"on,required" oneof:"stop refuse" doc:"what a budget that does not last does: stop ends a node's part before the release that would exceed it, after which it decides as it did last, refuse refuses the scenario"`
}

// Limit is the budget as a loss.
func (b *BudgetSection) Limit() accountant.Loss {
	return accountant.Loss{Epsilon: float64(b.Epsilon), Delta: b.Delta}
}

// StatedDelta is where all losses of a run are stated: at the delta of the budget, if there
// is one with a delta, and else at that of the mechanism.
func (b *BudgetSection) StatedDelta(ofMechanism float64) float64 {
	if b == nil || b.Delta == 0 {
		return ofMechanism
	}
	return b.Delta
}

// Purse is an account with a limit: it says what a budget pays for, and holds what is paid
// in the jobs of an arm to it. nil is no limit. It is safe for concurrent use.
type Purse struct {
	budget  accountant.Loss
	account Account
	mu      sync.Mutex
	limit   *accountant.Limit // guarded by mu
}

// NewPurse holds an account to a budget, by the account's method and for its neighbours.
func NewPurse(budget accountant.Loss, account Account) *Purse {
	limit := accountant.NewLimit(budget, account.By)
	if account.Converted {
		limit = accountant.NewReplaceLimit(budget, account.By)
	}
	return &Purse{budget: budget, account: account, limit: limit}
}

// Account is the one that is limited.
func (p *Purse) Account() *Account { return &p.account }

// Allows tells whether a total of what the observer learns, with what the start has shown
// in it, is within the budget.
func (p *Purse) Allows(total *accountant.Total) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit.Allows(total)
}

// delta is that of the budget; 0 of no limit.
func (p *Purse) delta() float64 {
	if p == nil {
		return 0
	}
	return p.budget.Delta
}

// worth is that of the account that is limited; nil of none.
func (p *Purse) worth() *Worth {
	if p == nil {
		return nil
	}
	return p.account.Worth
}

// Pay returns an error that wraps accountant.ErrBudget where the budget does not pay
// for one more release, after what the observer has learned, which stays as it is.
func (p *Purse) Pay(learned *accountant.Total, loss accountant.Loss) error {
	spent := p.account.Before.Added(*learned)
	after := spent.Clone()
	after.Add(loss)
	within, err := p.Allows(&after)
	if err == nil && !within {
		needs := ""
		if _, pure := after.Pure(); !pure && p.budget.Delta == 0 {
			needs = ", which has no delta: Gaussian noise needs one"
		}
		err = fmt.Errorf("%w: a release of %s after %s is over the budget of %s%s", accountant.ErrBudget, loss, spent.Loss(), p.budget, needs)
	}
	return err
}

// Limits tells whether there is a budget that limits anything.
func (b *BudgetSection) Limits() bool { return b != nil && !math.IsInf(float64(b.Epsilon), 1) }
