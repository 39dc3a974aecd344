package stream

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/scenarios/problem"
)

// Logistic is logistic regression without an offset on data of d features a
// and a label b in {-1, +1}, in this order:
//
//	f(x) = log(1 + exp(-<x, a> b)) + l2/2 ||x||^2,
//
// l2 = 0 except for models that Ridge returns. A point of the decision boundary is predicted
// +1.
type Logistic struct {
	dim  int
	norm float64 // the largest ||a||; +Inf where none is known
	l2   float64 // of the ridge term
}

// NewLogistic returns the model in d dimensions for features of at most the
// given 2-norm, +Inf where they have no bound.
func NewLogistic(dim int, featureNorm float64) Logistic {
	return Logistic{dim: dim, norm: featureNorm}
}

// Ridge returns the model with a ridge term l2/2 ||x||^2 in the loss of every
// datum, l2 >= 0. With l2 > 0 every loss is l2-strongly convex, and any data have
// one minimiser.
func (l Logistic) Ridge(l2 float64) Logistic {
	l.l2 = l2
	return l
}

// StrongConvexity returns mu, l2 of the ridge term: 0 without one.
func (l Logistic) StrongConvexity() float64 { return l.l2 }

// Dim implements Model.
func (l Logistic) Dim() int { return l.dim }

// GradientBound returns B_g: no gradient is longer than the longest feature vector, since it
// is -b a/(1 + exp(<x, a> b)). It is +Inf for features without a bound. It is also +Inf with a
// ridge term, since its gradient l2 x has no bound on R^d. Such gradients must be clipped.
func (l Logistic) GradientBound() float64 {
	if l.l2 > 0 {
		return math.Inf(1)
	}
	return l.norm
}

// BoundWithin returns the bound on gradients at points with a 2-norm of at most a radius: the
// bound of the features plus l2 times the radius. It is +Inf for features without a bound.
func (l Logistic) BoundWithin(radius float64) float64 { return l.norm + float64(l.l2*radius) }

// Smoothness returns L, on all of R^d: ||a||^2/4 at the longest a, and l2, since the Hessian
// is s(1-s) a a' + l2 I with s in (0, 1). It is +Inf for features without a bound.
func (l Logistic) Smoothness() float64 { return float64(l.norm*l.norm/4) + l.l2 }

// ridge returns l2/2 ||x||^2.
func (l Logistic) ridge(x []float64) float64 {
	if l.l2 == 0 {
		return 0
	}
	return l.l2 / 2 * kernel.SquaredNorm(x)
}

// margin returns <x, a> b.
func (l Logistic) margin(x, datum []float64) float64 {
	return kernel.Dot(x, datum[:l.dim]) * datum[l.dim]
}

// Gradient implements Model.
func (l Logistic) Gradient(dst, x, datum []float64) {
	kernel.Scale(dst, l.Slope(x, datum), datum)
	if l.l2 != 0 {
		kernel.Axpy(dst, l.l2, x)
	}
}

// Slope implements problem.GeneralizedLinear.
func (l Logistic) Slope(x, datum []float64) float64 {
	return -datum[l.dim] * problem.LogisticWeight(l.margin(x, datum))
}

// SlopeOnly implements problem.GeneralizedLinear.
func (l Logistic) SlopeOnly() bool { return l.l2 == 0 }

// slopesOnly returns the model if its gradients are multiples of features; else nil.
func slopesOnly(m Model) problem.GeneralizedLinear {
	if l, ok := m.(problem.GeneralizedLinear); ok && l.SlopeOnly() {
		return l
	}
	return nil
}

// Loss implements Model. Margins of any size give no overflow.
func (l Logistic) Loss(x, datum []float64) float64 {
	return problem.LogisticLoss(l.margin(x, datum)) + l.ridge(x)
}

// Correct implements Model.
func (l Logistic) Correct(x, datum []float64) bool {
	return problem.Predicts(kernel.Dot(x, datum[:l.dim]), datum[l.dim])
}

// Evaluate implements Evaluator.
func (l Logistic) Evaluate(x, datum []float64) (loss float64, correct bool) {
	z := kernel.Dot(x, datum[:l.dim])
	return problem.LogisticLoss(z*datum[l.dim]) + l.ridge(x), problem.Predicts(z, datum[l.dim])
}

// Bounded reports whether the features have a bound.
func (l Logistic) Bounded() bool { return !math.IsInf(l.norm, 1) }
