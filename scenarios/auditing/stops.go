package auditing

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
)

// Stops are the steps in which a budget ends the part of nodes, by the paper's number: it
// refuses their payments in that step and later.
type Stops map[messages.NodeID]int

// holding holds the payments of nodes to a budget, as the ledger of a study does, and notes the
// steps in which it refuses a payment.
type holding struct {
	stops   Stops
	budget  *ledger.Budget
	seed    uint64
	learned map[messages.NodeID]*accountant.Total
}

// pay returns an error if the budget does not pay for the loss.
func (h *holding) pay(node messages.NodeID, step int, loss accountant.Loss) error {
	total := h.learned[node]
	if total == nil {
		total = &accountant.Total{}
		h.learned[node] = total
	}
	if worth := h.budget.Account().Worth; worth != nil && loss != (accountant.Loss{}) {
		loss = worth.Of(h.seed, node, step, loss)
	}
	if err := h.budget.Pay(node, total, loss); err != nil {
		h.stops[node] = step
		return err
	}
	total.Add(loss)
	return nil
}

// pay returns an error for a payment that a budget refuses; nil for one that it pays for.
func (s Stops) pay(node messages.NodeID, step int, loss accountant.Loss) error {
	if stop, ok := s[node]; ok && step >= stop && loss != (accountant.Loss{}) {
		return fmt.Errorf("%w: that of the arm ends the node's part in step %d", accountant.ErrBudget, stop)
	}
	return nil
}
