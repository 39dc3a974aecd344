package algorithm

import (
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Float32 has all that crosses wires do so in numbers of float32, to which every vector is
// rounded when it is sent, after its noise is added: what a release shows is not changed by
// that. A broadcast is one vector for all who hear it, the node itself included.
type Float32 struct {
	// Local tells whether a link crosses no wire; see Network. What is sent along such a link
	// alone stays as it is. nil is none but that of a node to itself.
	Local func(from, to messages.NodeID) bool
}

// wired tells whether what is sent along a link crosses a wire on which it is rounded.
func (f *Float32) wired(from, to messages.NodeID) bool {
	return f != nil && from != to && (f.Local == nil || !f.Local(from, to))
}

// encode refuses a payload that no receiver could compute with, and rounds one that is for
// wires.
func (s *Stepper) encode(p messages.Payload, wired bool) error {
	if err := p.CheckFinite(); err != nil || !wired {
		return err
	}
	return p.Narrow()
}

// encode is Stepper.encode of the rows of the nodes. The error is that of the node of the
// stepper's turn.
func (t *CohortTurn) encode(rows []float64) error {
	own := t.turn
	wired := own.stepper.run.Float32 != nil
	if kernel.AllFinite(rows) && (!wired || messages.NarrowAll(rows) < 0) {
		return nil
	}
	list := own.stepper.vectors.Taken(t.First)
	for own.node = t.First; own.node < t.end(); own.node++ {
		v := messages.Vector{Values: list[own.node-t.First].Values}
		if err := own.stepper.encode(&v, wired); err != nil {
			return err
		}
	}
	return nil
}
