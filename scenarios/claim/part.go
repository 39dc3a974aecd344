package claim

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Verdict is the verdict of a run on a claim; the package comment has the rule.
type Verdict string

// The verdicts.
const (
	// The rule is in the package comment; these are its words as reports print them.
	Holds       Verdict = "holds"
	Partly      Verdict = "partly"
	DoesNotHold Verdict = "does not hold"
	Undecided   Verdict = "undecided"
	NotTestable Verdict = "not testable"
)

// Verdicts lists the verdicts.
func Verdicts() []Verdict { return []Verdict{Holds, Partly, DoesNotHold, Undecided, NotTestable} }

// State is the state of a part of a claim.
type State string

// The states of a part.
const (
	For      State = "for"
	Against  State = "against"
	Open     State = "undecided" // its interval meets an end of the range
	Untested State = "not tested"
)

// Part is one number on which a claim rests.
type Part struct {
	// Label names the number, such as "epsilon=2 - epsilon=1".
	Label string
	// Value is the estimate; Low and High end its confidence interval at Level,
	// NaN where there is none.
	Value, Low, High, Level float64
	// N is the number of seeds behind the number; 0 for a number that is derived and not
	// measured.
	N int
	// Claimed is its claimed range, such as "> 0".
	Claimed string // where the claim has it, such as "> 0"
	// State is the part's evidence for or against the claim.
	State State
	// Reason is the reason why the part is not tested.
	Reason string

	estimate estimate
	span     span
}

// verdict returns the verdict from decided parts. A claim is the conjunction of its parts: one
// refuted part refutes it.
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

// reasons returns the reasons why parts are not tested, each once.
func reasons(parts []Part) string {
	var list []string
	for _, part := range parts {
		if !slices.Contains(list, part.Reason) {
			list = append(list, part.Reason)
		}
	}
	return strings.Join(list, "; ")
}

// side reports whether an interval lies wholly in the span, wholly outside, or neither.
func (s span) side(low, high float64) State {
	touches := func(x float64) bool { return s.open && !math.IsInf(x, 0) && (x == s.low || x == s.high) }
	switch {
	case low >= s.low && high <= s.high && !touches(low) && !touches(high):
		return For
	case high < s.low || low > s.high, high == s.low && touches(high), low == s.high && touches(low):
		return Against
	}
	return Open
}

// decide gives the parts their intervals and states by Holm's method: the parts are taken by
// ascending p-value, the i-th of k is tested at (1-level)/(k-i+1), and from the first one that
// is not decided on the same level is kept. A part's interval has the level at which the part
// was tested, so that it meets an end of its span if and only if the part is undecided.
func decide(parts []Part, level float64) {
	var tested []int
	p := make([]float64, len(parts))
	for i := range parts {
		part := &parts[i]
		part.Value, part.N = part.estimate.value, part.estimate.n
		part.Low, part.High = math.NaN(), math.NaN()
		part.State = Untested
		if part.Reason == "" {
			part.Reason = part.estimate.missing()
		}
		if part.Reason == "" {
			p[i] = part.span.p(part.estimate)
			tested = append(tested, i)
		}
	}
	// The clearest part first: it has to pass the strictest level.
	slices.SortStableFunc(tested, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	alpha, stopped := 0.0, false
	for rank, i := range tested {
		part := &parts[i]
		if !stopped {
			alpha = (1 - level) / float64(len(tested)-rank)
		}
		part.Level = 1 - alpha
		part.Low, part.High = part.estimate.interval(part.Level)
		part.State = part.span.side(part.Low, part.High)
		stopped = stopped || part.State == Open
	}
}
