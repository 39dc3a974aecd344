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
// sends y_t, of which z_(t+1) = sum_j w_ij y_t^j is made. In noisy steps, 1, 1 + K, 1 + 2K ..,
//
//	y_t = z_t - eta_t mean of the gradients since the last noisy step + noise,
//
// and else y_t = z_t, which follows from what was heard. The projection is of what is played
// alone, so that messages stay linear in releases. With K as long as the run there is one
// release: Algorithm 1, private averaging. With K = 1 it is gradient descent on all
// topologies, with noise on every message.
//
// # What a release costs
//
// Given all that was released before, z_t and the points of the gradients are known. Other
// costs of a node move y_t by 2 theta eta_t. That is what it pays, and what the wire learns.
// It holds of a node that was down, too: the mean is of the gradients that it has taken since its
// own last noisy step, K or fewer, or more where it was down in a noisy step.
//
// # What named nodes learn
//
// Up to the second noisy step all messages are linear in the first releases: y_t = A_(t-1) ..
// A_1 (z_1 + xi), with xi_u the step of node u and its noise. A coalition V receives some of
// these sums and knows the xi of its own nodes. Whoever sees the products of Gaussian xi
// with vectors that span a space S sees that of u with a loss of
//
//	rho_u(V) = rho |P_S e_u|^2,
//
// rho what u paid and P_S the projection to S in the coordinates of nodes outside V: the joint
// Gaussian law of all that V has seen, to the last message. The products A_(t-1) .. A_1 are those
// of the graphs of the run, which may change in every step.
//
// Theorem 1 of the paper adds up what each message shows by itself,
//
//	f(u, v) = rho sum_t sum_(w ~ v) (W^t)_(u,w)^2 / |(W^t)_w|^2.
//
// All messages have the same noise, and those do not compose that way: two sums with the same
// noise can give away what neither shows. A test has a graph where what v sees costs u more than
// that sum. So it is not what the ledger states.
//
// After the second noisy step nothing is amplified: gradients are taken where others' noise has
// taken the nodes, nobody sees where that is, and messages are linear in the releases no longer.
// A coalition then learns, of a node, what that has paid for the releases of which something can
// have reached it. Theorem 3, on gradient descent, composes rounds as if each began where
// everybody knows; it is not used.
//
// What is lost, late, rounded, compressed or left out by a budget changes the sums, and so does noise
// that is not Gaussian. A rule that is no weighted mean makes no sums at all. Coalitions then learn what was paid, as peers do.
package muffliato
