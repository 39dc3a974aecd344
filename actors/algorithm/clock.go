package algorithm

import "starling/messages"

// Schedule describes the turns of a run. It is read only.
type Schedule struct {
	FirstStep int // the index of the first step in the paper
	Steps     int // the horizon
	Nodes     int
	// Hops is the number of turns of the step with an offset, from 0; nil is one in each.
	Hops func(offset int) int
	// Acts returns the nodes that have a turn in a hop of such a step; nil is all.
	Acts func(offset, hop int) (first, end messages.NodeID)
	// Start is the offset of the first step to run.
	Start int
	// Every is the number of steps between pauses, counted from the first; 0 is no pause.
	Every int
}

// Clock returns the clock at the first turn to run. It keeps the schedule.
func (s *Schedule) Clock() Clock {
	c := Clock{schedule: s, Step: s.FirstStep}
	for c.Offset < s.Start {
		c.Turn += s.HopsOf(c.Offset)
		c.Offset++
		c.Step++
	}
	return c
}

// TurnOf returns the first turn of the step with an offset.
func (s *Schedule) TurnOf(offset int) (turn int) {
	for of := range offset {
		turn += s.HopsOf(of)
	}
	return turn
}

// HopsOf is the number of turns of the step with an offset.
func (s *Schedule) HopsOf(offset int) int {
	if s.Hops == nil {
		return 1
	}
	return s.Hops(offset)
}

// Acting returns the nodes that have a turn in a hop of the step with an offset.
func (s *Schedule) Acting(offset, hop int) Range {
	all := messages.NodeID(s.Nodes)
	if s.Acts == nil {
		return Range{0, all}
	}
	first, end := s.Acts(offset, hop)
	return Range{max(first, 0), min(end, all)}
}

// Range is the nodes First .. End-1.
type Range struct{ First, End messages.NodeID }

// Has reports whether a node is among them.
func (r Range) Has(node messages.NodeID) bool { return r.First <= node && node < r.End }

// Clock counts the turns of a run and gives the step and hop of each. The zero value is not
// ready; Schedule.Clock returns one at the first turn to run.
type Clock struct {
	schedule *Schedule
	// Turn counts from 0. Offset is the step counted from 0, Step its index
	// in the paper, Hop the exchange within it.
	Turn, Offset, Step, Hop int
}

// Pauses reports whether the run pauses before this turn, which is the first after the pause.
// A run pauses neither before its first turn nor after its last.
func (c *Clock) Pauses() bool {
	s := c.schedule
	return s.Every > 0 && c.Hop == 0 && c.Offset%s.Every == 0 && c.Offset > s.Start && !c.Done()
}

// Done reports whether the horizon has been reached: the clock is then past the last turn.
func (c *Clock) Done() bool { return c.Offset >= c.schedule.Steps }

// Next moves to the next turn.
func (c *Clock) Next() {
	c.Turn++
	c.Hop++
	if c.Hop >= c.schedule.HopsOf(c.Offset) {
		c.Hop = 0
		c.Offset++
		c.Step++
	}
}

// Acting returns the nodes that have a turn now: first .. end-1.
func (c *Clock) Acting() (first, end messages.NodeID) {
	acting := c.schedule.Acting(c.Offset, c.Hop)
	return acting.First, acting.End
}

// Following returns the nodes that act in the next turn: first .. end-1. After the last turn
// no node reads messages, and all nodes may be sent to.
func (c *Clock) Following() (first, end messages.NodeID) {
	next := *c
	next.Next()
	if next.Done() {
		return 0, messages.NodeID(c.schedule.Nodes)
	}
	return next.Acting()
}
