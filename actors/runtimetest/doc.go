// Package runtimetest is what the tests of both runtimes share: a machine that uses
// everything a turn offers, graphs of every sort, and a meter that writes down what it is
// told. It is for tests only.
//
//	Scenario        a run as data: nodes, graphs, hops, who acts, who stops, who folds
//	  Execute       plays it on a runtime and returns an Outcome
//	Mixer           a machine whose state depends on every bit that it is handed
//	Outcome, Diff   what must not depend on how the run was executed, and where it does
//	Trace           the state after every turn, to say which turn was the first to differ
//
// A test of equal bits is worth as much as its machine notices. A Mixer hashes the graph,
// the order and content of its inbox, its random numbers and its costs, so that a message
// in the wrong place changes everything after it.
package runtimetest
