// Package aggregation is the noise of a round of a server and its clients: the participants
// that add it and pay for it, the views of observers, and the losses. Both depend on the rule by
// which clients take part in rounds, which is here, too: keys of a section, the draw of a client,
// and the consequences for all rounds: how often and how far apart a client takes part at most,
// and the mean number of clients in a round. The machines, which ask for noise, are elsewhere.
//
//	participation.go, calendar.go
//	              the rule of participation, and the rounds of a schedule
//	attendees.go  the clients of rounds that a server draws
//	listed.go     the clients of rounds that a file lists
//	checkin.go    the protocol of clients that check in
//	arrivals.go   the reports of clients that work at their own pace
//	noise.go      the interface of all noise, and its metrics
//	trusted.go    a server that sees all vectors, and adds noise to their sum
//	individual.go clients that differ in what they pay to such a server, and their filters
//	records.go    clients that add noise in every local step
//	keys.go       the keys of a server that is not trusted
//	sharing.go    clients that add noise to their messages, for such a server
//	learned.go    the losses of these clients to observers
package aggregation
