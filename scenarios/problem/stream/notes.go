package stream

import (
	"fmt"
)

// Note is something that a reader of results needs besides them.
type Note struct{ Name, Text string }

// Rounds counts the rounds by the status of their least losses.
type Rounds struct {
	Count     int
	Separable int // their infimum is 0, and no x attains it
	Undecided int // their least loss is known up to LargestGap only
	// LargestGap is the largest amount by which a round's value may be above
	// its least loss.
	LargestGap float64
}

// Rounds solves every round that has not been solved, and counts.
func (c *Comparator) Rounds() Rounds {
	all := Rounds{Count: c.shape.Rounds}
	for r := range c.shape.Rounds {
		optimum := c.Round(r)
		switch optimum.Status {
		case Separable:
			all.Separable++
		case Undecided:
			all.Undecided++
		}
		all.LargestGap = max(all.LargestGap, optimum.Gap)
	}
	return all
}

// String returns the counts in a line.
func (r Rounds) String() string {
	text := fmt.Sprintf("%d of %d rounds are separable", r.Separable, r.Count)
	if r.Separable > 0 {
		text += ": their least loss 0 is not attained, and dynamic regret is plain loss there"
	}
	if r.Undecided > 0 {
		text += fmt.Sprintf("; of %d the least loss is known to %.2g only", r.Undecided, r.LargestGap)
	}
	return text
}

// Notes returns notes for reading dynamic regret on a logistic stream: the number of separable
// rounds, the constants of the loss, and that Lemma IV.9 has no value without a ridge term. It
// solves all rounds that have not been solved. If leftOut is not empty it solves nothing, and
// leftOut is the reason.
func (l Logistic) Notes(c *Comparator, leftOut string) []Note {
	if l.l2 > 0 {
		return []Note{
			{"gradient bound B_g", "none of the loss itself: that of the ridge term grows with ||x||, and gradients need clipping"},
			{"smoothness L", fmt.Sprintf("%.6g", l.Smoothness())},
			{"strong convexity mu", fmt.Sprintf("%.6g", l.l2)},
		}
	}
	rounds := leftOut
	if rounds == "" {
		rounds = c.Rounds().String()
	}
	notes := []Note{{"rounds", rounds}}
	if l.Bounded() {
		notes = append(notes,
			Note{"gradient bound B_g", fmt.Sprintf("%.6g, of the loss itself; nothing is clipped at or above it", l.GradientBound())},
			Note{"smoothness L", fmt.Sprintf("%.6g", l.Smoothness())})
	} else {
		notes = append(notes,
			Note{"gradient bound B_g", "none of the loss itself: features are not normalised, and gradients need clipping"},
			Note{"smoothness L", "none: features are not normalised"})
	}
	return append(notes, Note{"bound of Lemma IV.9",
		"undefined: the logistic loss has no mu > 0 on all of R^d (Assumption IV.4), and separable rounds have no set of optima"})
}
