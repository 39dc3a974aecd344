package experts

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/problem"
)

// LossesOf returns the costs of nodes that are equals as losses of clients: client i is
// node i-1. They implement problem.Classifier, of clients in place of nodes, where the
// costs do. What the best fixed decision would have paid they do not know.
func LossesOf(costs problem.Instance) algorithm.Costs {
	if fresh, ok := costs.(problem.Classifier); ok {
		return classified{losses{costs}, fresh}
	}
	return losses{costs}
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

type classified struct {
	losses
	fresh problem.Classifier
}

// At implements problem.Timed.
func (c classified) At(step int) any { return classified{c.losses, problem.At(c.fresh, step)} }

// TestSamples implements problem.Classifier.
func (c classified) TestSamples() int { return c.fresh.TestSamples() }

// Correct implements problem.Classifier.
func (c classified) Correct(client messages.NodeID, index int, x []float64) bool {
	return c.fresh.Correct(client-1, index, x)
}
