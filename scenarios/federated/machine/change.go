package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Change returns the client that sends the change of the model by its local steps, times its
// weight: index is its number, from 0.
func Change(at *Setting, index int) Client { return &change{at, index} }

type change struct {
	at    *Setting
	index int
}

// Update implements Client.
func (c *change) Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error) {
	copy(dst, said)
	receipt, err := c.at.Steps.Take(t, c.index, dst, nil)
	kernel.Axpy(dst, -1, said)
	if c.at.Weights != nil {
		kernel.Scale(dst, c.at.Weights[c.index], dst)
	}
	return receipt, err
}

// State implements messages.Stateful: such a client remembers nothing.
func (*change) State(*messages.Codec) {}
