package meter

import (
	"fmt"
	"math"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
)

// stepMass adds up the masses of a step, as nodes record them in any order: in
// units of 2^-36, which sum to the same number in every order.
type stepMass struct {
	sum   atomic.Int64
	count atomic.Int32
}

const (
	massUnit = 1 << 36
	// massTolerance is by how much of itself the sum of masses may change in a
	// step: the sums of columns are checked to 1e-9, and the rest is rounding.
	massTolerance = 2e-9
)

// Recorded implements algorithm.Meter: it takes the masses and the moves that
// algorithms of this family record.
func (m *Meter) Recorded(_ messages.NodeID, step int, quantity string, value float64) {
	switch {
	case quantity == algorithm.QuantityMass && m.masses != nil:
		m.weigh(step, value)
	case quantity == algorithm.QuantityMove && m.moves != nil:
		m.moved(step, value)
	}
}

// weigh takes a node's mass. Masses that do not sum to N although nothing is
// lost are a broken invariant, and a panic, which the runtime reports as the
// failure of a node at the step.
func (m *Meter) weigh(step int, value float64) {
	n := float64(m.Nodes)
	tolerance := n * massTolerance * float64(step-m.FirstStep+1)
	if !(value >= 0 && value <= n+tolerance) {
		panic(fmt.Sprintf("a mass of %v in step %d; all nodes have %d", value, step, m.Nodes))
	}
	s := &m.masses[step-m.FirstStep]
	s.sum.Add(int64(math.Round(value * massUnit)))
	if s.count.Add(1) < int32(m.Nodes) {
		return
	}
	sum := s.sum.Load() // all have added theirs
	if total := float64(sum) / massUnit; !(math.Abs(total-n) <= tolerance) {
		panic(fmt.Sprintf("the masses of step %d sum to %v, want %d: mass is conserved where nothing is lost", step, total, m.Nodes))
	}
}
