package networks

import (
	"fmt"
	"math"
)

// CheckIn is the protocol of a round with clients that check in (Bonawitz et al. 2019).
type CheckIn struct {
	Goal     int     `yaml:"goal,required" min:"1" max:"10000000" says:"a goal of %v reports" unit:"reports" doc:"reports that end a round"`
	Over     float64 `yaml:"over" min:"0" max:"100" says:"over = %v" unit:"share" doc:"over-selection: the server admits (1 + over) goal clients, rounded up; later reports are dropped; absent, 0"`
	Deadline float64 `yaml:"deadline,required" over:"0" max:"1e9" says:"a deadline of %v" unit:"seconds" doc:"seconds after which a round ends with the reports that there are"`
	Late     string  `yaml:"late" oneof:"drop use" doc:"late reports: drop, they are dropped; use, one that arrives before the next round ends is one of the reports of that round, with the weight 1/sqrt(2) of a model that is a step old; absent, drop"`
	Least    *int    `yaml:"least" min:"1" says:"at least %v reports" unit:"reports" doc:"reports without which a round is abandoned at the deadline: the model stays, and the server tries again; absent, the goal"`
}

// UsesLate reports whether late reports are used in the next round.
func (c *CheckIn) UsesLate() bool { return c != nil && c.Late == "use" }

// AtLeast is the number of reports that a round needs.
func (c *CheckIn) AtLeast() int {
	if c.Least == nil {
		return c.Goal
	}
	return *c.Least
}

// Places is the number of clients that are admitted to a round.
func (c *CheckIn) Places() int { return int(math.Ceil(float64(c.Goal)*(1+c.Over) - 1e-9)) }

// String describes the protocol in a sentence.
func (c *CheckIn) String() string {
	text := fmt.Sprintf("the server admits %d clients that check in, a round ends with %d reports or after %.6g s, and is abandoned and tried again with fewer than %d", c.Places(), c.Goal, c.Deadline, c.AtLeast())
	if c.UsesLate() {
		text += "; a late report is one of those of the next round"
	}
	return text
}

// ChecksIn reports whether clients check in; a nil clock has none that do.
func (c *Clock) ChecksIn() bool { return c != nil && c.CheckIn != nil }
