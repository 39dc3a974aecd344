// Package mirror is the geometry of mirror descent: decision sets, Bregman
// divergences, and the solvers of the mirror step of DPDO-NC (paper, (7)),
//
//	x* = argmin over x in Omega of D_phi(x, z) + alpha <g, x>.
//
// Sets are the l1 ball, the l2 ball, the box and the probability simplex;
// divergences the squared Euclidean norm, the Mahalanobis norm x'Qx and the
// negative entropy. NewSolver picks the method for a pair, or refuses it with
// the list of those that work.
//
// The package is deterministic and holds no state between calls; solvers work
// in the scratch of their caller and do not allocate. It is no general convex
// optimizer, and it knows neither the network nor the noise: where z comes from,
// and what makes it positive for the entropy, is the caller's business.
package mirror
