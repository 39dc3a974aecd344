package algorithm

import "starling/messages"

// Late is the treatment of a message that comes late, in a network with effects: one that was
// sent for a round of a server that is over, or one that nodes without a server sent before the
// turn before.
type Late string

const (
	// LateDrop leaves it out: it was learned from a model that is no longer the server's, and
	// a straggler would pull the mean back towards that. The zero value means it.
	LateDrop Late = "drop"
	// LateUse takes it with the messages that are in time, in the round or turn in which it
	// comes.
	LateUse Late = "use"
)

// Known reports whether there is such a rule. The zero value is one.
func (l Late) Known() bool { return l == "" || l == LateDrop || l == LateUse }

// Takes reports whether a message counts in this turn.
func (l Late) Takes(t *Turn, e *messages.Envelope) bool { return l == LateUse || !t.Late(e) }
