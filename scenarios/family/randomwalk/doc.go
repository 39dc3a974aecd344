// Package randomwalk has learning by a token. One model walks the graph. Each node that it
// comes to takes a noisy gradient step and hands the model to a random neighbour (Cyffers,
// Bellet, Upadhyay, Differentially Private Decentralized Learning with Random Walks, ICML 2024,
// arXiv 2402.07471).
//
//	the paper                           here
//	Algorithm 1, a node v               node.Step, in the step in which v holds the token
//	W_(v,.), the token's next node      next: the weights of the nodes that v may send to, as chances
//	Pi_W(x - gamma (g + Z))             the projection is made where the token arrives
//	O_v, the view of v                  the token, whenever it comes
//	f(u, v), pairwise network DP        the account of named nodes: walk
//
// The token begins with node 1, at the public start. A node without it plays its last model.
// Nothing else is sent, so that a step costs one message in all, and a node pays only in the
// steps in which it holds the token. A lost token would end the run: the network has to be
// ideal. A budget that ends the part of the token's holder does end the run.
//
// # The losses to named nodes
//
// The walk of the token depends on no data. The account is for observers that know the whole
// walk. The paper's v knows less: it has to guess where the token has been. The account is the
// loss given the walk of the run; the paper's is a mean over walks.
//
// Between two visits to a coalition the token makes n steps, each with fresh noise. The
// coalition sees the last result alone. If every step is a contraction, as gradient steps of
// convex costs with beta-Lipschitz gradients are for gamma <= 2/beta, the noise of all steps
// from u's step on hides the step of u: with Delta_k = 2 gamma_k theta the distance that a step
// moves and sigma_k its noise,
//
//	mu^2 = Delta_s^2/(sigma_s^2 + .. + sigma_e^2),
//
// for u in step s and the arrival after step e, and n times less than the payment of u where all
// noise is the same. This is privacy amplification by iteration (Feldman, Mironov, Talwar,
// Thakurta, FOCS 2018, Theorem 22); shifted interpolation gives its Gaussian form (Bok, Su,
// Altschuler, ICML 2024, arXiv 2403.00278). Where u has several steps on the way, the noise of
// each step hides a part of the distance moved by then, in the way that costs the least. That is
// never more than the payments of u for these steps, and the loss to a coalition is never less
// than to a member. Each arrival that the coalition sees is the start of the next stretch, so
// that stretches compose.
//
// Steps that clipping changes are no contractions. Neither are steps along estimates of bandit
// feedback, of other costs, or of too large a gamma. There is no such proof for noise that is
// not Gaussian, nor for a token that is rounded or compressed on its way. Then the loss to a
// coalition is the payments for the steps from which the token has come.
package randomwalk
