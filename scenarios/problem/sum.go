package problem

import (
	"starling/mechanisms/kernel"
	"starling/messages"
)

// SumGradients computes Instance.SumGradient for nodes 0 .. nodes-1 by an instance's own
// Gradient, for instances without a faster way. It allocates.
func SumGradients(dst []float64, in interface {
	Gradient(dst []float64, node messages.NodeID, step int, x []float64)
}, nodes, step int, x []float64) {
	clear(dst)
	one := make([]float64, len(dst))
	for node := range nodes {
		in.Gradient(one, messages.NodeID(node), step, x)
		kernel.Add(dst, one)
	}
}
