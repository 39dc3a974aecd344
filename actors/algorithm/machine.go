package algorithm

import (
	"starling/messages"
)

// Machine is one participant's part of an algorithm. Step may depend on the machine's own
// state and the turn only. It must not keep the turn, its inbox or anything it hands out
// beyond the call.
type Machine interface {
	// Step makes the machine's move in one turn. An error fails the run.
	Step(*Turn) error
	// State is complete: a machine that reads the state of another of the same options goes on
	// with the same bits. Checkpoints hold it, a run's digest covers it, and debuggers show
	// it, under the paper's names.
	messages.Stateful
}

// Describer is a machine that shows more than its state to debuggers.
type Describer interface {
	// Describe lists quantities under the paper's names that are no part of the
	// state. The values are the machine's own and must not be changed.
	Describe() []Quantity
}

// Quantity is a named vector that a machine shows.
type Quantity struct {
	Name   string
	Values []float64
}

// Quantities lists the quantities that a machine shows: the fields of its state that have
// numbers, then those of Describe.
func Quantities(m Machine) (list []Quantity) {
	fields := messages.Fields(m)
	for i := range fields {
		if values := fields[i].Values(); len(values) > 0 {
			list = append(list, Quantity{fields[i].Name, values})
		}
	}
	if d, ok := m.(Describer); ok {
		list = append(list, d.Describe()...)
	}
	return list
}

// Folder is a machine that needs only sums of its messages, such as a server with many
// clients. The runtime folds its messages by blocks of consecutive senders, where it can
// beside the senders and in parallel, and hands it the blocks in order (Turn.Blocks) in place
// of an inbox.
type Folder interface {
	Machine
	// FoldLength is the length of an accumulator.
	FoldLength() int
	// Fold adds a message to an accumulator that starts at zero. It is called
	// for the senders of a block in order, for different blocks concurrently,
	// and not during Step: it must depend on its arguments only.
	Fold(sum []float64, e *messages.Envelope)
}

// Summer is a machine that takes its messages by Turn.Sum and Turn.Receive alone. A runtime
// may leave its inbox empty, and those two then read the messages of all nodes where they lie.
type Summer interface {
	Machine
	// Sums does nothing.
	Sums()
}

// Sum reports whether all machines of the run are summers, and hear messages as they were
// sent.
func (r *Run) Sum() bool {
	if r.Adversaries != nil {
		return false
	}
	for _, machine := range r.Machines {
		if _, ok := machine.(Summer); !ok {
			return false
		}
	}
	return true
}

// Costs are the losses of all nodes: pure functions of (node, step), safe for
// concurrent use. step is the paper's index.
type Costs interface {
	// Loss is f_step^node(x), x of length d.
	Loss(node messages.NodeID, step int, x []float64) float64
	// Gradient writes the gradient of Loss at x to dst, both of length d.
	Gradient(dst []float64, node messages.NodeID, step int, x []float64)
}
