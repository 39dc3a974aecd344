package ledger

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// Account is what one observer learns of the protected units of a run, by what
// the units have paid and by what was sent unprotected.
type Account struct {
	Observer accountant.Observer
	// Unit is what is protected, and neighbours which data are as good as the
	// same: the adjacency that all losses are for.
	Unit, Neighbours string
	Relation         accountant.Relation // neighbours in a word
	Claimed          string              // what the paper states
	Delta            float64
	By               accountant.Method
	// Converted tells that what is paid is for adding or removing a record, while
	// the account is for replacing one.
	Converted bool
	PaidFor   string // those neighbours, in words
	// Worth is what payments show the observer, where that is another loss than what was paid;
	// nil is what was paid.
	Worth *Worth
	// Bound is what the observer learns of a unit up to a step at most, where
	// that is a matter of the schedule; nil is what was paid.
	Bound func(step int) accountant.Loss
	// Chance tells that units take part by chance, so that one of which nothing was sent
	// may be among those for which Bound is no bound.
	Chance bool
	Why    string // it is not private, or the bound is another than what was paid
	// Guarantee is what the plan lets a unit, a participant, lose up to a step at most,
	// where what is paid depends on the data; nil elsewhere. It is the unit's loss: the
	// plan is a privacy filter, of a fixed number of releases of each kind in whatever
	// order the data have them come, and each kind's count is held beforehand. The sum of
	// what was paid is then the reading of an odometer (Rogers, Roth, Ullman, Vadhan 2016;
	// Whitehouse, Ramdas, Rogers, Wu 2023), which is no guarantee: it says something of
	// the data by itself.
	Guarantee func(unit, step int) accountant.Total
	// Before is what the start of the run has shown of the data; nil is nothing.
	Before *Before
	// Members are the participants of a coalition, ascending: Observer names them for
	// people. nil is another observer. Their own data are not protected from them.
	Members []messages.NodeID
	// Final tells that the account is of the end of the run alone, without a curve.
	Final bool
}

// Worth is what an observer learns by payments: of a sum, say, whoever is in it pays for its
// share of the noise, and who knows some of the others learns more. Accounts that have the same
// share a pointer.
type Worth struct {
	// Of is what a participant's payment in a step, of more than nothing, is to the observer
	// in the run of a seed. It is safe for concurrent use.
	Of func(seed uint64, node messages.NodeID, step int, paid accountant.Loss) accountant.Loss
	// Most is that of what the plan has the unit pay that loses the most, under any seed.
	Most func(step int, paid accountant.Loss) accountant.Loss
}

// Everywhere is the accounts of a run that shows all observers the same.
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

// ObserverIndex is the place of an observer in accountant.Observers.
func ObserverIndex(o accountant.Observer) int { return slices.Index(accountant.Observers(), o) }
