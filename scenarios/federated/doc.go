// Package federated has algorithms of a server and its clients, as their authors describe
// them: an Algorithm gives the vectors that clients compute in a round, and the model that the
// server makes of their sum. Participation, clipping, noise, losses, accounts, metrics and
// audits follow. Package gossip is the same for nodes without a server.
//
// A round, from 1, is a step of two hops. In the first the clients that take part send a
// vector. In the second the server adds the vectors up, makes a model of their sum, plays it,
// and sends it to all clients. Clients draw by themselves whether they take part, or the server
// draws them.
//
//	level: user      the server is trusted. Clients clip their vectors, the server adds
//	                 noise to the sum, and the loss is for a client with all of its data
//	                 (McMahan, Ramage, Talwar, Zhang 2018)
//	                 With Aggregation the server is not trusted, and clients add noise to
//	                 their vectors: the server sees sums, shuffled messages, or noisy ones
//	level: record    nobody is trusted. Clients add noise in every local step, and the
//	                 loss is for one sample of one client
//
// The sum is divided by the expected number of clients in a round, not by the actual number:
// the estimator f of McMahan et al. 2018, section 3.2.
//
// Stragglers take fewer local steps in a round than Tau, and send their partial updates or
// nothing. Their draws are public: losses count on none. A client without an update is as one
// that sends zeros, so every bound on the moves of a sum covers it.
//
// With a Buffer the server takes a step when it has vectors of a given number of clients,
// however late they come, and not once a round. By a clock, clients then work at their own pace.
//
// Package machine has the machines of clients and the server, with the parts that authors
// describe. Package aggregation has the rule of participation, the noise of a round and its
// payments. This package plans an arm of them, and audits it.
//
//	federated.go       the description by an author, and the entry for the catalog
//	section.go         the keys of every such algorithm
//	metrics.go         the metrics of runs
//	plan.go            the plan of an arm
//	averaging.go       federated averaging under levels of servers, with a section of its own
//	population.go      clients that a server draws from a population that no run holds
//	clock.go           the seconds of rounds
//	checkin.go         clients that check in
//	arrivals.go        clients that work at their own pace
//	rounds.go          the rounds of a schedule of the topology
//	noise.go           the noise of the plan
//	individual.go      clients of a trusted server with a rate, a clip or a filter of their own
//	account.go         the losses to observers, and the claim
//	refuse.go          refusals for buffers, servers that are not trusted, and liars
//	run.go             the machines, and the job of a seed
//	audit.go           one client, there or not
//	canary.go          the sample by which clients that protect their samples are audited
//	auditrecord.go     one sample of a client, there or not
//	auditindividual.go one client of each kind, there or not
package federated
