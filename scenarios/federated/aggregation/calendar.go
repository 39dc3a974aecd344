package aggregation

import "slices"

// Calendar gives the steps of a run the rounds of a server, where some steps have none: clients and
// server meet in the steps of a schedule, and a client takes the local steps of all steps since the
// round before. The schedule is public, so that a step without a round shows nothing. Steps and
// rounds count from 1. A nil calendar has a round in every step. It is immutable.
type Calendar struct{ steps []int } // of the rounds, ascending

// NewCalendar returns the rounds of a run of so many steps. sends takes steps from 1.
func NewCalendar(steps int, sends func(step int) bool) *Calendar {
	c := &Calendar{}
	for step := 1; step <= steps; step++ {
		if sends(step) {
			c.steps = append(c.steps, step)
		}
	}
	return c
}

// Round returns the number of rounds up to a step, from 0, and reports whether the step has one.
func (c *Calendar) Round(step int) (round int, there bool) {
	if c == nil {
		return step, step > 0
	}
	k, there := slices.BinarySearch(c.steps, step)
	if there {
		k++
	}
	return k, there
}

// Has reports whether a step has a round.
func (c *Calendar) Has(step int) bool {
	_, there := c.Round(step)
	return there
}

// Since returns the number of steps from the round before, without its step, to a step with a round.
// It is 0 for other steps.
func (c *Calendar) Since(step int) int {
	switch round, there := c.Round(step); {
	case !there:
		return 0
	case c == nil:
		return 1
	case round == 1:
		return step
	default:
		return step - c.steps[round-2]
	}
}

// Rounds is the number of rounds in so many steps.
func (c *Calendar) Rounds(steps int) int {
	round, _ := c.Round(steps)
	return round
}

// Longest is the largest number of steps of a round; see Since. It is 0 without rounds.
func (c *Calendar) Longest() (longest int) {
	if c == nil {
		return 1
	}
	for _, step := range c.steps {
		longest = max(longest, c.Since(step))
	}
	return longest
}

// First is the step of the first round, and 1 where there is none.
func (c *Calendar) First() int {
	if c == nil || len(c.steps) == 0 {
		return 1
	}
	return c.steps[0]
}
