package claim

import (
	"slices"
	"strings"
)

// Verdict is what a run says of a claim; the package comment has the rule.
type Verdict string

// The verdicts.
const (
	Holds       Verdict = "holds"
	Partly      Verdict = "partly"
	DoesNotHold Verdict = "does not hold"
	Undecided   Verdict = "undecided"
	NotTestable Verdict = "not testable"
)

// Verdicts lists the verdicts.
func Verdicts() []Verdict { return []Verdict{Holds, Partly, DoesNotHold, Undecided, NotTestable} }

// State is what a part says of its claim.
type State string

// The states of a part.
const (
	For      State = "for"
	Against  State = "against"
	Open     State = "undecided" // its interval meets an end of the range
	Untested State = "not tested"
)

// Part is one number that a claim rests on.
type Part struct {
	Label string // what the number is
	// Value is the estimate; Low and High end its confidence interval at Level,
	// NaN where there is none.
	Value, Low, High, Level float64
	N                       int    // seeds behind it; 0 for what is derived and not measured
	Claimed                 string // where the claim has it, such as "> 0"
	State                   State
	Reason                  string // why it is not tested

	estimate estimate
	span     span
}

// Decision is a claim with its verdict and what it rests on.
type Decision struct {
	Claim      Claim
	Verdict    Verdict
	Statistics string // what was measured and how it was tested
	Parts      []Part
	Reason     string // why the claim is not testable
}

// verdict is that of decided parts. A claim is for all of its parts, so that one
// that is refuted refutes it.
func verdict(parts []Part) Verdict {
	count := map[State]int{}
	for _, part := range parts {
		count[part.State]++
	}
	switch {
	case count[Untested] == len(parts):
		return NotTestable
	case count[Against] > 0:
		return DoesNotHold
	case count[For] == len(parts):
		return Holds
	case count[For] > 0:
		return Partly
	}
	return Undecided
}

// reasons are those for which parts are not tested, each once.
func reasons(parts []Part) string {
	var list []string
	for _, part := range parts {
		if !slices.Contains(list, part.Reason) {
			list = append(list, part.Reason)
		}
	}
	return strings.Join(list, "; ")
}
