// Package opestoch is Fed-DP-OPE-Stoch, federated online prediction from
// experts against a stochastic adversary with differential privacy (Gao,
// Huang, Yang, "Federated Online Prediction from Experts with Differential
// Privacy: Separations and Regret Speed-ups"), Algorithms 1 to 5, as state
// machines of a server and its clients.
//
// Phases double. At the start of each, the clients run private Frank-Wolfe on
// binary trees (DP-FW) over the losses of the phase before: at every leaf they
// send the inner products of the vertices of the simplex with their gradient
// estimate, and the server answers with one vertex. Then they play the result
// through the phase. Limited Updates, the single-player counterpart, is the
// case of one client.
//
// Participant 0 of a star is the server and participant i client i. The hops of a step, and
// the participants that act in them, are a Schedule, fixed by the options alone. The package
// measures nothing: regret belongs to a meter, losses to a problem.
//
// # From the paper to the code
//
//	Algorithm 2, line 2: the start z                   Server.Step
//	Algorithm 1, line 8: the inner products of a leaf  Client.leaf
//	Algorithm 3: the estimate v_s of a leaf            Client.estimate
//	Algorithm 3, line 5 and (3): roots, right children Client.refine
//	(1): the smallest sum of the inner products        Server.choose
//	(2): x = (1 - eta_k) x + eta_k times the vertex    Client.receive
//	(6), Algorithms 4 and 5: the central variant       Server.choose
//	Theorem 1, Corollary 1, Lemma 6: batches and scales
//	                                                   Options.batch, Options.scale
//
// With Options.Release the noise of every message is calibrated by itself, in 1-norm to
// Laplace and in 2-norm to Gaussian noise, to a vector of which one loss moves every entry by
// the amount of Options.moved.
//
// A message is a vector, and every number in it carries the noise that the paper counts for
// one; Accounted states the loss of that.
//
// # A run to follow by hand
//
// testdata/local.txt is a run of two clients and three experts. Phase 2 begins with step
// 2 and has one tree of two leaves:
//
//	to the server ( 1.299 -0.744 2.560 ) released-vector from node 1
//	to the server ( -2.150 4.385 3.401 ) released-vector from node 2
//	                                 line 8 at leaf 1, with noise; the mean is ( -0.43 1.82 2.98 )
//	received ( 1 )                   (1): its smallest entry; (2) with eta_1 = 1: x = ( 1 0 0 )
//	received ( 3 )                   leaf 2; (2) with eta_2 = 2/3
//	played   ( 0.333 0 0.667 )       through the phase
//
// central.txt, convex.txt and no-noise.txt are runs of the central variant, of losses
// that are not linear, and without noise.
package opestoch
