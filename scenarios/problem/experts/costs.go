package experts

import (
	"sync"

	"starling/mechanisms/kernel"
	"starling/messages"
)

// Costs are the losses of an instance as online costs of nodes that are equals: node
// i, from 0, is client i+1. They implement problem.Instance, of decisions on the
// simplex, and problem.Data, and are safe for concurrent use.
type Costs struct {
	losses  Instance
	clients int
	d       int
	pool    sync.Pool // of *[]float64, len d
}

// NewCosts returns the costs of so many clients in d dimensions.
func NewCosts(losses Instance, clients, d int) *Costs {
	c := &Costs{losses: losses, clients: clients, d: d}
	c.pool.New = func() any { v := make([]float64, d); return &v }
	return c
}

// Loss implements problem.Instance.
func (c *Costs) Loss(node messages.NodeID, step int, x []float64) float64 {
	return c.losses.Loss(node+1, step, x)
}

// Gradient implements problem.Instance.
func (c *Costs) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	c.losses.Gradient(dst, node+1, step, x)
}

// Width implements problem.Data: d.
func (c *Costs) Width() int { return c.d }

// Datum implements problem.Data.
func (c *Costs) Datum(dst []float64, node messages.NodeID, step int) {
	c.losses.Datum(dst, node+1, step)
}

// SumGradient implements problem.Instance.
func (c *Costs) SumGradient(dst []float64, step int, x []float64) {
	gradient := c.pool.Get().(*[]float64)
	defer c.pool.Put(gradient)
	clear(dst)
	for client := 1; client <= c.clients; client++ {
		c.losses.Gradient(*gradient, messages.NodeID(client), step, x)
		kernel.Add(dst, *gradient)
	}
}
