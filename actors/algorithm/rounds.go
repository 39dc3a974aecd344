package algorithm

import "starling/messages"

// Late says what becomes of a message that comes late, in a network with effects: what
// was sent for a round of a server that is over, and what nodes that are equals sent
// before the turn before.
type Late string

const (
	// LateDrop leaves it out: it was learned from a model that is no longer the
	// server's, and a straggler would pull the mean back towards that. It is
	// what the zero value means.
	LateDrop Late = "drop"
	// LateUse takes it with what is in time, in the round or turn in which it comes.
	LateUse Late = "use"
)

// Known reports whether there is such a rule; the zero value is one.
func (l Late) Known() bool { return l == "" || l == LateDrop || l == LateUse }

// Takes reports whether a message counts in this turn.
func (l Late) Takes(t *Turn, e *messages.Envelope) bool { return l == LateUse || !t.Late(e) }
