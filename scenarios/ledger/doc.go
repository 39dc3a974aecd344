// Package ledger is the book of a run: what participants pay, to whom they show what,
// what a plan has them pay, and what a budget allows. It knows observers and protected
// units, and no arm, scenario or algorithm; package accounts says what the book of an arm
// comes to.
//
//	machine --pays a loss----> Ledger.Spent    the budget, then the bill of the step, then the sum
//	machine --sends a payload> Ledger.Exposed  who sees the link, and whether it was paid for
//	the run is over ---------> Ledger.Settled  a payment that the plan has and nobody made
//	                           Ledger.Groups   units that have paid and shown the same
//	                           Ledger.Finish   the metrics epsilon.*, through the meter's rows
//
//	file         what it has
//	start.go     what the start of the run has shown before
//	account.go   what one observer learns of the units, as the plan says it
//	epsilon.go   totals of losses as epsilons
//	budget.go    what a participant may still pay
//	bill.go      what the plan has a participant pay in a step
//	views.go     whom the plan is asked about: named nodes and coalitions among them
//	book.go      sums of payments by point, and raw payloads: what the ledger keeps
//	stated.go    epsilons of what is paid
//	apart.go     participants that pay and show the same, and that do no longer
//	dues.go      payments held against the bill of their step
//	watch.go     what members of coalitions are sent
//	ledger.go    payments and payloads as they come
//	cohort.go    those of many participants in one call
//	metrics.go   the metrics epsilon.*
//	standing.go  what a unit has paid and shown, its own and its server's
//	learned.go   what observers learn of units
//
// Each file leans on those above it alone, but for book.go, which holds what stated.go adds
// up.
//
// A loss is paid before the noise is drawn, and a payload is sent with a receipt of that.
// What is sent raw is free to send, and costs every observer of the link its account:
// nothing bounds what that observer learns.
package ledger
