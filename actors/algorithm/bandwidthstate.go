package algorithm

import (
	"fmt"
	"math"
	"slices"

	"starling/messages"
)

// sender is a sender of messages, with the turn of sending.
type sender struct {
	From messages.NodeID
	Sent int
}

// senders returns the senders, with the turns of sending, of messages that are on their way to
// the turn `now` or a later one.
func senders(queues []Queue, now int) map[sender]bool {
	senders := map[sender]bool{}
	for i := range queues {
		for _, u := range queues[i].waiting {
			if u.arrives >= now {
				senders[sender{u.envelope.From, int(u.envelope.Sent)}] = true
			}
		}
	}
	return senders
}

// Past is the state of a run before turn Now, which the state of its queues goes with.
type Past struct {
	Now, Nodes int
	// Earlier has the outboxes of turns Now-2, Now-3, .., by node: it has the payloads. Where
	// it is nil, a queue that is read has no payloads, and can only be written again.
	Earlier func(back int) (outboxes []messages.Outbox, kept bool)
}

// State goes through the queue of a node, without payloads and without messages that have
// arrived before the turn. On reading it takes payloads from the past.
func (q *Queue) State(c *messages.Codec, to messages.NodeID, past *Past) {
	messages.Slice(c, "line", &q.lines, math.MaxInt32, func(l *line) {
		messages.Integer(c, "from", &l.from)
		messages.Integer(c, "bytes", &l.bytes)
	})
	waiting := slices.DeleteFunc(slices.Clone(q.waiting), func(u underway) bool { return u.arrives < past.Now })
	messages.Slice(c, "underway", &waiting, math.MaxInt32, func(u *underway) {
		messages.Integer(c, "from", &u.envelope.From)
		messages.Integer(c, "position", &u.envelope.Seq)
		messages.Integer(c, "sent", &u.envelope.Sent)
		c.Int("arrives", &u.arrives)
		c.Float("weight", &u.envelope.Weight)
	})
	if c.Reading() && !c.Failed() {
		q.waiting = waiting
		if past.Earlier == nil {
			return
		}
		if err := q.adopt(to, past); err != nil {
			c.Check(false, "%w", err)
		}
	}
}

// adopt checks a queue that was read and gives its messages their payloads.
func (q *Queue) adopt(to messages.NodeID, past *Past) error {
	for k, l := range q.lines {
		if l.from < 0 || int(l.from) >= past.Nodes || l.bytes < 1 || k > 0 && q.lines[k-1].from >= l.from {
			return fmt.Errorf("state with %d bytes in line from node %d of %d", l.bytes, l.from, past.Nodes)
		}
	}
	for k := range q.waiting {
		e := &q.waiting[k].envelope
		outboxes, kept := past.Earlier(past.Now - 2 - int(e.Sent))
		if !kept || e.From < 0 || int(e.From) >= past.Nodes || q.waiting[k].arrives < past.Now {
			return fmt.Errorf("state with a message of node %d, sent in turn %d, that arrives in turn %d after turn %d", e.From, e.Sent, q.waiting[k].arrives, past.Now-1)
		}
		if e.Payload = payloadOf(&outboxes[e.From], to, e.Seq); e.Payload == nil {
			return fmt.Errorf("state without message %d of node %d, sent in turn %d", e.Seq, e.From, e.Sent)
		}
	}
	return nil
}

// payloadOf returns the payload to a node at a position of an outbox, nil if there is none.
func payloadOf(outbox *messages.Outbox, to messages.NodeID, seq int32) messages.Payload {
	if outbox.Broadcast != nil && outbox.BroadcastSeq() == seq {
		return outbox.Broadcast
	}
	for _, single := range outbox.Singles(to) {
		if single.Seq == seq {
			return single.Payload
		}
	}
	return nil
}
