package topology

import (
	"fmt"
	"math"

	"starling/messages"
)

// WeightKind is the kind of fault of a weight or a sum of weights.
type WeightKind string

// The faults of a weight matrix.
const (
	WeightNegative  WeightKind = "negative"   // an entry below zero
	WeightNotFinite WeightKind = "not finite" // an entry NaN or infinite
	WeightRow       WeightKind = "row"        // a row that does not sum to 1
	WeightColumn    WeightKind = "column"     // a column that does not sum to 1
	WeightSilence   WeightKind = "silence"    // a row without entries
)

// WeightError names the fault of a weight matrix.
type WeightError struct {
	Kind WeightKind
	// Node is the receiver, the row of the matrix; for WeightColumn the sender,
	// the column.
	Node messages.NodeID
	// From is the sender, for the kinds that concern one entry.
	From messages.NodeID
	// Value is the entry or the sum.
	Value float64
	// Tolerance is the distance from 1 that a sum may have.
	Tolerance float64
}

// Error numbers rows, columns and nodes from 1.
func (e *WeightError) Error() string {
	switch e.Kind {
	case WeightRow:
		return fmt.Sprintf("row %d sums to %v, want 1 within %v (what node %[1]d gives those it hears)",
			number(e.Node), e.Value, e.Tolerance)
	case WeightColumn:
		return fmt.Sprintf("column %d sums to %v, want 1 within %v (what node %[1]d is given by those that hear it)",
			number(e.Node), e.Value, e.Tolerance)
	case WeightSilence:
		return fmt.Sprintf("row %d is empty: node %[1]d hears nobody, not even itself", number(e.Node))
	}
	return fmt.Sprintf("row %d, column %d is %v: %s (what node %[1]d gives node %[2]d)",
		number(e.Node), number(e.From), e.Value, e.Kind)
}

// Demand is a demand on a weight matrix. The zero value asks for weights that are finite and
// not negative, which every demand does.
type Demand struct {
	// Rows asks that every row sums to 1: a node averages its messages, and a value that all
	// share stays.
	Rows bool
	// Columns asks that every column sums to 1: a node's messages are shared out, and the sum
	// over all nodes stays.
	Columns bool
	// Hearing asks that every node hears a node, if only itself: none is left without mass.
	Hearing bool
	// Fixed asks for one graph in all steps: machines keep sums of their messages. It concerns
	// no single matrix, and Check ignores it.
	Fixed bool
}

// The demands of averaging (DPDO-NC, Assumption 1) and of push-sum, which needs only half of
// it.
var (
	DoublyStochastic = Demand{Rows: true, Columns: true}
	PushSum          = Demand{Columns: true, Hearing: true}
)

// Check returns a *WeightError unless the matrix of g meets the demand, its sums within
// tolerance of 1 (1e-9 is customary). Rows are looked at before columns, each in order, and
// the first fault is returned. It takes time linear in the nodes and edges.
func (d Demand) Check(g *Graph, tolerance float64) error {
	columns := make([]float64, g.Nodes())
	for i := range g.Nodes() {
		node := messages.NodeID(i)
		from, weights := g.In(node)
		var sum float64
		for k, w := range weights {
			switch {
			case w < 0:
				return &WeightError{Kind: WeightNegative, Node: node, From: from[k], Value: w}
			case !finite(w):
				return &WeightError{Kind: WeightNotFinite, Node: node, From: from[k], Value: w}
			}
			sum += w
			columns[from[k]] += w
		}
		if d.Hearing && len(weights) == 0 {
			return &WeightError{Kind: WeightSilence, Node: node}
		}
		if d.Rows && !(math.Abs(sum-1) <= tolerance) {
			return &WeightError{Kind: WeightRow, Node: node, Value: sum, Tolerance: tolerance}
		}
	}
	for j, sum := range columns {
		if d.Columns && !(math.Abs(sum-1) <= tolerance) {
			return &WeightError{Kind: WeightColumn, Node: messages.NodeID(j), Value: sum, Tolerance: tolerance}
		}
	}
	return nil
}

// CheckSequence applies Check to the graph of every distinct epoch of the steps
// 0 .. horizon-1. The error is a *StepError that wraps the *WeightError and names
// the first step of the graph at fault.
func (d Demand) CheckSequence(seq Sequence, horizon int, tolerance float64) error {
	return Measures{}.CheckSequence(d, seq, horizon, tolerance)
}

// CheckSequence is Demand.CheckSequence.
func (m Measures) CheckSequence(d Demand, seq Sequence, horizon int, tolerance float64) error {
	if err := atLeast("horizon", horizon, 1); err != nil {
		return err
	}
	for step := range distinctSteps(seq, horizon) {
		if step > 0 && seq.Epoch(step) == seq.Epoch(step-1) {
			continue
		}
		if err := m.stopped(); err != nil {
			return err
		}
		if err := d.Check(seq.At(step), tolerance); err != nil {
			return &StepError{Step: step, Base: printedBase, Err: err}
		}
	}
	return nil
}

// CheckWeights returns a *WeightError unless the matrix of g is doubly
// stochastic: no entry negative, and every row and column sum within tolerance
// of 1 (DPDO-NC, Assumption 1).
func CheckWeights(g *Graph, tolerance float64) error { return DoublyStochastic.Check(g, tolerance) }

// CheckSequence is CheckWeights for the graphs of the steps 0 .. horizon-1, with
// the error of Demand.CheckSequence.
func CheckSequence(seq Sequence, horizon int, tolerance float64) error {
	return DoublyStochastic.CheckSequence(seq, horizon, tolerance)
}

// printedBase is the Base of the errors of the checks: the papers count time from 1.
const printedBase = 1

// StepError names the step of a sequence with a graph at fault.
type StepError struct {
	// Step counts from 0.
	Step int
	// Base is the number that step 0 has in print; the checks set 1.
	Base int
	// Err is the fault of the graph at that step.
	Err error
}

// Error prints Step + Base.
func (e *StepError) Error() string { return fmt.Sprintf("step %d: %v", e.Step+e.Base, e.Err) }

// Unwrap returns the fault of the graph.
func (e *StepError) Unwrap() error { return e.Err }

// distinctSteps returns how many steps of the horizon there are before the
// sequence repeats itself: the period, where that is shorter.
func distinctSteps(seq Sequence, horizon int) int {
	if p, ok := seq.Period(); ok {
		return min(p, horizon)
	}
	return horizon
}
