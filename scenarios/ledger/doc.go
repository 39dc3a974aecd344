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
//	ledger.go    accounts, observers, sums of payments by point, raw payloads
//	bills.go     what the plan has a participant pay in a step, and what is held against it
//	cohort.go    one account for participants that pay and show the same
//	budget.go    what a participant may still pay
//	standing.go  what a unit has paid and shown, its own and its server's
//	learned.go   what observers learn of units: named nodes and coalitions among them
//	start.go     what the start of the run has shown before
//	stated.go    the metrics of what is paid
//
// A loss is paid before the noise is drawn, and a payload is sent with a receipt of that.
// What is sent raw is free to send, and costs every observer of the link its account:
// nothing bounds what that observer learns.
package ledger
