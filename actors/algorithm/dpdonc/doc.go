// Package dpdonc is DPDO-NC, the privacy-preserving distributed online mirror
// descent of Zhou and Li ("Privacy-Preserving Distributed Online Mirror Descent
// for Nonconvex Optimization"), Algorithm 1, as a state machine per node.
//
// At time t node i plays x_t, sees its cost, broadcasts q_t = x_t + noise, and folds the
// messages that it receives into x_{t+1} by mirror descent. The package measures nothing:
// regret belongs to a meter, costs to a problem, weights to the topology.
//
// # From the paper to the code
//
//	Algorithm 1, line 4: q_t = x_t + Laplace noise     node.release
//	line 5, (6): z_t = sum_j a_ij q_j                  node.average
//	line 6, (7): x_{t+1}, the mirror step from z_t     node.update, with mirror.Solver
//	the gradient bound theta of Lemma 1                algorithm.Bound
//	Lemma 1, (8): Delta(t) = 2 sqrt(d) alpha_t theta/omega
//	                                                   Options.Release
//	Theorem 2, (28): U_1 + U_2 sqrt T                  Theorem2
//
// # Differences from the paper
//
// Theorem 1 claims epsilon a step. The noise of step t is scaled with alpha_t, but x_t, which
// the noise hides, moves by alpha_{t-1}: AsPrinted, step t costs epsilon sqrt(t/(t-1)), and
// step 1 nothing, because its point is public. Shifted makes the claim exact. Inequality (11),
// on which Theorem 2 rests, fails where noise puts z_t outside the set; Options.Moves records
// by how much. Rules for missing messages other than drop, push-sum and Gaussian noise
// (Options.Calibration) go beyond the paper.
//
// # A run to follow by hand
//
// testdata/as-printed.txt is a run of three nodes on the l1 ball of radius 1, with
// theta = 1 and alpha_t = 1/(3 sqrt t), line by line. Of node 1 at step 2:
//
//	received ( 0.399 0.150 ) from node 1 with weight 0.5    q_1 of itself
//	received ( 0.173 0.799 ) from node 3 with weight 0.5    (6): z_1 = ( 0.286 0.474 )
//	played   ( 0.286 0.558 )     (7): z_1 - alpha_1 g_1 = z_1 - (1/3) ( 0 -0.25 )
//	gradient ( 0.286 0.058 )     of the cost of step 2 at the point played
//	spent    1.414               epsilon sqrt(2/1): the account of the noise as printed
//	sent     ( 0.231 -0.061 ) released-vector               line 4: q_2
//
// no-noise.txt, shifted.txt, gaussian.txt and entropy.txt are the same run without
// noise, with Shifted, with Gaussian noise, and on the simplex.
package dpdonc
