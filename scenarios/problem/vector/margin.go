package vector

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// curve is a convex loss of a prediction z = <a, x> for a label y. All methods are pure.
// loss is at least 0.
type curve interface {
	loss(z, y float64) float64
	// slope returns a subgradient of loss in z.
	slope(z, y float64) float64
	// steepest returns a bound on |slope| where |z - y| is at most a residual, which may be
	// +Inf.
	steepest(residual float64) float64
	// bend returns the largest second derivative in z, +Inf for a loss with a kink.
	bend() float64
}

// margin is a model with a loss that depends on the parameters x through the inner product
// with the features, and with a ridge term:
//
//	f(x) = loss(<a, x>, y) + l2/2 ||x||^2.
type margin struct {
	curve
	// predicts is the kind of labels. dim is the number of features, and of parameters.
	dim         int
	norm, label float64 // the largest ||a|| and |y|
	l2          float64
	predicts    Label
}

// classifier is a margin with labels -1 and 1.
type classifier struct{ margin }

// newMargin makes models of the kinds linear, huber and hinge; others are made elsewhere.
// Labels of hinge are -1 and 1, whatever their bound in data.
func newMargin(o Options, data Data) Model {
	m := margin{dim: data.Features, norm: data.FeatureNorm, label: data.LabelSize, l2: o.L2, predicts: o.Label()}
	switch o.Kind {
	case KindLinear:
		m.curve = squared{}
	case KindHuber:
		m.curve = huber{o.Delta}
	case KindHinge:
		m.curve, m.label = hinge{}, 1
		return classifier{m}
	}
	return m
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
func (m margin) Smoothness() float64 { return m.curvature(m.norm) }

// curvature returns a Lipschitz constant of gradients: the Hessian is a a' times the second
// derivative of the loss, and l2 I.
func (m margin) curvature(longest float64) float64 { return times(m.bend(), longest*longest) + m.l2 }

// GradientBound implements Model.
func (m margin) GradientBound() float64 { return m.BoundWithin(math.Inf(1)) }

// BoundWithin implements Model: the gradient is slope a + l2 x, and |z - y| is at most
// ||a|| radius + |y|.
func (m margin) BoundWithin(radius float64) float64 {
	return times(m.steepest(times(m.norm, radius)+m.label), m.norm) + times(m.l2, radius)
}

// times returns a product of bounds, where 0 times +Inf is 0.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// Loss implements Model.
func (m margin) Loss(x, datum []float64) float64 {
	return m.loss(kernel.Dot(x, datum[:m.dim]), datum[m.dim]) + ridge(m.l2, x)
}

// Gradient implements Model.
func (m margin) Gradient(dst, x, datum []float64) {
	kernel.Scale(dst, m.Slope(x, datum), datum)
	addRidge(dst, m.l2, x)
}

// Slope implements problem.GeneralizedLinear.
func (m margin) Slope(x, datum []float64) float64 {
	return m.slope(kernel.Dot(x, datum[:m.dim]), datum[m.dim])
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
	return m.loss(z, y) + ridge(m.l2, x), problem.Predicts(z, y)
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

// squared is the loss (z - y)^2/2.
type squared struct{}

func (squared) loss(z, y float64) float64         { return (z - y) * (z - y) / 2 }
func (squared) slope(z, y float64) float64        { return z - y }
func (squared) steepest(residual float64) float64 { return residual }
func (squared) bend() float64                     { return 1 }

// huber is the loss of Huber (1964).
type huber struct{ delta float64 }

// loss is quadratic up to delta and linear beyond it, where outliers pull no harder.
func (h huber) loss(z, y float64) float64 {
	r := math.Abs(z - y)
	if r <= h.delta {
		return r * r / 2
	}
	return h.delta * (r - float64(h.delta/2))
}

func (h huber) slope(z, y float64) float64        { return max(-h.delta, min(h.delta, z-y)) }
func (h huber) steepest(residual float64) float64 { return min(h.delta, residual) }
func (huber) bend() float64                       { return 1 }

// hinge is the loss max(0, 1 - z y). At the kink, z y = 1, the subgradient is 0.
type hinge struct{}

func (hinge) loss(z, y float64) float64 { return max(0, 1-float64(z*y)) }

func (hinge) slope(z, y float64) float64 {
	if z*y < 1 {
		return -y
	}
	return 0
}

func (hinge) steepest(float64) float64 { return 1 }
func (hinge) bend() float64            { return math.Inf(1) }

// logistic is stream.Logistic as a Model.
type logistic struct{ stream.Logistic }

// newLogistic returns a model of labels -1 and 1, with the ridge term of the options.
func newLogistic(o Options, data Data) logistic {
	return logistic{stream.NewLogistic(data.Features, data.FeatureNorm).Ridge(o.L2)}
}

// Predicts implements Model.
func (logistic) Predicts() Label { return Sign }

// Convex implements Model.
func (logistic) Convex() bool { return true }

// Start implements Model.
func (logistic) Start(dst []float64, _ uint64) { clear(dst) }
