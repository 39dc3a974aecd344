// Package ofl is online federated learning with correlated noise, in both of
// its versions: a server, n learners, and clients that arrive one per learner
// and step, are learned from once, and leave.
//
// In version 2 a learner perturbs every local step, and everything that leaves the step is a
// function of noisy prefix sums of its gradients; in version 1 it perturbs the average of a
// round. The noise is a factorization's of the prefix sums, and comes from its streams
// (package factorization). Data and models are the caller's; calibrating the noise is not done
// here. In a network with effects learners drop out, straggle and come back: effects.go
// describes rounds then, and says why the privacy loss stays the same.
//
// Sources: "Locally Differentially Private Online Federated Learning With
// Correlated Noise", Algorithm 1 and equation (2), and its first version.
//
// # From the paper to the code
//
//	Algorithm 1, line 5: z^{r,0} = x^r                 learner.receive
//	line 6: the decision x^r                           learner.Step
//	lines 8 to 11: z^{r,t+1} = z^{r,t} - eta (g + (b^{r,t} - b^{r,t-1}) xi)
//	                                                   learner.descend, learner.perturb
//	lines 13 and 14: ghat_i^r = (x^r - z^{r,tau})/(eta tau)
//	                                                   learner.release
//	line 16: x^{r+1} = x^r - eta eta_g tau (1/n) sum_i ghat_i^r
//	                                                   global.descend
//	the bound B_g on gradients                         learner.bound
//	decisions from a set, which the paper has not      shared.decision, set.go
//
// In version 1 (PerRound) learner.release perturbs the average gradient of a round; its
// sensitivity is 2 B_g for every tau.
//
// With Tiers there are levels of servers above the learners; see tiers.go.
//
// # A run to follow by hand
//
// testdata/version2-tree.txt is a run of two learners, two rounds of tau = 2 steps, with
// eta = 1/4, eta_g = 2 and the gradient z - datum. Of learner 1 at step 0:
//
//	received raw-vector ( 0.5 0 )          the datum; g = ( 0 0.5 ) - ( 0.5 0 ) = ( -0.5 0.5 )
//	spent    rho 24                        once, for the noise of the whole run
//	holds    b xi = ( -0.231 0.364 )       the noise on the prefix sum, here of one input
//	holds    z = ( 0.183 0.284 )           lines 8 to 11: ( 0 0.5 ) - 1/4 (g + b xi)
//
// At step 1 the round ends. Learner 1 sends (x - z)/(eta tau) = ( -0.666 0.059 ), learner
// 2 ( -0.848 0.136 ), and the server moves from ( 0 0.5 ) against their mean, as eta eta_g
// tau = 1, to ( 0.757 0.402 ). version1-toeplitz.txt, no-noise.txt and effects.txt are
// runs of version 1, without noise, and in a network with effects.
package ofl
