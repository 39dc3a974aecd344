// Package federated has algorithms of a server and its clients, as their authors describe
// them: an Algorithm says what a client computes in a round, and what the server makes of
// the sum. Who takes part, clipping, noise, what it costs, accounts, metrics and audits
// follow. Package gossip is the same for nodes that are equals.
//
// A round, from 1, is a step of two hops. In the first the clients that take part send a
// vector; in the second the server adds the vectors up, plays the model that it makes of
// their sum, and sends it to all clients. Who takes part is drawn by clients themselves.
//
//	level: user      the server is trusted. Clients clip what they send, the server adds
//	                 noise to the sum, and the loss is for a client with all of its data
//	                 (McMahan, Ramage, Talwar, Zhang 2018)
//	                 With Aggregation it is not trusted, and clients add noise to what they
//	                 send: the server sees sums, shuffled messages, or noisy ones
//	level: record    nobody is trusted. Clients add noise in every local step, and the
//	                 loss is for one sample of one client
//
// The sum is divided by the number of clients that are expected to take part, which does
// not depend on who did: the estimator f of McMahan et al. 2018, section 3.2.
//
// With a Buffer the server takes a step when it has vectors of so many clients, however
// late they come, and not once a round.
//
// What clients and the server do is package machine, with its parts for authors; who takes part
// is package participation; who adds the noise of a round, and who pays, is package aggregation.
// This package plans an arm of them, and audits it.
//
//	federated.go       what an author describes, and the entry for the catalog
//	section.go         the keys of every such algorithm
//	metrics.go         what runs may record
//	plan.go            the plan of an arm
//	noise.go           how its noise is made
//	account.go         what observers learn, and what is claimed
//	refuse.go          what is refused of buffers, servers that are not trusted, and liars
//	run.go             the machines, and the job of a seed
//	audit.go           one client, there or not
//	auditrecord.go     one sample of a client, there or not
package federated
