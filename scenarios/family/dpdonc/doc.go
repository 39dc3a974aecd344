// Package dpdonc plans DPDO-NC (Zhou, Li): its section of a scenario, the losses of its
// releases, its notes, Theorem 2 among them, and its audit. The algorithm itself is
// actors/algorithm/dpdonc. Package gossip has the part that algorithms of nodes without a server
// have in common.
//
//	the paper                                     here
//	Algorithm 1's D_phi, Omega and eps            divergence, problem.set, mechanism.epsilon
//	alpha_t = 1/(N sqrt t)                        stepSection, with a scale of 1
//	Assumption 1: doubly stochastic weights       section.weights; push-sum leaves it
//	Theorem 1, the privacy of a step              claimOf
//	Theorem 2, the bound on E[R_T]                theorem2, of dpdonc.Theorem2
//	C and lambda of the graphs                    topology.ContractionWithin
//	N T theta eta, which holds of any algorithm   dpdonc.TrivialBound
//
// A bound above the trivial one is marked: it is no error of the run, and says nothing.
// The transcripts actors/algorithm/dpdonc/testdata/*.txt show runs message by message.
package dpdonc
