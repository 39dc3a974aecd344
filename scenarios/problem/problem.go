// Package problem holds the online costs f_t^i that nodes i meet at steps t. The parties of a
// scenario learn from these costs; the package knows nothing of how they learn.
//
// A [Problem] is the problem that a scenario describes, without a seed; [Problem.Draw] turns
// it into the [Instance] of one seed, an immutable function of (node, step, x). Because no
// cost depends on the caller, or on the time or number of calls, a node's oracle and a meter
// that measures regret can both evaluate it, in any order and from any goroutine, and see the
// same bits. The random numbers behind an instance are keyed by seed and use alone, never by
// the arm of a sweep, so arms are compared on the same data.
//
// Predictions are predictions of labels, and have the scores by which they are judged: accuracy
// (Accuracy, BalancedAccuracy, F1), areas under curves (AreaUnderROC, AveragePrecision), losses
// of probabilities (LogLoss, BrierScore), CalibrationError, and errors of regression (RMSE, MAE,
// R2, D2). Every score is a pure function of Predictions. It is NaN where it is not defined: of
// no data, of scores that are no numbers, and as each function says. Sums are taken in the order
// of the data. Definitions are as in scikit-learn 1.9, where a score that is not defined is NaN
// in some cases only.
//
// The package enforces no gradient bound and adds no noise: it states the
// bounds theta and beta of its costs, and their derivation stands where they
// are computed.
package problem

import (
	"fmt"

	"starling/actors/algorithm/mirror"
	"starling/messages"
)

// Problem describes the costs of all nodes, without a seed. It is immutable
// and safe for concurrent use.
type Problem interface {
	// Kind is the name used in scenarios: localization, logistic,
	// robust-regression.
	Kind() string
	// Dim is d, the dimension of the decisions.
	Dim() int
	// Nodes is N.
	Nodes() int
	// Set is Omega, the decision set.
	Set() mirror.Set
	// GradientBound is theta: no gradient of any seed, node and step has a
	// larger 2-norm on the set, up to rounding. Each problem documents the derivation and its
	// assumptions.
	GradientBound() float64
	// Smoothness is beta, a Lipschitz constant in the 2-norm of every gradient
	// on the set (DPDO-NC, Assumption 3, has it on all of R^d). finite is false,
	// and beta 0, where no such constant is known.
	Smoothness() (beta float64, finite bool)
	// Draw makes the environment of one seed for steps 1..horizon. The same
	// seed gives the same costs at a step whatever the horizon.
	Draw(seed uint64, horizon int) (Instance, error)
}

// Instance is the costs f_t^i of one seed. It is immutable and safe for
// concurrent use; every value is a pure function of (seed, node, step, x).
// Steps are the paper's, 1..horizon. A node or step out of range, or a slice
// that is not of length d, is a broken invariant of the caller and panics. A
// NaN in x gives NaN, never a panic.
type Instance interface {
	// Loss is f_step^node(x), x of len d.
	Loss(node messages.NodeID, step int, x []float64) float64
	// Gradient overwrites dst (len d, not overlapping x) with the gradient of
	// f_step^node at x.
	Gradient(dst []float64, node messages.NodeID, step int, x []float64)
	// SumGradient overwrites dst (len d, not overlapping x) with the sum over
	// all nodes of the gradients of their costs of this step at x, with the
	// bits of adding them to zero in ascending order of the node. It is the
	// hot loop of regret measurement, called N times a step.
	SumGradient(dst []float64, step int, x []float64)
}

// Model is the model that is learned where the costs of a problem are the loss of one model at
// data. It is immutable and safe for concurrent use.
type Model interface {
	// Dim is d, the number of parameters.
	Dim() int
	// Loss returns the loss of a datum at x, len d.
	Loss(x, datum []float64) float64
	// Gradient overwrites dst, len d, with the gradient at x of the loss of a datum. dst
	// overlaps x nowhere; it may be the datum.
	Gradient(dst, x, datum []float64)
}

// GeneralizedLinear is a Model with a loss that depends on x by <x, a>, where a are the
// features, the first Dim numbers of a datum. It may also have terms that depend on no datum,
// such as a ridge.
type GeneralizedLinear interface {
	Model
	// Slope returns the derivative of the loss of a datum by <x, a>.
	Slope(x, datum []float64) float64
	// SlopeOnly reports whether Gradient is Slope times a, to the last bit, without other
	// terms.
	SlopeOnly() bool
}

