// Package vector holds models that learn from vectors: rows of features with one label each,
// such as the rows of a table. A datum is the features followed by the label, in one slice.
//
// Options describe a model in the form of the section problem.model; New makes the [Model] for
// features of a known number and size. The bounds on gradients, and the knowledge of the least
// loss, follow from the model alone: no problem and no algorithm has a formula of its own.
package vector

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/option"
	"starling/scenarios/problem"
)

// Kinds of models. For all except the last two, the parameters x are one weight for each
// feature, and z = <a, x> is the prediction for features a.
const (
	// KindLinear has the squared loss (z - y)^2/2 of a number y.
	KindLinear = "linear"
	// KindHuber has the loss r^2/2 of a residual r = z - y up to delta, and
	// delta (|r| - delta/2) beyond.
	KindHuber = "huber"
	// KindLogistic has the loss log(1 + exp(-z y)) of a label y = -1 or 1.
	KindLogistic = "logistic"
	// KindHinge has the loss max(0, 1 - z y) of a label y = -1 or 1.
	KindHinge = "hinge"
	// KindSoftmax is multinomial logistic regression with an offset for each class, for labels
	// 0 .. classes-1. It computes in float32, as package model does.
	KindSoftmax = "softmax"
	// KindMLP is KindSoftmax behind dense layers with ReLU.
	KindMLP = "mlp"
)

// Kinds returns the kinds of models.
func Kinds() []string {
	return []string{KindLinear, KindLogistic, KindHinge, KindHuber, KindSoftmax, KindMLP}
}

// Label is the kind of the label of a datum.
type Label int

// The labels.
const (
	Value Label = iota // a number, which is predicted up to an error
	Sign               // -1 or 1
	Class              // 0 .. classes-1
)

// Options describe a model. Start from DefaultOptions. Options that a kind does not use may be
// given, so that a sweep can change the kind.
type Options struct {
	Kind    string  `yaml:"kind" oneof:"linear logistic hinge huber softmax mlp" doc:"what is learned: linear, squared loss of a number; huber, the same with a bound on its slope; logistic and hinge, of labels -1 and 1; softmax, multinomial logistic regression with offsets; mlp, a network of dense layers with ReLU"`
	L2      float64 `yaml:"l2" min:"0" says:"l2 = %v" unit:"loss per squared 2-norm" doc:"weight of a ridge term l2/2 ||x||^2 in every loss, which makes convex losses strongly convex; absent, 0"`
	Delta   float64 `yaml:"delta" over:"0" says:"delta = %v" unit:"that of the label" doc:"residual, in units of the label, from which the loss of huber grows like its size; no slope is larger"`
	Hidden  []int   `yaml:"hidden" unit:"units" range:"at least 1 each" doc:"units of the dense layers of mlp before the output, each with ReLU"`
	Classes int     `yaml:"classes" min:"0" max:"4096" says:"%v classes" unit:"classes" doc:"number of classes of softmax and mlp; absent, as many as the data have"`
}

// DefaultOptions returns logistic regression without a ridge term, a delta of 1, and 64 hidden
// units.
func DefaultOptions() Options {
	return Options{Kind: KindLogistic, Delta: 1, Hidden: []int{64}}
}

// Label returns the kind of labels that the model needs.
func (o Options) Label() Label {
	switch o.Kind {
	case KindLinear, KindHuber:
		return Value
	case KindLogistic, KindHinge:
		return Sign
	}
	return Class
}

// Validate reports every option that is wrong, as *option.Errors.
func (o Options) Validate() error {
	var errs []error
	if !slices.Contains(Kinds(), o.Kind) {
		errs = append(errs, option.Errorf("kind", "is %q, want one of %s", o.Kind, strings.Join(Kinds(), ", ")))
	}
	if !(o.L2 >= 0) || math.IsInf(o.L2, 1) {
		errs = append(errs, option.Errorf("l2", "is %v, want a finite number >= 0", o.L2))
	}
	if o.Kind == KindHuber && (!(o.Delta > 0) || math.IsInf(o.Delta, 1)) {
		errs = append(errs, option.Errorf("delta", "is %v, want a finite number > 0", o.Delta))
	}
	if o.Kind == KindMLP && len(o.Hidden) == 0 {
		errs = append(errs, option.Errorf("hidden", "is empty, want the units of at least one layer; softmax has none"))
	}
	if o.Label() == Class && (o.Classes < 0 || o.Classes == 1) {
		errs = append(errs, option.Errorf("classes", "is %d, want at least 2", o.Classes))
	}
	return errors.Join(errs...)
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
	// Classes is the number of classes of the data, for options without one.
	Classes int
}

// Model is a model of vectors. It is immutable and safe for concurrent use. All except the
// models of numbers are a stream.Evaluator.
type Model interface {
	problem.Model
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

// New makes the model that options describe. It returns *option.Errors, joined, for
// options that do not fit, also to the data.
func New(o Options, data Data) (Model, error) {
	if data.Features < 1 {
		return nil, fmt.Errorf("model: %d features, want at least 1", data.Features)
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	switch o.Kind {
	case KindLogistic:
		return newLogistic(o, data), nil
	case KindSoftmax, KindMLP:
		return newNetwork(o, data)
	}
	return newMargin(o, data), nil
}
