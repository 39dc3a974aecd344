// Package ofl plans online federated learning with correlated noise (Zhang, Zhu, Fay,
// Johansson): its section of a scenario, the losses of its releases, its bounds of regret, and
// its audit. The algorithm itself is actors/algorithm/ofl.
//
//	the paper                                     here
//	(epsilon, delta) for one datum of a client    mechanism.go: the scale V_i of the noise
//	2 B_g, how far a datum moves an input         oflPlan.perInput
//	||b^{r,t}||^2, the rows of B                  rowNorms
//	Lemma IV.9, dynamic regret                    oflPlan.dynamicBound
//	Corollary IV.11, independent noise            the same, where the mechanism is independent
//	Corollary IV.12, static regret                boundNotes: bound-static
//	Theorem IV.10 and Corollary IV.12, orders     rateNotes
//
//	ofl.go         the section, and the plan of an arm
//	run.go         the machines, and the job of a seed
//	mechanism.go   noise: of a factorization of prefix sums, or of each input by itself
//	groups.go      learners with an epsilon of their own
//	bound.go       the bounds on the data of a seed, with their terms
//	notes.go       how much work comparators and notes may take
//	tiers.go       levels of servers
//	gauges.go, clips.go, metrics.go
//	               losses and accuracy of the learners' decisions, regret and its bounds, noise,
//	               and clipping; sums of floating-point numbers are kept by learner, and added up
//	               in the order of the learners when the run is over; steps count from 0
//	audit.go       the plan at a small size, with a canary in one datum
//
// A learner pays once, before it sends anything. With correlated noise it pays for the whole
// stream, which is one release of the mechanism. With independent noise on each input it pays
// for all its inputs, since a datum moves one of them. Both are one noise.Released. A
// release has no price by itself, which package federated adds up over rounds. The transcripts
// actors/algorithm/ofl/testdata/*.txt show runs message by message.
package ofl
