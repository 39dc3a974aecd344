package gauge

import (
	"fmt"
	"math"
	"sync/atomic"

	"starling/actors/algorithm/mirror"
	"starling/messages"
)

// The metrics of the distance of mirror steps, of runs with Options.Moves.
const (
	MoveLargest = "move.largest" // the largest mirror.QuantityMove so far
	MoveExcess  = "move.excess"  // the share of all moves so far that are over 1
)

// moveSlack allows for the rounding of a move that is 1.
const moveSlack = 1e-9

// moves are the moves of all nodes.
type moves struct {
	at          []moved // by point
	count, over Counter
	largest     float64 // at the point of the rows
}

// moved is the largest move since the point before: its bits.
type moved struct{ largest atomic.Uint64 }

// Begin implements Gauge. Before the first move the share is 0.
func (m *moves) Begin(s *Span) []Column {
	m.at, m.count, m.over = make([]moved, len(s.Points)), make(Counter, len(s.Points)), make(Counter, len(s.Points))
	count, over := m.count.SoFar(), m.over.SoFar()
	return []Column{
		{Metric: regretOf(MoveLargest), Value: func(int) float64 { return m.largest }},
		{Metric: regretOf(MoveExcess), Value: func(point int) float64 { return over(point) / max(count(point), 1) }},
	}
}

// Listens implements Listening.
func (m *moves) Listens(quantity string) bool { return quantity == mirror.QuantityMove }

// Recorded implements Quantities. A move that is no number is a broken invariant, and a
// panic, which the runtime reports as the failure of a node at the step.
func (m *moves) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if quantity != mirror.QuantityMove {
		return
	}
	if !(value >= 0) {
		panic(fmt.Sprintf("a move of %v in step %d", value, at.Step))
	}
	raise(&m.at[at.Point].largest, value)
	m.count[at.Point].Add(1)
	if value > 1+moveSlack {
		m.over[at.Point].Add(1)
	}
}

// Carry implements Carrier.
func (m *moves) Carry(point int) {
	if point == 0 {
		m.largest = 0
	}
	m.largest = max(m.largest, math.Float64frombits(m.at[point].largest.Load()))
}

// Final implements Early.
func (*moves) Final(points int) int { return points }

// State implements Gauge.
func (m *moves) State(c *messages.Codec) {
	messages.Each(c, "largest", m.at, func(at *moved) { c.Bits("largest", &at.largest) })
	m.count.Go(c, "count")
	m.over.Go(c, "over")
}

// raise sets a number to the larger of itself and v. For numbers >= 0 the bits have the same
// order as the numbers.
func raise(to *atomic.Uint64, v float64) {
	bits := math.Float64bits(v)
	for old := to.Load(); bits > old; old = to.Load() {
		if to.CompareAndSwap(old, bits) {
			return
		}
	}
}
