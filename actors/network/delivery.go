// Package network says which messages reach which node, and when: outboxes in, inboxes out, as
// pure functions of the graph and of the messages sent. Both runtimes deliver with it, so they
// deliver the same.
//
// A network is ideal unless it has Effects: delays, losses, limited bandwidth,
// partitions, and nodes that are down.
//
//	sent in turn t along an edge of G(t)
//	   |  Local: inside a protected unit's trust, so no wire        -> due in turn t+1
//	   v
//	partitioned, or Lost                                            -> gone
//	   |
//	   v
//	Bandwidth: stands in line on the edge (algorithm.Queue)         -> dropped where the line is full
//	   |
//	   v
//	Delay and Straggling                                            -> due in turn t+1+delay
//	   |
//	   v
//	receiver up within Patience turns                               -> in its inbox; else lost
//
// # Why everything is a function
//
// Whether an edge loses a message in turn t is a function of (seed, edge, t), and whether a
// node is down is a function of (seed, node, t). Nothing is drawn in passing. Two runtimes, a
// resumed run and a later observer get the same answer, and no state has to be kept for a
// message on its way. Bandwidth is the exception: the line depends on the messages sent, so
// the part of a runtime that delivers to a node keeps the queues.
//
// In a run with steps of several turns, effects can go by the step: ByStep.
//
// The package moves nothing and waits for nothing: that is a runtime's business.
package network

import (
	"slices"

	"starling/actors/topology"
	"starling/messages"
)

// Inbox appends to dst the messages to node that were sent in the turn `sent`, and returns it.
// graph is that turn's graph and outboxes holds the sealed outboxes of that turn, by node. The
// order is by sender, then by order of sending; every envelope carries the weight of the edge
// it came by.
func Inbox(dst []messages.Envelope, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	from, weights := graph.In(node)
	return inbox(dst, from, weights, node, sent, outboxes)
}

// InboxFrom is Inbox for the senders first .. end-1 only.
func InboxFrom(dst []messages.Envelope, first, end messages.NodeID, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	from, weights := graph.In(node)
	lo := below(from, first)
	hi := lo + below(from[lo:], end)
	return inbox(dst, from[lo:hi], weights[lo:hi], node, sent, outboxes)
}

// fewSenders is how many senders are looked through one after the other: a search would take
// longer.
const fewSenders = 8

// below is how many nodes of an ascending list are below a node.
func below(list []messages.NodeID, node messages.NodeID) (n int) {
	if len(list) > fewSenders {
		n, _ = slices.BinarySearch(list, node)
		return n
	}
	for n < len(list) && list[n] < node {
		n++
	}
	return n
}

// inbox is the hot path of every run: one pass over the senders of a node, an envelope each.
// Senders that only broadcast, as almost all do, need no merging. From the first sender that
// has single messages on, mergeAll takes over.
func inbox(dst []messages.Envelope, from []messages.NodeID, weights []float64, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	weights = weights[:len(from)]
	n := len(dst)
	dst = slices.Grow(dst, len(from))[:n+len(from)]
	for k, j := range from {
		outbox := &outboxes[j]
		if outbox.HasSingles() {
			return mergeAll(dst[:n], from[k:], weights[k:], node, sent, outboxes)
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

// mergeAll is inbox for senders that have single messages too.
func mergeAll(dst []messages.Envelope, from []messages.NodeID, weights []float64, node messages.NodeID, sent int, outboxes []messages.Outbox) []messages.Envelope {
	for k, j := range from {
		outbox := &outboxes[j]
		dst = merge(dst, outbox, outbox.Singles(node), messages.Envelope{From: j, Sent: int32(sent), Weight: weights[k]})
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

// FillBlock folds the messages to node from the senders of a block that are among from ..
// to-1. scratch is working memory, returned for the next call.
func FillBlock(blocks *messages.Blocks, block int, fold func([]float64, *messages.Envelope), from, to messages.NodeID, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox, scratch []messages.Envelope) []messages.Envelope {
	first, end := blocks.Senders(block)
	first, end = max(first, from), min(end, to)
	scratch = InboxFrom(scratch[:0], first, max(first, end), graph, node, sent, outboxes)
	blocks.Fill(block, scratch, fold)
	return scratch
}
