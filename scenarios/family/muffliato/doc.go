// Package muffliato has private gossip in which noise is drawn once and then averaged
// away (Cyffers, Even, Bellet, Massoulie, Muffliato: Peer-to-Peer Privacy Amplification for
// Decentralized Optimization and Averaging, NeurIPS 2022, arXiv 2206.05091).
//
//	the paper                                here
//	Algorithm 1, noise, then T^gossip rounds options.Rounds from one noisy step to the next
//	Algorithm 3, Muffliato-SGD               node.Step; a step of the run is one round
//	x_u^0 + N(0, sigma^2), once              the release of a noisy step, which is paid for
//	W, of each round                         the graph of the step, which may change
//	f(u, v), pairwise network DP             the account of named nodes: views
//
// A node holds z. In step t it plays P(z_t), P the projection to the decision set, and
// sends y_t. The messages make z_(t+1) = sum_j w_ij y_t^j. In noisy steps, 1, 1 + K, 1 + 2K ..,
//
//	y_t = z_t - eta_t mean of the gradients since the last noisy step + noise,
//
// and else y_t = z_t, which follows from the messages that the node has heard. Only the played
// point is projected, so that messages stay linear in releases. With K as long as the run there
// is one release: Algorithm 1, private averaging. With K = 1 it is gradient descent on all
// topologies, with noise on every message.
//
// # The cost of a release
//
// Given all earlier releases, z_t and the points of the gradients are known. Other costs of a
// node move y_t by 2 theta eta_t. The node pays for this distance, and this payment is the loss
// to the wire. It holds for a node that was down, too: the mean is over the gradients that the
// node has taken since its own last noisy step. These are K or fewer, or more where it was down
// in a noisy step.
//
// # The losses to named nodes
//
// Up to the second noisy step all messages are linear in the first releases: y_t = A_(t-1) ..
// A_1 (z_1 + xi), with xi_u the step of node u and its noise. A coalition V receives some of
// these sums and knows the xi of its own nodes. An observer that sees the products of Gaussian
// xi with vectors that span a space S sees xi_u with a loss of
//
//	rho_u(V) = rho |P_S e_u|^2,
//
// rho the payment of u and P_S the projection to S in the coordinates of nodes outside V. This
// is the joint Gaussian law of all messages that V has seen, to the last. The graphs of the run
// give the products A_(t-1) .. A_1; they may change in every step.
//
// Theorem 1 of the paper adds up the losses of single messages,
//
//	f(u, v) = rho sum_t sum_(w ~ v) (W^t)_(u,w)^2 / |(W^t)_w|^2.
//
// All messages have the same noise, and such losses do not compose that way: two sums with the
// same noise can give away more than both show alone. A test has a graph in which the messages
// that v sees cost u more than that sum. So the ledger does not state it.
//
// After the second noisy step nothing is amplified. Nodes take gradients at points that depend
// on others' noise, which no observer sees, and messages are no longer linear in the releases.
// The loss of a node to a coalition is then its payments for the releases that can have
// influenced a message to the coalition. Theorem 3, on gradient descent, composes rounds as if
// all nodes knew the point at which each begins; it is not used.
//
// Messages that are lost, late, rounded or compressed, and nodes that a budget stops, change the
// sums, and so does noise that is not Gaussian. A rule that is no weighted mean makes no sums at
// all. Then the losses to coalitions are the payments, as they are to peers.
package muffliato
