package dpdonc

// Consensus is the way in which z_t is made from the releases of the nodes.
type Consensus string

const (
	// ConsensusAverage is line 5 of Algorithm 1: z_i = sum_j a_ij q_j, for doubly stochastic
	// weights. The zero value means it.
	ConsensusAverage Consensus = "average"
	// ConsensusPushSum divides by a mass that is pushed along, so that weights need be column
	// stochastic only. Every digraph has such weights if each node is heard. It goes beyond
	// the paper.
	//
	// If rows of weights do not sum to 1, the plain sum is no average. If rows do but columns
	// do not, it averages with the weights of the stationary distribution, so that the nodes
	// minimise a wrongly weighted sum of costs. Push-sum (Kempe, Dobra and Gehrke, FOCS 2003)
	// has node i hold a mass w_i besides, 1 at first, and subgradient-push (Nedic and
	// Olshevsky, IEEE TAC 60(3), 2015) takes gradients at the ratios. With N_j = w_j x_j the
	// numerator of node j, one step here is
	//
	//	n_j  = w_j x_j + xi_j, xi_j entries from Lap(sigma_t); (n_j, w_j) is sent,
	//	w'_i = sum_j a_ij w_j,
	//	z_i  = sum_j a_ij n_j / w'_i,
	//	x'_i = argmin_{x in Omega} { w'_i D_phi(x, z_i) + alpha_t <g_i, x> },
	//
	// the mirror step of size alpha_t/w'_i. Without a set and with phi = ||x||^2/2 it is w'_i
	// x'_i = sum_j a_ij n_j - alpha_t g_i, which is subgradient-push: the sum of numerators
	// moves by -alpha_t sum_i g_i, every gradient with the same weight. In general z_i is the
	// average of the n_j/w_j with weights b_ij = a_ij w_j/w'_i. Their rows sum to 1, and sum_i
	// w'_i b_ij = w_j as columns of A sum to 1. So where D is convex in its second argument,
	// as the paper assumes, sum_i w'_i D(x, z_i) <= sum_j w_j D(x, n_j/w_j), and the w'_i of
	// the left cancel the w'_i in the step: there remains alpha_t sum_i <g_i, x'_i - x>, as in
	// the paper's proof with all w = 1. That is no proof of Theorem 2, which is proven for
	// doubly stochastic weights alone.
	//
	// Privacy is as before. Masses follow from the graphs and from the messages that the
	// network loses, never from a cost, so they are public. Given all released before, two
	// costs move x'_i by 2 (alpha_t/w'_i) theta/omega in the 2-norm at most (Lemma 1 with this
	// step), and so the numerator w'_i x'_i, to which the noise is added, by 2 sqrt(d) alpha_t
	// theta/omega in the 1-norm: (8), for every mass. Scale and loss of every release are the
	// paper's. Only the error that a release has as a decision grows, by 1/w_j: nodes of
	// little mass are drowned in noise, and count for little in the sum.
	//
	// Where all weights are doubly stochastic all masses are 1, and the decisions equal the
	// decisions of ConsensusAverage up to rounding.
	ConsensusPushSum Consensus = "push-sum"
)
