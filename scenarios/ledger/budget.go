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
// where raw payloads that it sees count for infinity. Where it names none it
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
	Delta   float64          `yaml:"delta" min:"0" under:"1" says:"delta = %v" unit:"probability" doc:"delta at which losses are compared with epsilon, those of Laplace noise by their privacy loss distributions, or by their sum where that is as good; absent, that of the mechanism in dpfl and ali-dpfl, and 0, at which no Gaussian loss is within it, in others"`
	// Observer is empty where the file names none.
	Observer accountant.Observer `yaml:"observer" oneof:"wire server peer public" doc:"whose knowledge the budget limits: wire, server, peer or public; absent, what releases pay for, which leaves out whom the algorithm trusts with raw data"`
	On       budgetAction        `yaml:"on,required" oneof:"stop refuse" doc:"what a budget that does not last does: stop ends a node's part before the release that would exceed it, after which it decides as it did last, refuse refuses the scenario"`
}

// Limit is the budget as a loss.
func (b *BudgetSection) Limit() accountant.Loss {
	return accountant.Loss{Epsilon: float64(b.Epsilon), Delta: b.Delta}
}

// StatedDelta is that of the budget, 0 where there is none.
func (b *BudgetSection) StatedDelta() float64 {
	if b == nil {
		return 0
	}
	return b.Delta
}

// Purse holds what is paid in the jobs of an arm to its budget; nil is no limit. It
// is safe for concurrent use.
type Purse struct {
	budget accountant.Loss
	before *Before // of what is paid for in the jobs
	mu     sync.Mutex
	limit  *accountant.Limit // guarded by mu
}

// NewPurse holds what is paid, besides what was shown before, to a budget.
func NewPurse(budget accountant.Loss, before *Before, limit *accountant.Limit) *Purse {
	return &Purse{budget: budget, before: before, limit: limit}
}

// pay returns an error that wraps accountant.ErrBudget where the budget does not pay
// for one more release.
func (p *Purse) pay(paid *accountant.Total, loss accountant.Loss) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.before.Added(*paid)
	after := spent.Clone()
	after.Add(loss)
	within, err := p.limit.Allows(&after)
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
