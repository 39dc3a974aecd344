package inbox

import (
	"starling/mechanisms/robust"
	"starling/messages"
)

// combine makes z of the node's messages by the rule's Combine: of the messages that arrived,
// or with MissingHold of the last one of each neighbour. Rules look at all messages together,
// so that one that comes late counts as any other, and with MissingDrop and MissingRenormalise
// one that is missing is no part of them. Where nothing is heard, z is the node's own release.
func (h *Inbox) combine(z []float64, in *Received, work *Work) {
	list := work.list[:0]
	if h.rule.Missing == MissingHold {
		h.held.Keep(in.Messages)
		for i, j := range in.From {
			list = append(list, robust.Vector{Values: h.heldOf(j), Weight: in.Weights[i]})
		}
	} else {
		for i := range in.Messages {
			list = append(list, robust.Vector{Values: in.Messages[i].Payload.(*messages.Vector).Values, Weight: in.Messages[i].Weight})
		}
	}
	if work.list = list; len(list) == 0 {
		copy(z, h.last)
		return
	}
	h.rule.Combine.Combine(z, h.last, list, &work.rule)
}

// heldOf is the vector that is held of a neighbour: the public start, if none was heard.
func (h *Inbox) heldOf(node messages.NodeID) []float64 {
	if q, found := h.held.Find(node); found {
		return q
	}
	return h.rule.Start
}
