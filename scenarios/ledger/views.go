package ledger

import (
	"starling/mechanisms/accountant"
	"starling/messages"
)

// View is an observer of a run, about which the plan of an algorithm is asked.
type View struct {
	Observer accountant.Observer
	// Members are the participants of a coalition, ascending and read only; nil for the
	// observers wire, server, peer and public.
	Members []messages.NodeID
}

// Learns returns an upper bound on the loss of a unit, a participant, to a view from the start
// of a run up to a step. It counts all that the view sees in that time, for the neighbours of
// the account. said is false if the plan states no loss for the view; the loss is then the
// unit's payments. A total that is not private means that nothing bounds the loss.
//
// The total includes messages that reach the view by way of others. Of raw payloads, the
// ledger itself counts only those that a member receives. If said is true, Learns answers for
// all other receivers. If said is false, the ledger counts a raw payload as passed on to
// everybody.
//
// It is called when the run is over, by one goroutine: for one view after the other, for each
// by ascending steps, and in a step by ascending units.
type Learns func(of View, unit messages.NodeID, step int) (total accountant.Total, said bool, err error)

// views is the ledger's knowledge of observers beyond the four that all runs have.
type views struct {
	make   func() Learns
	learns Learns // made when it is first asked for
	made   bool
	// watched are the members of coalitions, ascending, if the plan states their losses: for
	// each the ledger keeps the messages that it received.
	watched []messages.NodeID
}

// sightings are the first steps, counted from 1, in which a member of a coalition was sent
// something raw, and something as released that nobody had paid for. 0 is never.
type sightings struct{ raw, unpaid int32 }
