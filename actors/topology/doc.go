// Package topology is the network as a function of time: directed weighted graphs, the
// sequences G(1), G(2), ... they form, and the checks of the assumptions of decentralized
// algorithms about them.
//
// A [Graph] is one immutable weighted digraph. The entry a_ij of its matrix is the weight with
// which receiver i folds the messages of sender j, so it belongs to the edge j -> i. A
// self-loop is an edge like any other: no node listens to itself unless a_ii is set. A [View]
// is the part of a graph that one node may know. A [Sequence] gives the graph of each step as
// a pure function of the step, so that sender and receiver both know it and none has to ask.
//
// Sequences come from:
//   - generators, option structs with Validate and Sequence: those that draw
//     nothing ([Path], [Torus], [Hypercube], [Exponential], [OnePeer], [Ring],
//     [Circulant], [Complete], [Star]), those that draw, once or every so many
//     steps ([ErdosRenyi], [KOut], [RandomRegular], [SmallWorld],
//     [PreferentialAttachment], [Matching], [Permutations]), and those with
//     memory, in which a graph depends on the one before ([MarkovEdges],
//     [Geometric], [StochasticBlock]);
//   - files: [EdgeList] and [ParseGraphML];
//   - sequences on top of others: [NewPeriodic], [NewCycle], [Script] for
//     partitions, crashes and edges that come and go, [Weighting], which goes
//     on top of these, and [Heed], which leaves no node without a node to hear;
//   - [NewClusters], the weights of nodes that average through servers in some
//     steps, and [Servers], the paths of their messages.
//
// A generator whose comment says so makes a pattern: the edges alone, all weights 1 and no
// self-loops; a Weighting turns it into a matrix.
//
// [CheckWeights] and [CheckSequence] hold the weights doubly stochastic, and a [Demand] holds
// them to the needs of push-sum or a scheme; [CheckWindows] and [SmallestWindow] hold the
// sequence B-strongly connected, and [Contraction] measures the constants C and lambda of
// |Phi(t,s)_ij - 1/N| <= C lambda^(t-s) (DPDO-NC, Assumption 1 and Lemma 2). [Components],
// [WindowComponents], [Degrees], [SpectralGap], [WindowContraction], [MixingTime] and [Spread]
// describe graphs and sequences of tens of thousands of nodes; [Measures] are the same for a
// caller that may want to end them.
//
// Steps count from 0 and nodes from 0 in the interface; error texts count both from 1, as the
// papers do, and so do scripts and files. The package is not a network: delays and losses of
// messages are the business of actors/network.
//
// # The direction of an edge
//
//	edge j -> i with weight a_ij:      j sends, i receives and folds a_ij x_j
//	row i of A    Graph.In(i)          the weights that i gives those it hears; sums to 1 where i averages
//	column j of A Graph.Out(j)         the weights that j is given by those that hear it; sums to 1 where mass is kept
//
// # Which scheme for which graph
//
//	undirected graph                    metropolis, lazy-metropolis    doubly stochastic, from local degrees
//	digraph with perfect matchings      sinkhorn                       doubly stochastic, by scaling
//	any digraph, consensus by push-sum  uniform-out                    columns only
//	any digraph, averages of neighbours uniform-in                     rows only: the limit is not the mean
//	a matrix printed in a paper         given                          held to its Demand
//
// An average over all nodes needs both sums (DPDO-NC, Assumption 1), or columns with
// push-sum.
package topology
