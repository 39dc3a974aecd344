package ledger

import (
	"starling/mechanisms/accountant"
	"starling/messages"
)

// View is an observer of a run, as the plan of an algorithm is asked about it.
type View struct {
	Observer accountant.Observer
	// Members are the participants of a coalition, ascending and read only; nil of the
	// observers wire, server, peer and public.
	Members []messages.NodeID
}

// Learns says what a view learns of a unit, a participant, from the start of a run up to a
// step at most, by all that it sees in that time and for the neighbours of the account;
// said is false where the plan says nothing of the view, which then learns what the unit
// paid. A total that is not private says that nothing bounds it.
//
// It counts what reaches the view on the way over others. Of raw payloads the ledger itself
// counts those alone that a member receives: who they reach besides is what said answers
// for. What nobody says anything of counts as passed on, to everybody.
//
// It is called when the run is over, by one goroutine: for one view after the other, for
// each by ascending steps, and in a step by ascending units.
type Learns func(of View, unit messages.NodeID, step int) (total accountant.Total, said bool, err error)

// views is what a ledger knows of observers beyond the four that all runs have.
type views struct {
	make   func() Learns
	learns Learns // made when it is first asked for
	made   bool
	// watched are the members of coalitions, ascending, where the plan says what these
	// learn: of each the ledger keeps what it was sent.
	watched []messages.NodeID
}

// sightings are the first steps, counted from 1, in which a member of a coalition was sent
// something raw, and something as released that nobody had paid for. 0 is never.
type sightings struct{ raw, unpaid int32 }
