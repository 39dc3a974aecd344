// Package choco has CHOCO-SGD: nodes average with their neighbours and send only the changes
// since their last message, compressed (Koloskova, Stich, Jaggi, Decentralized Stochastic
// Optimization and Gossip Algorithms with Compressed Communication, ICML 2019, arXiv
// 1902.00340).
//
//	the paper                             here
//	Algorithm 2, lines 2 to 9             node.Step; without gradients Algorithm 1, CHOCO-GOSSIP
//	Q, of Assumption 1                    network.compression, of package messages/compression
//	gamma, eta_t                          options
//	xhat_i = 0 at the beginning           the public start; xhat and x are counted from it
//	sum_j w_ij xhat_j, of all neighbours  one vector s_i, for W does not change
//	                                      (the memory-efficient form of its appendix)
//	E of Theorem 2, of xhat               the metric compression.error
//	W symmetric, as Theorem 2 has it      doubly stochastic
//
// # Releases
//
// The paper has no noise. Here noise comes before compression: a node releases
//
//	r_t = x_{t+1/2} - xhat_t + noise,  x_{t+1/2} = x_t - eta_t g_t,
//
// sends q_t = Q(r_t), and goes on from its own release, xhat_t + r_t, in place of
// x_{t+1/2}. So x_{t+1} = P(xhat_t + r_t + gamma sum_j w_ij (xhat_j - xhat_i)), the last
// with all xhat of t+1, follows from releases and public values: r_1 .. r_t of the node and
// the messages of others. That is why the sensitivity does not grow:
//
// Given all earlier releases, x_t and xhat_t are known and the same for neighbouring costs.
// The difference is in eta_t g_t. g_t, evaluated at the same x_t, has a 2-norm of at most
// theta on both sides: r_t moves by at most 2 theta eta_t, whatever the costs of earlier
// steps. Neighbours replace all costs of one node; the losses of the T releases compose.
// q_t is post-processing of r_t: the ledger pays for r_t as a whole, and a codec neither
// saves nor costs any of it.
//
// Had the node gone on from x_{t+1/2} itself, its state would hold all gradients so far
// without noise, and release t would move by 2 theta (eta_1 + .. + eta_t): the audit of
// such a machine finds more than the ledger says, as a test checks.
//
// Without noise this is the paper's algorithm to the letter, except for P, the projection to
// the decision set. Without a codec and with gamma = 1 it is decentralised gradient
// descent: x_{t+1} = P(sum_j w_ij x_{j,t+1/2}).
package choco
