package ledger

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// Account is the loss of a run's protected units to one observer, by the payments of the units
// and the messages that were sent unprotected.
type Account struct {
	Observer accountant.Observer
	// Unit is the protected unit. Neighbours says which data are as good as the same: the
	// adjacency that all losses are for.
	Unit, Neighbours string
	// Protects is the extent of the unit.
	Protects Protected
	Relation accountant.Relation // neighbours in a word
	Claimed  Claim               // the statement of the paper
	// Delta is the delta of all units or, where Own is not nil, the largest: a loss that is at most
	// epsilon_i at delta_i is at most epsilon_i at any larger delta.
	Delta float64
	Own   *OwnDeltas
	By    accountant.Method
	// Converted means that payments are for adding or removing a record, while the account is
	// for replacing one.
	Converted bool
	PaidFor   string // the neighbours that payments are for, in words
	// Worth turns payments into the loss to the observer, where that differs from the
	// payments; nil is the payments.
	Worth *Worth
	// Bound returns the largest loss of a unit to the observer up to a step, where the
	// schedule alone decides it; nil is the payments.
	Bound func(step int) accountant.Loss
	// Chance means that units take part by chance. A unit that was sent nothing may then be
	// among those for which Bound is no bound, and messages of a server may have nothing of a
	// unit that is idle.
	Chance bool
	Why    string // it is not private, or the bound differs from the payments
	// Guarantee returns the largest loss of a unit, a participant, up to a step that the plan
	// permits, where payments depend on the data; nil elsewhere. It is the unit's loss. The
	// plan is a privacy filter, with a fixed number of releases of each kind in whatever order
	// the data have them come, and each kind's count is held beforehand. The sum of the
	// payments is then the reading of an odometer (Rogers, Roth, Ullman, Vadhan 2016;
	// Whitehouse, Ramdas, Rogers, Wu 2023). That is no guarantee: it says something of the
	// data by itself.
	Guarantee func(unit, step int) accountant.Total
	// Before is the loss of the data by the model that the run starts from; nil is nothing.
	Before *Before
	// Members are the participants of a coalition, ascending; Observer is its name for people.
	// nil is another observer. Their own data are not protected from them.
	Members []messages.NodeID
	// Links reports whether the observer sees messages from one participant to another, where it is
	// none of accountant.Observers and no coalition; nil is one of these.
	Links func(from, to messages.NodeID) bool
	// Final means that the account is of the end of the run alone, without a curve.
	Final bool
}

// OwnDeltas are the deltas of the units that the losses of each are stated at, of the participants from
// First on.
type OwnDeltas struct {
	First  messages.NodeID
	Deltas []float64
}

// DeltaOf is the delta of a unit, a participant. Another participant, such as a server, pays for several: it
// has the smallest.
func (a *Account) DeltaOf(unit int) float64 {
	if a.Own != nil {
		if k := unit - int(a.Own.First); k >= 0 && k < len(a.Own.Deltas) {
			return a.Own.Deltas[k]
		}
		return a.LeastDelta()
	}
	return a.Delta
}

// For returns the account at the delta of a unit.
func (a *Account) For(unit int) *Account {
	if a.Own == nil {
		return a
	}
	of := *a
	of.Delta, of.Own = a.DeltaOf(unit), nil
	return &of
}

// LeastDelta is the smallest delta of a unit.
func (a *Account) LeastDelta() float64 {
	if a.Own == nil || len(a.Own.Deltas) == 0 {
		return a.Delta
	}
	return slices.Min(a.Own.Deltas)
}

// Protected is the extent of a protected unit.
type Protected string

// The extents of units.
const (
	ProtectsRecord      Protected = "record"      // one datum
	ProtectsParticipant Protected = "participant" // all data of a client, or of a node
)

// Worth turns payments into losses to an observer. In a sum, for example, each participant
// pays for its share of the noise, and an observer that knows some of the others learns more.
// Accounts with the same Worth share a pointer.
type Worth struct {
	// Of returns the loss to the observer for a participant's payment in a step, of more than
	// nothing, in the run of a seed. It is safe for concurrent use.
	Of func(seed uint64, node messages.NodeID, step int, paid accountant.Loss) accountant.Loss
	// Most returns the same for the planned payment of the unit that loses the most, under any
	// seed.
	Most func(step int, paid accountant.Loss) accountant.Loss
}

// Everywhere returns the accounts of a run that shows all observers the same.
func Everywhere(a Account, observers ...accountant.Observer) []Account {
	list := make([]Account, len(observers))
	for i, o := range observers {
		list[i] = a
		list[i].Observer = o
	}
	return slices.Clip(list)
}

// observerCount is the number of observers.
const observerCount = 4

// ObserverIndex returns the place of an observer in accountant.Observers.
func ObserverIndex(o accountant.Observer) int { return slices.Index(accountant.Observers(), o) }
