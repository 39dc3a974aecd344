// Package topology is the network as a function of time: directed weighted
// graphs, the sequences G(1), G(2), ... they form, and the checks of what the
// decentralized algorithms presuppose of them.
//
// A [Graph] is one immutable weighted digraph. The entry a_ij of its matrix is
// the weight with which receiver i folds what sender j sends, so it belongs to
// the edge j -> i. A self-loop is an edge like any other: no node listens to
// itself unless a_ii is set. A [View] is what one node may know of a graph. A
// [Sequence] gives the graph of each step as a pure function of the step, so
// that sender and receiver both know it and nobody has to ask.
//
// [CheckWeights] and [CheckSequence] hold the weights doubly stochastic,
// [CheckWindows] and [SmallestWindow] hold the sequence B-strongly connected,
// and [Contraction] measures the constants C and lambda of
// |Phi(t,s)_ij - 1/N| <= C lambda^(t-s) (DPDO-NC, Assumption 1 and Lemma 2).
//
// Steps count from 0 and nodes from 0 in the interface; error texts count both
// from 1, as the papers do. The package is not a network: what is delayed, lost
// or cut off is the business of actors/network, and sequences with memory, in
// which a graph depends on the one before, are not made here.
package topology
