package gauge

import (
	"fmt"
	"math"
	"sync/atomic"

	"starling/actors/algorithm/inbox"
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
	// massTolerance is the relative change of the sum of masses that is allowed in a step: the
	// sums of columns are checked to 1e-9, and the rest is rounding.
	massTolerance = 2e-9
)

// masses checks that the masses that nodes record sum to N; it measures nothing.
type masses struct {
	nodes int
	first int
	at    []stepMass // by step from the first
}

// Begin implements Gauge.
func (m *masses) Begin(s *Span) []Column {
	m.first, m.at = s.First, make([]stepMass, s.Steps())
	return nil
}

// Listens implements Listening.
func (m *masses) Listens(quantity string) bool { return quantity == inbox.QuantityMass }

// Recorded implements Quantities.
func (m *masses) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if quantity == inbox.QuantityMass {
		m.weigh(at.Step, value)
	}
}

// State implements Gauge: a step is over before a state is saved.
func (m *masses) State(*messages.Codec) {}

// weigh takes a node's mass. Masses that do not sum to N although nothing is lost are a broken
// invariant, and a panic, which the runtime reports as the failure of a node at the step.
func (m *masses) weigh(step int, value float64) {
	n := float64(m.nodes)
	tolerance := float64(n * massTolerance * float64(step-m.first+1))
	if !(value >= 0 && value <= n+tolerance) {
		panic(fmt.Sprintf("a mass of %v in step %d; all nodes have %d", value, step, m.nodes))
	}
	s := &m.at[step-m.first]
	s.sum.Add(int64(math.Round(value * massUnit)))
	if s.count.Add(1) < int32(m.nodes) {
		return
	}
	sum := s.sum.Load() // all have added theirs
	if total := float64(float64(sum) / massUnit); !(math.Abs(total-n) <= tolerance) {
		panic(fmt.Sprintf("the masses of step %d sum to %v, want %d: mass is conserved where nothing is lost", step, total, m.nodes))
	}
}
