package vector

import (
	"errors"
	"math"

	"starling/mechanisms/kernel"
	"starling/scenarios/problem"
)

// Curve is a convex loss of a prediction z = <a, x> for a label y. All methods are pure.
type Curve interface {
	// Loss is at least 0.
	Loss(z, y float64) float64
	// Slope returns a subgradient of Loss in z.
	Slope(z, y float64) float64
	// Steepest returns a bound on |Slope| at all predictions of at most the size z, and labels
	// of at most the size y. Each may be +Inf, and so may the bound.
	Steepest(z, y float64) float64
	// Bend returns the largest second derivative of Loss in z at predictions and labels of at
	// most these sizes, which may be +Inf: +Inf for a loss with a kink.
	Bend(z, y float64) float64
}

// margin is a model with a loss that depends on the parameters x through the inner product
// with the features, and with a ridge term:
//
//	f(x) = loss(<a, x>, y) + l2/2 ||x||^2.
type margin struct {
	Curve
	// predicts is the kind of labels. dim is the number of features, and of parameters.
	dim         int
	norm, label float64 // the largest ||a|| and |y|
	l2          float64
	predicts    Label
}

// classifier is a margin with labels -1 and 1.
type classifier struct{ margin }

// NewMargin returns the model whose loss is a curve of <a, x>, one weight for each feature, and
// a ridge term. Labels are numbers (Value), or -1 and 1 (Sign). Its least losses are known on
// a set, and with a ridge term on R^d, if the curve has a finite Bend there.
func NewMargin(c Curve, predicts Label, r Ridge, data Data) (Model, error) {
	m, err := marginOf(c, predicts, r, data)
	if err != nil {
		return nil, err
	}
	if predicts == Sign {
		return classifier{m}, nil
	}
	return m, nil
}

// marginOf checks the ridge term and the data of a margin. Labels of a sign have the size 1,
// whatever the bound in data.
func marginOf(c Curve, predicts Label, r Ridge, data Data) (margin, error) {
	m := margin{Curve: c, dim: data.Features, norm: data.FeatureNorm, label: data.LabelSize, l2: r.L2, predicts: predicts}
	if predicts == Sign {
		m.label = 1
	}
	return m, errors.Join(r.Validate(), data.Validate())
}

// Dim implements Model.
func (m margin) Dim() int { return m.dim }

// Predicts implements Model.
func (m margin) Predicts() Label { return m.predicts }

// Convex implements Model.
func (m margin) Convex() bool { return true }

// Start implements Model.
func (m margin) Start(dst []float64, _ uint64) { clear(dst) }

// StrongConvexity implements Model.
func (m margin) StrongConvexity() float64 { return m.l2 }

// Smoothness implements Model.
func (m margin) Smoothness() float64 { return m.curvature(m.norm, math.Inf(1)) }

// SmoothnessWithin returns Smoothness at parameters with a 2-norm of at most a finite radius.
func (m margin) SmoothnessWithin(radius float64) float64 { return m.curvature(m.norm, radius) }

// curvature returns a Lipschitz constant of gradients for features of at most the 2-norm
// longest, at parameters of at most the 2-norm radius: the Hessian is a a' times the second
// derivative of the loss, and l2 I.
func (m margin) curvature(longest, radius float64) float64 {
	return times(m.Bend(times(longest, radius), m.label), longest*longest) + m.l2
}

// GradientBound implements Model.
func (m margin) GradientBound() float64 { return m.BoundWithin(math.Inf(1)) }

// BoundWithin implements Model: the gradient is slope a + l2 x, and |z| is at most
// ||a|| radius.
func (m margin) BoundWithin(radius float64) float64 {
	return times(m.Steepest(times(m.norm, radius), m.label), m.norm) + times(m.l2, radius)
}

// times returns a product of bounds, where 0 times +Inf is 0.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// Loss implements Model. It hides the loss of the curve.
func (m margin) Loss(x, datum []float64) float64 {
	return m.Curve.Loss(kernel.Dot(x, datum[:m.dim]), datum[m.dim]) + ridge(m.l2, x)
}

// Gradient implements Model.
func (m margin) Gradient(dst, x, datum []float64) {
	kernel.Scale(dst, m.Slope(x, datum), datum)
	addRidge(dst, m.l2, x)
}

// Slope implements problem.GeneralizedLinear. It hides the slope of the curve.
func (m margin) Slope(x, datum []float64) float64 {
	return m.Curve.Slope(kernel.Dot(x, datum[:m.dim]), datum[m.dim])
}

// SlopeOnly implements problem.GeneralizedLinear.
func (m margin) SlopeOnly() bool { return m.l2 == 0 }

// Correct implements stream.Classifier.
func (m classifier) Correct(x, datum []float64) bool {
	return problem.Predicts(kernel.Dot(x, datum[:m.dim]), datum[m.dim])
}

// Evaluate implements stream.Evaluator.
func (m classifier) Evaluate(x, datum []float64) (loss float64, correct bool) {
	z, y := kernel.Dot(x, datum[:m.dim]), datum[m.dim]
	return m.Curve.Loss(z, y) + ridge(m.l2, x), problem.Predicts(z, y)
}

// ridge returns l2/2 ||x||^2.
func ridge(l2 float64, x []float64) float64 {
	if l2 == 0 {
		return 0
	}
	return l2 / 2 * kernel.SquaredNorm(x)
}

// addRidge adds the gradient of ridge.
func addRidge(dst []float64, l2 float64, x []float64) {
	if l2 != 0 {
		kernel.Axpy(dst, l2, x)
	}
}
