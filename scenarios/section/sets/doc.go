// Package sets reads the sections of decision sets and of Bregman divergences. A set is
// l1-ball, l2-ball, box or simplex; a divergence is euclidean, mahalanobis or entropy.
// Package mirror decides which pairs have a mirror step.
package sets
