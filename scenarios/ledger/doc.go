// Package ledger is the book of a run. It records the payments of participants, the links on
// which each has shown something, the bills of the plan and the budget. It knows observers and
// protected units, and no arm, scenario or algorithm; package accounts reads the results of an
// arm's book.
//
//	machine --pays a loss----> Ledger.Spent    the budget, then the bill of the step, then the sum
//	machine --sends a payload> Ledger.Exposed  the observers of the link, and whether it was paid for
//	the run is over ---------> Ledger.Settled  a payment that the plan has and nobody made
//	                           Ledger.Groups   units that have paid and shown the same
//	                           Ledger.Finish   the metrics epsilon.*, through the meter's rows
//
//	file         contents
//	start.go     the loss of the model that the run starts from
//	account.go   the loss of the units to one observer, by the plan
//	epsilon.go   totals of losses as epsilons
//	budget.go    the limit on the payments of a participant
//	bill.go      the payments that a plan expects of a participant in a step
//	views.go     the observers that the plan is asked about: named nodes and coalitions too
//	book.go      the state of the ledger: sums of payments by point, and raw payloads
//	stated.go    epsilons of payments
//	apart.go     cohorts: participants with equal accounts, and their separation
//	dues.go      payments held against the bill of their step
//	links.go     messages that observers of links of their own see, such as a level of servers
//	watch.go     messages that members of coalitions receive
//	ledger.go    payments and payloads as they come
//	cohort.go    payments and payloads of many participants in one call
//	standing.go  the payments and exposures of a unit, its own and its server's
//	learned.go   the loss of units to observers
//	single.go    epsilons of single participants
//	metrics.go   the metrics epsilon.*
//	cost.go      the costs of a saved model, in the metadata of its file, so that a run that
//	             continues from the file continues from its losses: for each data set that the
//	             model learned from, the protected unit, the observer and the loss
//
// Each file uses only those above it. The exceptions are book.go, which holds the sums that
// stated.go adds up, and the constructor in ledger.go, which makes the columns of single.go.
//
// A loss is paid before the noise is drawn, and a payload is sent with a receipt of that
// payment. A raw payload is free to send, and costs every observer of the link its account:
// nothing bounds the knowledge of that observer.
package ledger
