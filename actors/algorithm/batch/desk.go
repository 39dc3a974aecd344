// Package batch answers questions that participants ask in a turn, together. An oracle of
// costs, a model of data, or data that stay with clients can be a desk. Lanes of package
// algorithm have participants wait for answers.
package batch

import (
	"fmt"
	"slices"

	"starling/messages"
)

// Desk answers questions that participants ask in their turns. Answers are a pure function of
// the node, the step and the question, and do not depend on the others that ask at the same
// time: a run has the same bits however its nodes are grouped. It is safe for concurrent use.
// Desks are compared by ==, as pointers are; those that are equal take their questions
// together.
type Desk interface {
	// Answer answers the questions of participants in their turns of a step. nodes are in
	// ascending order, each at most once, or the nodes of several runs one after the other.
	// questions[i] is the question of nodes[i]; the desk writes the answer into it. Neither
	// slice is kept. An error fails the run.
	Answer(step int, nodes []messages.NodeID, questions []any) error
}

// Now asks the question of one node.
func Now(d Desk, step int, node messages.NodeID, question any) error {
	return d.Answer(step, []messages.NodeID{node}, []any{question})
}

// Costs are losses that can be computed for many nodes at once. They are pure functions of
// (node, step, x), safe for concurrent use.
type Costs interface {
	// Losses writes f_step^i(x_i) of each node i to dst. x has rows side by side, one a node.
	// A node may come several times. The slices are valid during the call only. The error
	// names the cause of a failure.
	Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error
	// Gradients writes the gradients at x to dst, both rows side by side, one a node.
	Gradients(dst []float64, nodes []messages.NodeID, step int, x []float64) error
}

// Point is a question to an oracle: the loss or the gradient at a decision.
type Point struct {
	X []float64 // read only
	// Answer has the loss, one number, or the gradient, as long as X.
	Answer []float64
}

// Oracle is the desks of costs. Questions are of type *Point.
type Oracle struct{ Losses, Gradients Desk }

// OracleHolder is implemented by costs that are computed for many nodes at once in part only.
// They have desks of their own, which steppers share; nil means that they have none.
type OracleHolder interface{ Oracle() *Oracle }

// NewOracle returns the desks of costs; nil where those cannot be computed for many nodes at
// once. Unless the costs are Rest, the desks keep memory, and are for one stepper: unlike all
// other desks, they are not safe for concurrent use.
func NewOracle(costs any) *Oracle {
	if rest, ok := costs.(OracleHolder); ok {
		return rest.Oracle()
	}
	many, ok := costs.(Costs)
	if !ok {
		return nil
	}
	return &Oracle{Losses: &oracle{ask: many.Losses}, Gradients: &oracle{ask: many.Gradients}}
}

// oracle is a desk that asks costs.
type oracle struct {
	ask    func(dst []float64, nodes []messages.NodeID, step int, x []float64) error
	memory []float64 // for decisions and answers
}

// Answer implements Desk: it lays decisions side by side, asks, and hands out the answers.
func (o *oracle) Answer(step int, nodes []messages.NodeID, questions []any) error {
	first := questions[0].(*Point)
	d, width := len(first.X), len(first.Answer)
	size := len(nodes) * (d + width)
	o.memory = slices.Grow(o.memory[:0], size)[:size]
	x, dst := o.memory[:len(nodes)*d], o.memory[len(nodes)*d:]
	for i, question := range questions {
		p := question.(*Point)
		if len(p.X) != d || len(p.Answer) != width {
			return fmt.Errorf("decisions of lengths %d and %d are asked about in one step", d, len(p.X))
		}
		copy(x[i*d:], p.X)
	}
	if err := o.ask(dst, nodes, step, x); err != nil {
		return err
	}
	for i, question := range questions {
		copy(question.(*Point).Answer, dst[i*width:])
	}
	return nil
}

// Failure is the value that a function of costs panics with when something outside of the
// program that it rests on has failed and it has no other way to say so. It is no fault of the
// program.
type Failure struct{ Err error }
