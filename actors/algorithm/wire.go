package algorithm

import (
	"starling/mechanisms/kernel"
	"starling/messages"
)

// encode refuses a payload that no receiver could compute with, and encodes one that is for
// wires.
func (t *Turn) encode(p messages.Payload, wired bool) error {
	if err := p.CheckFinite(); err != nil || !wired {
		return err
	}
	return t.stepper.run.Wire.Encode(p, t.Rand, &t.stepper.encoding)
}

// encode is Turn.encode of the rows of the nodes, which no codec compresses. The error belongs
// to the node of the stepper's turn.
func (t *CohortTurn) encode(rows []float64) error {
	own := t.turn
	wired := own.stepper.run.Wire != nil
	if kernel.AllFinite(rows) && (!wired || messages.NarrowAll(rows) < 0) {
		return nil
	}
	list := own.stepper.vectors.Taken(t.First)
	for own.node = t.First; own.node < t.end(); own.node++ {
		v := messages.Vector{Values: list[own.node-t.First].Values}
		if err := own.encode(&v, wired); err != nil {
			return err
		}
	}
	return nil
}
