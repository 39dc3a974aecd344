package algorithm

import (
	"starling/mechanisms/robust"
	"starling/messages"
)

// combine makes z of what the node hears by the rule's Combine: of what arrived, or with
// MissingHold of the last of each neighbour. Rules look at all messages together, so that
// one that comes late counts as any other, and with MissingDrop and MissingRenormalise one
// that is missing is no part of them. Where nothing is heard, z is the node's own release.
// Where fewer vectors are there than the rule takes, which then holds out against fewer
// liars, QuantityFew is recorded.
func (h *Heard) combine(z []float64, t *Turn, inbox []messages.Envelope) {
	s := t.stepper
	list := s.combined[:0]
	if h.rule.Missing == MissingHold {
		h.held.Keep(inbox)
		from, weights := t.Expected()
		for i, j := range from {
			list = append(list, robust.Vector{Values: h.heldOf(j), Weight: weights[i]})
		}
	} else {
		for i := range inbox {
			list = append(list, robust.Vector{Values: inbox[i].Payload.(*messages.Vector).Values, Weight: inbox[i].Weight})
		}
	}
	if len(list) < h.rule.Combine.Least() && t.before != nil {
		t.Record(QuantityFew, float64(len(list)))
	}
	if s.combined = list; len(list) == 0 {
		copy(z, h.last)
		return
	}
	h.rule.Combine.Combine(z, h.last, list, &s.combining)
}

// heldOf is what is held of a neighbour: the public start, if nothing was heard of it.
func (h *Heard) heldOf(node messages.NodeID) []float64 {
	if q, found := h.held.Find(node); found {
		return q
	}
	return h.rule.Start
}
