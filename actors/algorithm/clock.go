package algorithm

import "starling/messages"

// Clock counts the turns of a run and says which step and hop each is. The
// zero value is not ready; Run.Clock returns one at the first turn to run.
type Clock struct {
	run *Run
	// Turn counts from 0. Offset is the step counted from 0, Step its index
	// in the paper, Hop the exchange within it.
	Turn, Offset, Step, Hop int
}

// Clock returns the clock of the run at the first turn to run: the first of
// all, or where the run resumes.
func (r *Run) Clock() Clock {
	c := Clock{run: r, Step: r.FirstStep}
	for c.Offset < r.start() {
		c.Turn += c.hops()
		c.Offset++
		c.Step++
	}
	return c
}

// Pauses tells whether the run pauses before this turn.
func (c *Clock) Pauses() bool { return c.run.pausesAt(c) }

// Done tells that the horizon has been reached: there is no such turn.
func (c *Clock) Done() bool { return c.Offset >= c.run.Steps }

// Next moves to the next turn.
func (c *Clock) Next() {
	c.Turn++
	c.Hop++
	if c.Hop >= c.hops() {
		c.Hop = 0
		c.Offset++
		c.Step++
	}
}

// Acting returns the nodes that have a turn now: first .. end-1.
func (c *Clock) Acting() (first, end messages.NodeID) {
	all := messages.NodeID(len(c.run.Machines))
	if c.run.Acts == nil {
		return 0, all
	}
	first, end = c.run.Acts(c.Offset, c.Hop)
	return max(first, 0), min(end, all)
}

// acting is a range of nodes.
type acting struct{ first, end messages.NodeID }

func (a acting) has(node messages.NodeID) bool { return a.first <= node && node < a.end }

// Following returns who acts in the next turn: first .. end-1. After the last there is
// nobody to read what is sent, and everybody may be sent to.
func (c *Clock) Following() (first, end messages.NodeID) {
	next := *c
	next.Next()
	if next.Done() {
		return 0, messages.NodeID(len(c.run.Machines))
	}
	return next.Acting()
}

func (c *Clock) hops() int {
	if c.run.Hops == nil {
		return 1
	}
	return c.run.Hops(c.Offset)
}
