package model

import (
	"fmt"
	"math"
)

// Online is a model in the form that online federated learning takes: a datum is the features
// of a sample, which are rounded to float32, and then its label, a class from 0, in one
// vector. It is immutable and safe for concurrent use; a datum of another length or with
// another label is a broken invariant and panics.
type Online struct{ model *Model }

// Online returns the model for data that come one at a time.
func (m *Model) Online() Online { return Online{m} }

// Dim returns d, the number of parameters.
func (o Online) Dim() int { return o.model.dim }

// Width returns the length of a datum: the features and the label.
func (o Online) Width() int { return o.model.Inputs() + 1 }

// Gradient overwrites dst, len Dim, with the gradient at x, len Dim, of the loss
// of a datum, len Width.
func (o Online) Gradient(dst, x, datum []float64) {
	requireLength("entries of the gradient", len(dst), o.model.dim)
	w := o.forward(x, datum)
	defer o.model.pool.put(w)
	w.gradientOfOne(dst)
}

// Loss returns the loss at x of a datum.
func (o Online) Loss(x, datum []float64) float64 {
	loss, _ := o.Evaluate(x, datum)
	return loss
}

// Correct reports whether x predicts the label of a datum.
func (o Online) Correct(x, datum []float64) bool {
	_, correct := o.Evaluate(x, datum)
	return correct
}

// Evaluate returns the loss, and reports whether the label is predicted.
func (o Online) Evaluate(x, datum []float64) (loss float64, correct bool) {
	w := o.forward(x, datum)
	defer o.model.pool.put(w)
	return crossEntropy(nil, w.logits(0), w.labels[0]), predict(w.logits(0)) == w.labels[0]
}

// GradientBound returns +Inf: gradients have no bound that holds at all parameters, and must
// be clipped.
func (o Online) GradientBound() float64 { return math.Inf(1) }

// forward computes the logits of a datum in a workspace that the caller returns to the pool.
func (o Online) forward(x, datum []float64) *Workspace {
	requireLength("entries of a datum", len(datum), o.Width())
	w := o.model.pool.get()
	w.load(x)
	features := w.features[:o.model.Inputs()]
	for k := range features {
		features[k] = float32(datum[k])
	}
	label := datum[len(features)]
	if label != math.Trunc(label) {
		panic(fmt.Sprintf("label %v, want a whole number", label))
	}
	w.setLabel(int(label))
	w.forward(1)
	return w
}
