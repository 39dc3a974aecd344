// Package dpfl plans DPFL and ALI-DPFL (Ling, Fu, Wang, Liu, Chen), and baselines that
// their machines run, FedAvg, FedProx and gradient descent in one place: their section of
// a scenario, the spending of a budget of rounds and privacy, and their audit. The algorithms
// themselves are actors/algorithm/dpfl.
//
//	the paper                                     here
//	R_s, the rounds of communication              the scenario's horizon
//	R_c, the local steps that epsilon pays for    dpfl.NewPlan, in Plan.configure
//	Theorem 3, the privacy of local steps         Plan.claim
//	(10), (22), Theorem 1                         Plan.theorems, of dpfl.Bound.H
//	(12), Theorem 2 and its two conditions        Plan.theorems, of dpfl.Bound.Progress
//	phi, which the paper does not print           algorithm.control, c_G = phi lambda^2
//
// Theorem 3 covers the local steps. It does not cover the statistics rho_i, beta_i and xi_i, which
// clients of ALI-DPFL send for the choice of tau. As printed these are not private. The section
// offers two ways out: statistics with noise that are paid for, and statistics of public data.
//
// Where ALI-DPFL chooses tau, tau depends on the data, and so does the spending of a run.
// Plan.guarantee bounds the spending that the plan allows, whatever the data. The spending of one
// run is the reading of an odometer and guarantees nothing.
//
//	dpfl.go      the section, the plan of an arm, the data and the start of a seed
//	variant.go   the four algorithms, with the keys and mechanisms that each takes
//	run.go       the losses of rounds, the job of a seed, its notes
//	kit.go       FedAvg with levels of servers or a schedule, by the machines of package federated
//	audit.go     two clients, one of which has a canary in its samples or not
//
// The noise of local steps is the kit's, noise.Released. The loss of a round is not: package
// federated has a fixed price of a round, and here client i pays in round r for tau_r steps,
//
//	T_i(r) = min(tau_1 + .. + tau_r, R_c) steps of the sampled Gaussian mechanism of rate B/|D_i|
//
// where R_c is the largest T with epsilon(T, statistics of all choices of tau) <= P_b, over the
// client that reaches it first, and tau_r may depend on the data of rounds before r.
//
// The transcripts actors/algorithm/dpfl/testdata/*.txt show runs message by message.
package dpfl
