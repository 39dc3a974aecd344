// Package decor has DECOR: decentralised gradient descent in which every two neighbours
// share a secret, draw the same Gaussian noise from it in every step, and one adds this noise
// while the other subtracts it (Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui, The Privacy
// Power of Correlated Noise in Decentralized Learning, ICML 2024, arXiv 2405.01031). It has no
// machine of its own: it differs from decentralised descent by its noise alone, which package
// gossip adds and accounts for.
//
//	the paper                                here
//	Algorithm 1: the step                    gossip.Descender
//	the exchange of seeds                    a key of the run's randomness, by edge and step
//	v_ij = -v_ji, sigma_cor; v_i, sigma_cdp  noise.Shared; Algorithm.Shared is their ratio
//	clipping at C                            theta with gradient_bound: clip
//	SecLDP: an observer sees all messages    the ledger's observers: wire and public know no
//	and knows the secrets of some edges      secret, a node and a coalition their own edges'
//	                                         secrets; peer is the worst single node
//	Algorithm 2, the accountant              noise.Shared.Precision, by a Cholesky factor
//
// # Releases
//
// In step t a node releases y_t = x_t - eta_t (g_t + v_t + sum_j v_t^(ij)). The scenario's
// mechanism sets the loss that a release may cost a node against any other single node that sees
// all messages. Noise follows from that: sigma_cdp is the least that suffices with the graph of
// the step, and sigma_cor is options.Correlated times as much. With 0 it is dsgd with
// Gaussian noise.
//
// # The losses to observers
//
// Given all earlier releases, x_t is known and the same for neighbouring costs, and y_t moves
// by 2 theta eta_t at most. The noise of all releases of a step is jointly normal, with
// covariance eta_t^2 sigma_cdp^2 (I + r^2 L) of each entry, r = sigma_cor/sigma_cdp and L the
// Laplacian of the graph. An observer that knows the noise of the nodes of a coalition knows
// the noise of their edges, too. Its remaining noise has the same form, for the graph without
// the coalition. The node u loses
//
//	rho = (2 theta)^2 p/(2 sigma_cdp^2),  p = ((I + r^2 L_C)^-1)_uu,
//
// p between 1/m, m the nodes of u's component in the graph without the coalition, and 1.
// The noise of steps is independent: losses add up, by the graph of each step. That is
// exact. The paper's theorem bounds it, by the algebraic connectivity of the remaining graph:
// p <= 1/m + (1 - 1/m)/(1 + lambda_2 r^2) where that graph is connected.
//
// A graph that a single node holds together protects little against that node: on a path
// its neighbour at the end is left with its own noise alone.
//
// # Networks
//
// A node adds the noise that it shares with all neighbours of the graph, whether they are up or
// not. With messages that are lost or late, and nodes that are down, the losses remain bounds: an
// observer of fewer releases learns no more, for the precision of some entries of a normal vector
// is at most the precision of all. But such messages and nodes keep noise from cancelling.
package decor
