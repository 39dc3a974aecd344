// Package stream holds the problems of online federated learning: streams of data, one datum
// per learner and step, models with their loss at a datum, and the least losses in hindsight
// that regret compares with.
//
// As in package problem, everything is a pure function of its arguments and of a seed, and
// never depends on the caller, or on the time or number of calls. A client that gives its
// datum to a learner and a meter that measures the learner see the same bits. Random numbers
// are keyed by seed and use alone, so that the arms of a sweep are compared on the same data.
//
// Learners are nodes from 0, and steps are from 1, as everywhere: step r tau + t of the paper,
// which counts from 0, is step r tau + t + 1 here. Rounds are the paper's, from 0.
// The package knows no algorithm, bounds no gradient and adds no noise.
//
// Source: "Locally Differentially Private Online Federated Learning With
// Correlated Noise", sections II and V.
package stream

import (
	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/problem"
)

// Tester is data that have fresh data of nodes, too.
type Tester interface {
	problem.Data
	// TestSamples returns the number of fresh data of a node, at least 0.
	TestSamples(node messages.NodeID) int
	// Test overwrites dst, len Width, with a fresh datum, index in 0 ..
	// TestSamples(node)-1. Fresh data are drawn from the law of the node's data, and are
	// not among these.
	Test(dst []float64, node messages.NodeID, index int)
}

// Shared is a Tester that may give every node the same fresh data.
type Shared interface {
	Tester
	// Shared reports whether it does.
	Shared() bool
}

// Validated is data with rows that are held out of what is learned, for the choice of keys.
type Validated interface {
	// Validation returns the data with these rows in place of fresh data; nil where there are
	// none.
	Validation() Tester
}

// ValidationOf returns the data with validation rows in place of fresh data; nil where there are
// none.
func ValidationOf(data problem.Data) Tester {
	if v, ok := data.(Validated); ok {
		return v.Validation()
	}
	return nil
}

// Model is a model that is learned.
type Model = problem.Model

// Seeded is a Model that depends on the data of a seed.
type Seeded interface {
	Model
	// Under returns the model of the losses of data that the problem has drawn.
	Under(in problem.Data) Model
}

// Under returns the model of the losses of an instance's data: the model itself, unless it is
// Seeded.
func Under(in problem.Data, model Model) Model {
	if seeded, ok := model.(Seeded); ok {
		return seeded.Under(in)
	}
	return model
}

// Classifier is a Model of data with labels.
type Classifier interface {
	// Correct reports whether x predicts the label of the datum.
	Correct(x, datum []float64) bool
}

// Evaluator is a Classifier that computes loss and prediction together in less time than one
// by one.
type Evaluator interface {
	// Evaluate returns the results of Loss and Correct, to the last bit.
	Evaluate(x, datum []float64) (loss float64, correct bool)
}

// Minimiser is a model that can compute its least mean loss over given data.
type Minimiser interface {
	Model
	// Minimum returns the least mean loss over data, m rows of one datum each,
	// m >= 1. It may overwrite the data.
	Minimum(data []float64) Optimum
}

// Minimisable is a model whose least losses over decisions from a set may be known.
type Minimisable interface {
	Model
	// Within returns the minimiser of the mean loss over any data, of decisions from a set or,
	// where set is nil, from R^d. It is nil where the least loss is not known.
	Within(set mirror.Set) Minimiser
}

// Linear is a model with losses <l, x>: a gradient is the same at all x.
type Linear interface {
	Model
	// LinearLoss does nothing: a model has it to say what it is.
	LinearLoss()
}

// Reader is a Minimiser that reads data where they are.
type Reader interface {
	Minimiser
	// MinimumOf is Minimum for the data of all parts, in their order. Parts have whole rows,
	// and are not changed.
	MinimumOf(parts [][]float64) Optimum
}

// Shape is the extent of a stream: n learners that meet R tau data each.
type Shape struct {
	Learners int // n
	Rounds   int // R
	Tau      int // steps in a round
}

// Steps returns the horizon, R tau.
func (s Shape) Steps() int { return s.Rounds * s.Tau }

// parts returns the data of all learners at steps first .. last, a part for each step. A part
// is the data's own memory, read only, if they keep all of the step, else a copy.
func (s Shape) parts(in problem.Data, first, last int) [][]float64 {
	list := make([][]float64, 0, last-first+1)
	kept, _ := in.(*Kept)
	for step := first; step <= last; step++ {
		part := kept.storedStep(step)
		if part == nil {
			part = make([]float64, s.Learners*in.Width())
			s.fill(part, in, step, step)
		}
		list = append(list, part)
	}
	return list
}

// fill writes the data of all learners at steps first .. last to dst, step by step.
func (s Shape) fill(dst []float64, in problem.Data, first, last int) {
	width := in.Width()
	for step := first; step <= last; step++ {
		for i := range s.Learners {
			in.Datum(dst[:width:width], messages.NodeID(i), step)
			dst = dst[width:]
		}
	}
}
