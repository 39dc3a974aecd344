// Package aggregation is the noise of a round of a server and its clients: the participants
// that add it and pay for it, the views of observers, and the losses. It is neither the machines,
// which ask it for noise, nor the rule of participation.
//
//	noise.go      the interface of all noise, and its metrics
//	trusted.go    a server that sees all vectors, and adds noise to their sum
//	individual.go clients that differ in what they pay to such a server, and their filters
//	records.go    clients that add noise in every local step
//	keys.go       the keys of a server that is not trusted
//	sharing.go    clients that add noise to their messages, for such a server
//	learned.go    the losses of these clients to observers
package aggregation