// Modelled is a Problem with costs that are the loss of one model at a datum of each node and
// step. Its instances implement Data.
type Modelled interface {
	Problem
	Model() Model
}

// Data are the data of one seed, a datum for each node and step. They are immutable and safe for
// concurrent use; every value is a pure function of its arguments. Where costs are the loss of
// a model at data,
//
//	f_t^i(x) = loss(x, datum(i, t)),
//
// instances implement it, and Loss and Gradient of the instance have the bits of the model's.
type Data interface {
	// Width is the length of a datum.
	Width() int
	// Datum overwrites dst, len Width, with the datum that a node, from 0, meets at a step,
	// from 1. A node out of range, or a slice of another length, is a broken invariant of the
	// caller and panics.
	Datum(dst []float64, node messages.NodeID, step int)
}

// Tracker is implemented by instances that hide a true position to be found.
type Tracker interface {
	// Target returns the true position at a step, len d. It is shared: read only.
	Target(step int) []float64
}

// Classifier is implemented by instances that have labels, which a decision predicts, and
// fresh data of nodes to try decisions on.
type Classifier interface {
	// TestSamples returns the number of fresh data of a node, at least 0.
	TestSamples(node messages.NodeID) int
	// Correct reports whether x, len d, predicts the label of a fresh datum of a node, index
	// in 0 .. TestSamples(node)-1.
	Correct(node messages.NodeID, index int, x []float64) bool
}

// Fresh is implemented by instances that know the loss of a decision on fresh data.
type Fresh interface {
	// TestSamples returns the number of fresh data of a node, at least 0.
	TestSamples(node messages.NodeID) int
	// FreshLoss returns the loss at x, len d, of a fresh datum of a node, index in 0 ..
	// TestSamples(node)-1.
	FreshLoss(node messages.NodeID, index int, x []float64) float64
}

// Many is implemented by instances that are asked about many nodes at once with much less
// work than about each. Nodes may come several times; x has a decision of each, len d, side
// by side. Errors name the failure.
type Many interface {
	// Losses writes the loss of each node to dst.
	Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error
	// SumGradients is Instance.SumGradient for several decisions: x has rows of length d side
	// by side, and so has dst.
	SumGradients(dst []float64, step int, x []float64) error
	// FreshLosses writes the mean loss of each decision on fresh data of its node. Only
	// instances of problems with such data may be asked.
	FreshLosses(dst []float64, nodes []messages.NodeID, step int, x []float64) error
	// Tries writes two numbers for each node: the number of its fresh data, and the number of
	// them that its decision classifies right. Again only instances of problems with such data
	// may be asked.
	Tries(dst []float64, nodes []messages.NodeID, step int, x []float64) error
}

// Timed is implemented by instances with a law that changes over time.
type Timed interface {
	// At returns the instance, of the same type, with fresh data of the law of a step.
	At(step int) any
}

// At returns an instance with fresh data of the law of a step: in itself, where the law stays.
func At[T any](in T, step int) T {
	if timed, ok := any(in).(Timed); ok {
		return timed.At(step).(T)
	}
	return in
}

// extent is the range that an instance answers for: N nodes, T steps, d
// dimensions.
type extent struct {
	nodes, horizon, dim int
}

// newExtent refuses extents for which no instance can be drawn.
func newExtent(kind string, nodes, horizon, dim int) (extent, error) {
	if horizon < 1 {
		return extent{}, fmt.Errorf("draw %s: horizon is %d steps, want at least 1", kind, horizon)
	}
	return extent{nodes: nodes, horizon: horizon, dim: dim}, nil
}

// check panics unless node and step are in range and both slices have length d.
func (e *extent) check(node messages.NodeID, step int, x, dst []float64) {
	if uint(node) >= uint(e.nodes) || uint(step-1) >= uint(e.horizon) || len(x) != e.dim || len(dst) != e.dim {
		e.fail(node, step, len(x), len(dst))
	}
}

// checkStep panics unless step is in range.
func (e *extent) checkStep(step int) {
	if uint(step-1) >= uint(e.horizon) {
		e.fail(0, step, e.dim, e.dim)
	}
}

// fail is apart from check so that check is inlined and allocates nothing.
func (e *extent) fail(node messages.NodeID, step, x, dst int) {
	panic(fmt.Sprintf("problem: node %d, step %d, vectors of length %d and %d, of an instance of %d nodes, %d steps, dimension %d",
		node+1, step, x, dst, e.nodes, e.horizon, e.dim))
}
