// Package dpfl is differentially private federated learning: DPFL, in which every client takes
// tau local steps of DP-SGD between two averages, and ALI-DPFL, in which the server chooses
// tau anew for every round within the budgets of rounds and of privacy that are left.
//
// Participant 0 of a star is the server and participant i client i. A step is a round, from 1,
// with all of its local iterations inside one turn, so that a tau that depends on data changes
// no schedule. Data and models are the caller's, behind Data; accuracy and losses belong to a
// meter. In a network with effects clients drop out, straggle and come back: see effects.go.
// Stragglers of DPFL take fewer local steps, as in FedProx: see Options.Stragglers.
//
// Source: "ALI-DPFL: Differentially Private Federated Learning with Adaptive
// Local Iterations" (Ling, Fu, Wang, Liu, Chen), Algorithms 1 and 2. The index k
// of Algorithm 1 runs to K - 1; here there are as many rounds as are asked for.
//
// # From the paper to the code
//
//	Algorithm 1; Algorithm 2, lines 5 to 12: local steps of DP-SGD
//	                                                   client.train, client.iterate
//	Algorithm 2, line 4: rho_i and beta_i              client.estimate
//	lines 14 to 16: the weighted mean                  adaptiveServer.average
//	line 17: gradients at the new mean                 client.answer, adaptiveServer.divergence
//	lines 18 to 20, (13): tau*                         adaptiveServer.decide, Bound.Choose
//	(10), (22): h(x)                                   Bound.H
//	(12): the bound of Theorem 2                       Bound.Progress
//	(19): c = 2 sqrt(d) sigma C/B                      Options.NoiseTerm
//	Theorem 3: the cost of local steps                 Options.StepLoss, Accounted
//
// # Differences from the paper
//
// Theorem 3 leaves out rho_i, beta_i and the gradients, which depend on raw data:
// AsPrinted they are sent as they are, and nothing is private. Other kinds of statistics
// are paid for, or come from public data. The last round is cut to the local steps that
// the budget still pays for. The printed (11) has a slip, which Bound.H mends.
//
// # A run to follow by hand
//
// testdata/adaptive-private.txt is a run of two clients, with 4 and 6 samples, batches of
// 3 and tau = 1 at first. Of rounds 1 and 2:
//
//	spent    1 sampled Gaussian steps of q 0.75, sigma 1.1    line 7: q = B/|D_1| = 3/4
//	sent     ( 0.214 0.344 ) to server                        line 12: w_1 after one local step
//	sent     ( 0.018 0.692 ) to server                        w_2 of client 2
//	played   ( 0.096 0.553 )         lines 14 to 16: 4/10 w_1 + 6/10 w_2
//	spent    1 sampled Gaussian steps of q 0.75, sigma 4      line 4: the statistics of round 2
//	sent     ( 2.148 0 ) to server                            rho_1 and beta_1, beside w_1
//
// fixed.txt and fixed-budget.txt are runs of DPFL, adaptive.txt and adaptive-budget.txt of
// ALI-DPFL, and effects-fixed.txt and effects-adaptive.txt in networks with effects.
package dpfl
