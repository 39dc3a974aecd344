// Package aggregation is who adds the noise of a round of a server and its clients, and who
// pays for it: what observers see of a round, what it costs, and what noise it has. It is not
// the machines, which ask it for noise, nor who takes part.
//
//	noise.go     what is asked of all of them, and what runs record
//	trusted.go   a server that sees all vectors, and adds noise to their sum
//	records.go   clients that add noise in every local step
//	keys.go      the keys of a server that is not trusted
//	sharing.go   clients that add noise to what they send, for such a server
//	learned.go   what observers learn of these
package aggregation
