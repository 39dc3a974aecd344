package experts

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/problem"
)

// Numbered is implemented by costs that answer for clients themselves.
type Numbered interface {
	// ByClient returns the costs of nodes as losses of clients.
	ByClient() algorithm.Costs
}

// LossesOf returns the costs of nodes that are equals as losses of clients: client i is
// node i-1. They implement problem.Fresh and problem.Classifier, for clients in place of
// nodes, where the costs do. They do not know the loss of the best fixed decision.
func LossesOf(costs problem.Instance) algorithm.Costs {
	if numbered, ok := costs.(Numbered); ok {
		return numbered.ByClient()
	}
	fresh, ok := costs.(problem.Fresh)
	if !ok {
		return losses{costs}
	}
	if labels, ok := costs.(problem.Classifier); ok {
		return classified{tested{losses{costs}, fresh}, labels}
	}
	return tested{losses{costs}, fresh}
}

type losses struct{ costs problem.Instance }

// Loss implements algorithm.Costs.
func (l losses) Loss(client messages.NodeID, step int, x []float64) float64 {
	return l.costs.Loss(client-1, step, x)
}

// Gradient implements algorithm.Costs.
func (l losses) Gradient(dst []float64, client messages.NodeID, step int, x []float64) {
	l.costs.Gradient(dst, client-1, step, x)
}

type tested struct {
	losses
	fresh problem.Fresh
}

// At implements problem.Timed.
func (c tested) At(step int) any { return tested{c.losses, problem.At(c.fresh, step)} }

// TestSamples implements problem.Fresh and problem.Classifier.
func (c tested) TestSamples(client messages.NodeID) int { return c.fresh.TestSamples(client - 1) }

// FreshLoss implements problem.Fresh.
func (c tested) FreshLoss(client messages.NodeID, index int, x []float64) float64 {
	return c.fresh.FreshLoss(client-1, index, x)
}

type classified struct {
	tested
	labels problem.Classifier
}

// At implements problem.Timed.
func (c classified) At(step int) any {
	return classified{tested{c.losses, problem.At(c.fresh, step)}, problem.At(c.labels, step)}
}

// Correct implements problem.Classifier.
func (c classified) Correct(client messages.NodeID, index int, x []float64) bool {
	return c.labels.Correct(client-1, index, x)
}
