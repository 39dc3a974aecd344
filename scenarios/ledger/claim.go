package ledger

import "math"

// Claim is a paper's statement of the privacy of a run.
type Claim struct {
	// Text is the statement in words.
	Text string
	// Epsilon is the claimed loss of the whole run at Delta; NaN where the paper claims no such
	// number.
	Epsilon, Delta float64
}

// Worded returns a claim in words alone.
func Worded(text string) Claim { return Claim{Text: text, Epsilon: math.NaN()} }

// String implements fmt.Stringer.
func (c Claim) String() string { return c.Text }
