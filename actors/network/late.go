package network

import (
	"cmp"
	"slices"

	"starling/actors/topology"
	"starling/messages"
)

// Fates gives the fates of messages: a pure function of edge and turn of sending. A message
// that is not lost is due delay turns after the next.
type Fates interface {
	Fate(from, to messages.NodeID, turn int) (delay int, lost bool)
}

// Due appends to dst the messages to node, in a network with effects, of the turn of sending
// `sent`: those that came due after the turn `after` and no later than the turn `now`. It is
// otherwise Inbox. Order brings the messages of several turns of sending into order.
func Due(dst []messages.Envelope, fates Fates, graph *topology.Graph, node messages.NodeID, sent int, outboxes []messages.Outbox, after, now int) []messages.Envelope {
	n := len(dst)
	dst = Inbox(dst, graph, node, sent, outboxes)
	arrives := false
	last := messages.NodeID(-1)
	for k := n; k < len(dst); k++ {
		// Envelopes of one sender stand together, and share one fate.
		if from := dst[k].From; from != last {
			delay, lost := fates.Fate(from, node, sent)
			due := sent + 1 + delay
			arrives, last = !lost && after < due && due <= now, from
		}
		if arrives {
			dst[n] = dst[k]
			n++
		}
	}
	clear(dst[n:])
	return dst[:n]
}

// Order sorts an inbox by (From, Sent, Seq): the order in which a machine reads its
// messages, whatever the order in which they came due. Floating-point sums depend on it.
func Order(inbox []messages.Envelope) {
	slices.SortFunc(inbox, func(a, b messages.Envelope) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Seq, b.Seq))
	})
}

// Fill folds an inbox that Order has sorted, by blocks of its senders. Blocks without
// messages become 0.
func Fill(blocks *messages.Blocks, inbox []messages.Envelope, fold func([]float64, *messages.Envelope)) {
	for b := range blocks.Len() {
		_, end := blocks.Senders(b)
		n, _ := slices.BinarySearchFunc(inbox, end, func(e messages.Envelope, end messages.NodeID) int { return cmp.Compare(e.From, end) })
		blocks.Fill(b, inbox[:n], fold)
		inbox = inbox[n:]
	}
}
