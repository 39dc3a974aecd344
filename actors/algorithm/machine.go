package algorithm

import (
	"starling/messages"
)

// Machine is one participant's part of an algorithm. Step may depend on the
// machine's own state and the turn only, and must not keep the turn, its inbox
// or anything it hands out beyond the call.
type Machine interface {
	// Step makes the machine's move in one turn. An error fails the run.
	Step(*Turn) error
	// AppendState appends the complete state to dst: a machine restored from
	// it goes on with the same bits. It is also what a run's digest covers.
	AppendState(dst []byte) []byte
	// RestoreState sets the state to one that AppendState wrote; src is not
	// kept. An error leaves the machine unusable.
	RestoreState(src []byte) error
}

// Describer is a machine that can show its state to people who debug it.
type Describer interface {
	// Describe lists the quantities of the state under the paper's names. The
	// values are the machine's own and must not be changed.
	Describe() []Quantity
}

// Quantity is a named part of a machine's state.
type Quantity struct {
	Name   string
	Values []float64
}

// Folder is a machine that needs what it receives only summed up, such as a
// server with many clients. The runtime folds its messages by blocks of
// consecutive senders, where it can beside the senders and in parallel, and
// hands it the blocks in order (Turn.Blocks) in place of an inbox.
type Folder interface {
	Machine
	// FoldLength is the length of an accumulator.
	FoldLength() int
	// Fold adds a message to an accumulator that starts at zero. It is called
	// for the senders of a block in order, for different blocks concurrently,
	// and not during Step: it must depend on its arguments only.
	Fold(sum []float64, e *messages.Envelope)
}

// Costs are the losses of all nodes: pure functions of (node, step), safe for
// concurrent use. step is the paper's index.
type Costs interface {
	// Loss is f_step^node(x), x of length d.
	Loss(node messages.NodeID, step int, x []float64) float64
	// Gradient writes the gradient of Loss at x to dst, both of length d.
	Gradient(dst []float64, node messages.NodeID, step int, x []float64)
}
