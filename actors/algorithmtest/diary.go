package algorithmtest

import (
	"math"
	"slices"

	"starling/actors/runtimetest"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// Diary is a meter that keeps the numbers of its calls, in order. It is for one goroutine:
// lockstep.
type Diary struct {
	runtimetest.Silent
	// Decisions are by node, in the order of the steps.
	Decisions [][][]float64
	// Losses are by node, of each release.
	Losses [][]accountant.Loss
	// Values are by recorded quantity, of all nodes.
	Values map[string][]float64
	// Scalars counts the numbers in all messages together, which are vectors.
	Scalars int
}

// NewDiary returns a diary of that many nodes.
func NewDiary(nodes int) *Diary {
	return &Diary{Decisions: make([][][]float64, nodes), Losses: make([][]accountant.Loss, nodes), Values: map[string][]float64{}}
}

// Played implements algorithm.Meter.
func (d *Diary) Played(node messages.NodeID, _ int, x []float64) {
	d.Decisions[node] = append(d.Decisions[node], slices.Clone(x))
}

// Spent implements algorithm.Meter.
func (d *Diary) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	d.Losses[node] = append(d.Losses[node], loss)
	return nil
}

// Recorded implements algorithm.Meter.
func (d *Diary) Recorded(_ messages.NodeID, _ int, quantity string, value float64) {
	d.Values[quantity] = append(d.Values[quantity], value)
}

// Sent implements algorithm.Meter. A vector has 5 bytes of header, and 8 a
// scalar.
func (d *Diary) Sent(_ int, messages, bytes int64) { d.Scalars += int(bytes-5*messages) / 8 }

// Total is the pure epsilon that a node has spent; NaN where it has spent more.
func (d *Diary) Total(node messages.NodeID) float64 {
	var sum accountant.Loss
	for _, loss := range d.Losses[node] {
		sum = sum.Compose(loss)
	}
	if sum != (accountant.Loss{Epsilon: sum.Epsilon, Laplace: sum.Laplace}) {
		return math.NaN()
	}
	return sum.Epsilon
}
