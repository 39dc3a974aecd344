package algorithm

// Clock counts the turns of a run and says which step and hop each is. The
// zero value is not ready; Run.Clock returns one at the first turn.
type Clock struct {
	run *Run
	// Turn counts from 0. Offset is the step counted from 0, Step its index
	// in the paper, Hop the exchange within it.
	Turn, Offset, Step, Hop int
}

// Clock returns the clock of the run at its first turn.
func (r *Run) Clock() Clock {
	return Clock{run: r, Step: r.FirstStep}
}

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

func (c *Clock) hops() int {
	if c.run.Hops == nil {
		return 1
	}
	return c.run.Hops(c.Offset)
}
