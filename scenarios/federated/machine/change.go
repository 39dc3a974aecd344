package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Change returns the client that sends the change of the model by its local steps, times its
// weight: index is its number, from 0.
func Change(at *Setting, index int) Client { return &change{at, index, at.NewKept()} }

type change struct {
	at    *Setting
	index int
	kept  Kept
}

// Update implements Client.
func (c *change) Update(t *algorithm.Turn, dst, said []float64) (accountant.Receipt, error) {
	copy(dst, said)
	receipt, err := c.at.Steps.Take(t, c.index, dst, nil, c.kept)
	kernel.Axpy(dst, -1, said)
	if c.at.Weights != nil {
		kernel.Scale(dst, c.at.Weights[c.index], dst)
	}
	return receipt, err
}

// State implements messages.Stateful.
func (c *change) State(codec *messages.Codec) { c.kept.State(codec) }

// Kept are the numbers that a client keeps from round to round, for data that take its local steps: 0 at first; nil
// is none.
type Kept []float64

// NewKept returns the numbers of a client at the beginning of a run.
func (at *Setting) NewKept() Kept {
	if at.Kept == 0 {
		return nil
	}
	return make(Kept, at.Kept)
}

// State implements messages.Stateful.
func (k Kept) State(codec *messages.Codec) {
	if k != nil {
		codec.Floats("kept", k)
	}
}
