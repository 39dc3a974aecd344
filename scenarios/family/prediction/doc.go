// Package prediction plans federated prediction from experts (Gao, Huang, Yang):
// Fed-DP-OPE-Stoch and Fed-SVT, their sections of a scenario, what their releases cost,
// and their audits. The algorithms themselves are actors/algorithm/opestoch and fedsvt.
//
//	file                  what it is about
//	experts.go            what both algorithms have in common: schedule, ledger, hindsight
//	opestoch.go           stochastic losses: noise on the gradients of a tree, in phases
//	fedsvt.go             oblivious losses: one threshold and one choice for each switch
//	auditopestoch.go      the first loss of phase 2, at clients or at the server
//	auditrightchild.go    a loss that a right child of a tree draws, which costs the most
//	auditfedsvt.go        thresholds that are met or crossed, and the choice of an expert
//
// Protected is one loss of one client, and neighbours replace it. Two accounts differ:
// what is on the wire, and what the decisions alone show. Where clients send the server
// what is not protected, the server is trusted, and a warning says so.
//
// Audits set the losses themselves, at the bounds that the problem has: no data set has
// the worst case in it. The transcripts actors/algorithm/opestoch/testdata/*.txt and
// actors/algorithm/fedsvt/testdata/*.txt show runs message by message.
package prediction
