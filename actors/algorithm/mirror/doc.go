// Package mirror is the geometry of mirror descent: decision sets, Bregman divergences,
// and the solvers of the mirror step of DPDO-NC (paper, (7)),
//
//	x* = argmin over x in Omega of D_phi(x, z) + alpha <g, x>.
//
// # Which solver for which pair
//
//	divergence    phi(x)             set                          method
//	euclidean     c ||x||^2          l1-ball, l2-ball, box,       project z - alpha g / (2c); closed form
//	                                 simplex
//	mahalanobis   x'Qx               l2-ball                      one root of the secular equation; certified
//	mahalanobis   x'Qx               l1-ball, box, simplex        dual active-set method; certified
//	entropy       sum x_k ln x_k     simplex                      x_k ~ z_k exp(-alpha g_k); closed form
//
// NewSolver picks the method for a pair, or refuses the pair with the list of those that work.
// "Certified" means that a step returns an error rather than a point without a proof that its
// error is within Tolerance: a proof of a regret bound takes the step to be exact, and so must
// the code.
//
// # Limits of the package
//
// The package is deterministic and holds no state between calls; solvers work in the scratch
// of their caller and do not allocate. It is no general convex optimizer. It knows neither the
// network nor the noise: the source of z, and making z positive for the entropy, are the
// caller's business.
package mirror
