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
	// State is complete: a machine that reads what another of the same options
	// wrote goes on with the same bits. It is what checkpoints hold, what a run's
	// digest covers, and what people who debug a run are shown, under the paper's
	// names.
	messages.Stateful
}

// Describer is a machine that shows more than its state to people who debug it.
type Describer interface {
	// Describe lists quantities under the paper's names that are no part of the
	// state. The values are the machine's own and must not be changed.
	Describe() []Quantity
}

// Quantity is a named part of what a machine shows.
type Quantity struct {
	Name   string
	Values []float64
}

// Quantities lists what a machine shows: the fields of its state that have numbers,
// then what it describes beside them.
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

// Summer is a machine that takes what it receives by Turn.Sum and Turn.Receive alone. A
// runtime may leave its inbox empty, and those two then read what all nodes have sent
// where it lies.
type Summer interface {
	Machine
	// Sums does nothing.
	Sums()
}

// Sum reports whether all machines of the run are summers, and hear what was sent.
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
