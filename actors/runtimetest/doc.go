// Package runtimetest holds the shared parts of the tests of both runtimes: a machine that
// uses everything a turn offers, graphs of every sort, and a meter that writes down its calls.
// It is for tests only.
//
//	Scenario        a run as data: nodes, graphs, hops, and which nodes act, stop and fold
//	  Execute       plays it on a runtime and returns an Outcome
//	Mixer           a machine with a state that depends on every bit that it is handed
//	Outcome, Diff   the results that must not depend on the runtime, and where they do
//	Trace           the state after every turn, to say which turn was the first to differ
//
// A test of equal bits is worth as much as its machine notices. A Mixer hashes the graph,
// the order and content of its inbox, its random numbers and its costs, so that a message
// in the wrong place changes everything after it.
package runtimetest
