// Package randomwalk has learning by a token: one model walks the graph, and each node that
// it comes to takes a noisy gradient step and hands it to a random neighbour (Cyffers,
// Bellet, Upadhyay, Differentially Private Decentralized Learning with Random Walks, ICML 2024,
// arXiv 2402.07471).
//
//	the paper                           here
//	Algorithm 1, a node v               node.Step, in the step in which v holds the token
//	W_(v,.), where the token goes       next: the weights of whom v may send to, as chances
//	Pi_W(x - gamma (g + Z))             the projection is made where the token arrives
//	O_v, what v sees                    the token, whenever it comes
//	f(u, v), pairwise network DP        the account of named nodes: walk
//
// The token begins with node 1, at the public start. A node without it plays the model that
// it had last. Nothing else is sent, so that a step costs one message in all, and a node pays in
// the steps in which it holds the token alone. A token that is lost would end the run: the
// network has to be ideal. A budget that ends the part of the node that holds it does end it.
//
// # What named nodes learn
//
// Where the token goes depends on no data. The account is for those who know all of the walk,
// which is more than the paper's v knows, who has to guess where the token has been: this is
// the loss given the walk of the run, and the paper's is a mean over walks.
//
// Between two visits to a coalition the token makes n steps, each with fresh noise, none of which
// the coalition sees but the last result. If every step is a contraction, as gradient steps of
// convex costs with beta-Lipschitz gradients are for gamma <= 2/beta, the noise of all steps from
// that of u on hides what u did: with Delta_k = 2 gamma_k theta what a step moves and sigma_k its
// noise,
//
//	mu^2 = Delta_s^2/(sigma_s^2 + .. + sigma_e^2),
//
// for u in step s and the arrival after step e, and n times less than what u paid where all noise is
// the same. This is privacy amplification by iteration (Feldman, Mironov, Talwar, Thakurta, FOCS
// 2018, Theorem 22), of which shifted interpolation gives the Gaussian form (Bok, Su, Altschuler,
// ICML 2024, arXiv 2403.00278). Where u has several steps on the way, the noise of each step
// hides a part of what was moved by then, in the way that costs the least; that is never more
// than what u paid for these steps, and a coalition never learns less than a member.
// What the coalition knows of arrivals is where the next stretch begins, so that stretches compose.
//
// Steps that clipping changes are no contractions, and neither are those along estimates of
// bandit feedback, of other costs, or of too large a gamma; noise that is not Gaussian, and a token that is rounded or compressed on its
// way, have no such proof. Then a coalition learns what was paid for the steps that the token
// has come from.
package randomwalk
