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

// LossesOf returns the costs of nodes as losses of clients: client i is node i-1.
func LossesOf(costs problem.Instance) algorithm.Costs {
	if numbered, ok := costs.(Numbered); ok {
		return numbered.ByClient()
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
