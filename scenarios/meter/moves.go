package meter

import (
	"fmt"
	"math"
	"sync/atomic"

	"starling/scenarios/gauge"
)

// The metrics of how far mirror steps move nodes, of runs with Options.Moves.
const (
	MoveLargest = "move.largest" // the largest algorithm.QuantityMove so far
	MoveExcess  = "move.excess"  // the share of all moves so far that are over 1
)

// moveSlack allows for the rounding of a move that is 1.
const moveSlack = 1e-9

// moves are those of all nodes since the point before.
type moves struct {
	largest atomic.Uint64 // its bits
	count   atomic.Int64
	over    atomic.Int64
}

// moved takes a node's move. One that is no number is a broken invariant, and a
// panic, which the runtime reports as the failure of a node at the step.
func (m *Meter) moved(step int, value float64) {
	if !(value >= 0) {
		panic(fmt.Sprintf("a move of %v in step %d", value, step))
	}
	point, _ := m.At(step)
	at := &m.moves[point]
	raise(&at.largest, value)
	at.count.Add(1)
	if value > 1+moveSlack {
		at.over.Add(1)
	}
}

// finishMoves hands the metrics of moves to r, point by point. Before the first
// move the share is 0.
func (m *Meter) finishMoves(r gauge.Recorder) {
	var largest float64
	var count, over int64
	for point := range m.moves {
		at := &m.moves[point]
		largest = max(largest, math.Float64frombits(at.largest.Load()))
		count += at.count.Load()
		over += at.over.Load()
		r.Add(m.Points[point], MoveLargest, largest)
		r.Add(m.Points[point], MoveExcess, float64(over)/float64(max(count, 1)))
	}
}

// raise sets a number to the larger of itself and v. For numbers >= 0 the order
// of the bits is that of the numbers.
func raise(to *atomic.Uint64, v float64) {
	bits := math.Float64bits(v)
	for old := to.Load(); bits > old; old = to.Load() {
		if to.CompareAndSwap(old, bits) {
			return
		}
	}
}
