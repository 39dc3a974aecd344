// Package vector holds models that learn from vectors: rows of features with one label each,
// such as the rows of a table. A datum is the features followed by the label, in one slice.
//
// A kind of model is a [Section]: the keys of problem.model in a scenario, with a method that
// makes the [Model] for features of a known number and size. The catalog lists the kinds.
// Bounds on gradients, and least losses, follow from the model alone: no problem and no
// algorithm has a formula of its own. NewMargin makes a whole model from a [Curve], the loss
// of a prediction <a, x> for a label.
package vector

import (
	"fmt"

	"starling/scenarios/problem/stream"
)

// Label is the kind of the label of a datum.
type Label int

// The labels.
const (
	Value Label = iota // a number, which is predicted up to an error
	Sign               // -1 or 1
	Class              // 0 .. classes-1
)

// Section is the section problem.model of a scenario: the kind of model that it names.
type Section interface {
	// Label returns the kind of labels that the model needs.
	Label() Label
	// Model makes the model of data. Keys that are out of range, or do not fit the
	// data, are errors, joined: each an [option.Error].
	Model(data Data) (Model, error)
}

// Data has the facts that are known of all data that a model may meet. Bounds that depend on
// data are only as good as these: a caller that gives a FeatureNorm ensures that no datum is
// longer.
type Data struct {
	// Features is the number of features, at least 1.
	Features int
	// FeatureNorm is the largest 2-norm of the features of a datum, +Inf where none is
	// known.
	FeatureNorm float64
	// LabelSize is the largest |label| of labels that are numbers, +Inf where none is
	// known.
	LabelSize float64
	// Classes is the number of classes of the data.
	Classes int
}

// Validate returns an error for data without features.
func (d Data) Validate() error {
	if d.Features < 1 {
		return fmt.Errorf("model: %d features, want at least 1", d.Features)
	}
	return nil
}

// Model is a model of vectors. It is immutable and safe for concurrent use. All except the
// models of numbers are a stream.Evaluator.
type Model interface {
	stream.Minimisable
	// Predicts returns the kind of labels.
	Predicts() Label
	// Convex reports whether every loss is convex.
	Convex() bool
	// GradientBound returns a bound on the 2-norm of every gradient at all parameters, +Inf
	// where there is none.
	GradientBound() float64
	// BoundWithin returns such a bound at parameters with a 2-norm of at most a finite radius.
	BoundWithin(radius float64) float64
	// Smoothness returns a Lipschitz constant in the 2-norm of every gradient, +Inf where none
	// is known.
	Smoothness() float64
	// StrongConvexity returns mu of mu-strongly convex losses, 0 for others.
	StrongConvexity() float64
	// Start writes the parameters to begin with under a seed: zeros, but random weights
	// where there are hidden layers.
	Start(dst []float64, seed uint64)
}
