// Package network says what of the messages sent reaches whom: outboxes in,
// inboxes out, as pure functions of the graph and what was sent. Both runtimes
// deliver with it, so they deliver the same.
//
// It moves nothing and waits for nothing: that is a runtime's business.
package network

import (
	"slices"

	"starling/actors/topology"
	"starling/messages"
)

// Inbox appends to dst what node receives of the messages sent in the turn
// `sent`, and returns it. graph is that turn's graph and outboxes holds the
// sealed outboxes of that turn, by node. The order is by sender, then by order
// of sending; every envelope carries the weight of the edge it came by.
func Inbox(dst []messages.Envelope, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	from, weights := graph.In(node)
	weights = weights[:len(from)]
	n := len(dst)
	dst = slices.Grow(dst, len(from))[:n+len(from)]
	for k, j := range from {
		outbox := &outboxes[j]
		if outbox.HasSingles() {
			return inboxFrom(dst[:n], k, graph, node, sent, outboxes)
		}
		if outbox.Broadcast == nil {
			continue
		}
		e := &dst[n]
		e.From, e.Seq, e.Sent, e.Weight, e.Payload = j, 0, int32(sent), weights[k], outbox.Broadcast
		n++
	}
	return dst[:n]
}

// inboxFrom is Inbox from the node's k-th in-neighbour on, for senders with
// single messages too.
func inboxFrom(dst []messages.Envelope, k int, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	from, weights := graph.In(node)
	for ; k < len(from); k++ {
		outbox := &outboxes[from[k]]
		dst = merge(dst, outbox, outbox.Singles(node), messages.Envelope{From: from[k], Sent: int32(sent), Weight: weights[k]})
	}
	return dst
}

// merge appends a sender's single messages and its broadcast, if any, in order
// of sending.
func merge(dst []messages.Envelope, outbox *messages.Outbox, singles []messages.Single, e messages.Envelope) []messages.Envelope {
	broadcast := outbox.Broadcast
	for _, s := range singles {
		if broadcast != nil && outbox.BroadcastSeq() < s.Seq {
			e.Seq, e.Payload = outbox.BroadcastSeq(), broadcast
			dst = append(dst, e)
			broadcast = nil
		}
		e.Seq, e.Payload = s.Seq, s.Payload
		dst = append(dst, e)
	}
	if broadcast != nil {
		e.Seq, e.Payload = outbox.BroadcastSeq(), broadcast
		dst = append(dst, e)
	}
	return dst
}
