package topology

import (
	"fmt"
	"math"

	"starling/messages"
)

// WeightKind says what is wrong with a weight or a sum of weights.
type WeightKind string

// The faults of a weight matrix.
const (
	WeightNegative  WeightKind = "negative"   // an entry below zero
	WeightNotFinite WeightKind = "not finite" // an entry NaN or infinite; found by FromDense
	WeightRow       WeightKind = "row"        // a row whose sum is not 1
	WeightColumn    WeightKind = "column"     // a column whose sum is not 1
)

// WeightError says where a weight matrix fails to be doubly stochastic.
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
	}
	return fmt.Sprintf("row %d, column %d is %v: %s (what node %[1]d gives node %[2]d)",
		number(e.Node), number(e.From), e.Value, e.Kind)
}

// CheckWeights returns a *WeightError unless the matrix of g is doubly
// stochastic: no entry negative, and every row and column sum within tolerance
// of 1 (DPDO-NC, Assumption 1; 1e-9 is customary). Rows are looked at
// before columns, each in order, and the first fault is returned.
func CheckWeights(g *Graph, tolerance float64) error {
	columns := make([]float64, g.Nodes())
	for i := range g.Nodes() {
		node := messages.NodeID(i)
		from, weights := g.In(node)
		var sum float64
		for k, w := range weights {
			if w < 0 {
				return &WeightError{Kind: WeightNegative, Node: node, From: from[k], Value: w}
			}
			sum += w
			columns[from[k]] += w
		}
		if !(math.Abs(sum-1) <= tolerance) {
			return &WeightError{Kind: WeightRow, Node: node, Value: sum, Tolerance: tolerance}
		}
	}
	for j, sum := range columns {
		if !(math.Abs(sum-1) <= tolerance) {
			return &WeightError{Kind: WeightColumn, Node: messages.NodeID(j), Value: sum, Tolerance: tolerance}
		}
	}
	return nil
}

// printedBase is what the checks put in the Base of their errors: the papers
// count time from 1.
const printedBase = 1

// StepError says at which step of a sequence a graph is at fault.
type StepError struct {
	Step int // from 0
	Base int // the number that step 0 has in print; the checks set 1
	Err  error
}

// Error prints Step + Base.
func (e *StepError) Error() string { return fmt.Sprintf("step %d: %v", e.Step+e.Base, e.Err) }

// Unwrap returns the fault of the graph.
func (e *StepError) Unwrap() error { return e.Err }

// CheckSequence applies CheckWeights to the graph of every distinct epoch of
// the steps 0 .. horizon-1. The error is a *StepError that wraps the
// *WeightError and names the first step of the graph at fault.
func CheckSequence(seq Sequence, horizon int, tolerance float64) error {
	if err := atLeast("horizon", horizon, 1); err != nil {
		return err
	}
	for step := range distinctSteps(seq, horizon) {
		if step > 0 && seq.Epoch(step) == seq.Epoch(step-1) {
			continue
		}
		if err := CheckWeights(seq.At(step), tolerance); err != nil {
			return &StepError{Step: step, Base: printedBase, Err: err}
		}
	}
	return nil
}

// distinctSteps returns how many steps of the horizon there are before the
// sequence repeats itself: the period, where that is shorter.
func distinctSteps(seq Sequence, horizon int) int {
	if p, ok := seq.Period(); ok {
		return min(p, horizon)
	}
	return horizon
}
