package ledger

import (
	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Charge, Show and Settle are what the ledger does with the bill of a step.
func (l *Ledger) Charge(node messages.NodeID, step int, loss accountant.Loss) error {
	return l.charge(node, step, loss)
}

func (l *Ledger) Show(node messages.NodeID, step int, mark algorithm.Mark) { l.show(node, step, &mark) }

func (l *Ledger) Settle(node messages.NodeID) { l.settle(node) }

// Sum is what a bill of pure payments adds up to.
func (b *Bill) Sum() float64 { return b.sum.Epsilon }
