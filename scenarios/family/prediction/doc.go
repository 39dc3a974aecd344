// Package prediction plans federated prediction from experts (Gao, Huang, Yang):
// Fed-DP-OPE-Stoch and Fed-SVT, their sections of a scenario, the losses of their releases,
// and their audits. The algorithms themselves are actors/algorithm/opestoch and fedsvt.
//
//	file                  content
//	experts.go            the common part of both algorithms: schedule, ledger, hindsight
//	opestoch.go           stochastic losses: noise on the gradients of a tree, in phases
//	fedsvt.go             oblivious losses: one threshold and one choice for each switch
//	gauges.go             regret of the clients' decisions, scalars sent, and switches
//	auditopestoch.go      the first loss of phase 2, at clients or at the server
//	auditrightchild.go    a loss that a right child of a tree draws, which costs the most
//	auditfedsvt.go        thresholds that are met or crossed, and the choice of an expert
//
// The unit of protection is one loss of one client, and neighbours replace it. There are two
// accounts: one of the messages on the wire, and one of the decisions alone. Where clients send
// the server unprotected messages, the server is trusted, and a warning says so.
//
// The two algorithms do not stand on the server kit's noise of a round, whose loss is a sum over
// rounds of the price of one release:
//
//	Fed-DP-OPE-Stoch   epsilon = max over vertices v of the sum of eps(l) over leaves l below v
//	Fed-SVT            epsilon = eps/4 + k eta after k switches, or these k composed at delta
//
// A release of a tree has no price by itself: it pays the increase of the maximum. The number k
// depends on losses, and queries below a threshold cost nothing. Each derivation therefore makes
// an account, which states bounds up to a step beside the payments.
//
// Audits set the losses themselves, at the bounds that the problem has: no data set has
// the worst case in it. The transcripts actors/algorithm/opestoch/testdata/*.txt and
// actors/algorithm/fedsvt/testdata/*.txt show runs message by message.
package prediction
