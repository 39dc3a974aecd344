package ofl

import (
	"starling/mechanisms/kernel"
)

// Where decisions are from a set Omega the algorithm is lazy. Server and learners keep and
// send the same sums of gradients and noise as without a set. A learner plays and
// differentiates at P(z), the Euclidean projection on Omega of its sums z:
//
//	g = grad f_i^{r,t}(P(z^{r,t})),  z^{r,t+1} = z^{r,t} - eta (g + (b^{r,t} - b^{r,t-1}) xi).
//
// With one learner and local step and without noise this is online gradient descent
// with lazy projections (Zinkevich 2003, section 2; Shalev-Shwartz 2012, section 2.6).
// Projecting the sums themselves would take away part of a noise b^{r,t-1} xi that the
// next increment is to take back.
//
// Privacy is the same as without a set. All messages are made of noisy prefix sums of
// gradients and of x^0, by the same sums, and P is taken of them after they are released: z is
// a function of x^0 and of released sums, and in version 1 of the gradients of the learner's
// own round so far besides, which enter the same input. So the next gradient is taken of a
// datum at a point that earlier releases name, and its length is held to B_g by clipping, or
// an error, as ever: a datum moves an input of the mechanism by at most 2 B_g. Where local
// steps are non-expansive without a set (sensitivity: convex), a step z - eta grad f(P(z)) may
// expand; of linear losses it is a translation, with a set or without.

// decision returns the decision of sums: the sums themselves or, where there is a set, their
// projection, in work, len projection(). Sums that are not finite are returned as they are,
// for Turn.Play to refuse.
func (s *shared) decision(sums, work []float64) []float64 {
	if s.Set == nil || !kernel.AllFinite(sums) {
		return sums
	}
	x := work[:s.dim:s.dim]
	s.Set.Project(x, sums, work[s.dim:])
	return x
}

// projection is the amount of working memory that a decision needs.
func (s *shared) projection() int {
	if s.Set == nil {
		return 0
	}
	return s.dim + s.Set.WorkSize()
}
