// Package fedsvt is Fed-SVT, federated online prediction from experts against
// an oblivious adversary when some expert has a small loss (Gao, Huang, Yang,
// "Federated Online Prediction from Experts with Differential Privacy:
// Separations and Regret Speed-ups"), Algorithms 7 and 8, as state machines of
// a server and its clients.
//
// All clients play one expert. Every N steps each sends its sums of all
// experts' losses; the server asks, by the sparse vector technique, whether the
// expert's loss since the last switch is too large, and if so draws another by
// the exponential mechanism. Sparse-Vector, the single-player counterpart, is
// the case of one client and N = 1.
//
// Participant 0 of a star is the server and participant i client i. The server is trusted:
// messages of clients are not private. A loss is the gradient that a client's oracle shows,
// which for prediction from experts is the loss vector wherever it is taken; the decision is
// the expert's unit vector.
//
// # From the paper to the code
//
//	Algorithm 8, line 2: x_0 and the first noisy threshold
//	                                                   Server.start
//	Algorithm 7, line 5: the sums of a block           Client.send
//	Algorithm 8, lines 7 to 9: is the loss too large?  Server.decide, with selection.AboveThreshold
//	lines 11 to 14: another expert, a new threshold    Server.decide, with selection.Exponential
//	line 17: after the last switch                     Server.exhausted
//	Algorithm 7, lines 6 and 10: take the expert, play Client.receive, Client.play
//	Theorem 4: eta, kappa and the threshold            Parameters
//
// An arming costs eps/4 in place of the paper's eps/2: the queries of one arming are running
// totals (selection.AboveThreshold, Cumulative). The printed score of line 12 has the loss of
// the expert played; here, as in the proof, it has the loss of the expert scored.
//
// # A run to follow by hand
//
// testdata/pure.txt is a run of two clients, three experts and N = 2:
//
//	spent    5                       step 1: the first noisy threshold, line 2
//	received ( 1 ) public-vector     x_0, drawn before there are losses
//	to the server ( 0.642 0.961 0.654 ) raw-vector from node 1     step 2: two steps' sums
//	received ( 0 ) released-vector   the loss is not above the threshold: keep the expert
//	spent    6.667                   step 4: above it; the exponential mechanism
//	received ( 3 ) released-vector   the expert of least total
//
// sparse-vector.txt, approximate.txt and no-noise.txt are runs of one client with N = 1,
// of the approximate variant, and without noise.
package fedsvt
