package gauge

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"starling/messages"
)

// Stop is a participant's early end.
type Stop struct {
	Node   messages.NodeID
	Step   int
	Reason string
}

// stopList is the part of a meter that keeps the participants that ended early.
type stopList struct {
	mu   sync.Mutex
	list []Stop // guarded by mu: by arrival until Stops orders them
}

// Stopped implements algorithm.Meter.
func (l *stopList) Stopped(node messages.NodeID, step int, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, Stop{Node: node, Step: step, Reason: reason})
}

// firstStop returns the first step in which a participant ended its part; math.MaxInt if none
// has.
func (l *stopList) firstStop() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := math.MaxInt
	for i := range l.list {
		first = min(first, l.list[i].Step)
	}
	return first
}

// Stops lists the participants that ended early, by step, then node. The run
// must be over; the list is the meter's.
func (l *stopList) Stops() []Stop {
	slices.SortFunc(l.list, func(a, b Stop) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Node, b.Node))
	})
	return l.list
}

// State goes through the list.
func (l *stopList) State(c *messages.Codec) {
	messages.Slice(c, "stop", &l.list, math.MaxInt32, func(s *Stop) { s.State(c) })
}

// State implements messages.Stateful.
func (s *Stop) State(c *messages.Codec) {
	messages.Integer(c, "node", &s.Node)
	c.Int("step", &s.Step)
	c.Text("reason", &s.Reason)
}
