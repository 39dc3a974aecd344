package algorithm

import (
	"fmt"
	"math"
	"slices"

	"starling/messages"
)

// sender is who sent something, and in which turn.
type sender struct {
	from messages.NodeID
	sent int
}

// queuedFrom returns of whom, and of which turns, messages are on their way to
// the turn `now` or a later one.
func queuedFrom(queues []Queue, now int) map[sender]bool {
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

// queuesState goes through the queues of all nodes, after the outboxes of the
// state, in which their payloads are: without what has arrived before the turn
// `now`.
func (r *Run) queuesState(c *messages.Codec, s *State) {
	now := r.TurnOf(s.Offset)
	if c.Reading() {
		s.Queues = make([]Queue, len(r.Machines))
	}
	for i := range s.Queues {
		if c.Failed() {
			return
		}
		q := &s.Queues[i]
		c.Enter("queue", r.Label(messages.NodeID(i)))
		messages.Slice(c, "line", &q.lines, math.MaxInt32, func(l *line) {
			messages.Integer(c, "from", &l.from)
			messages.Integer(c, "bytes", &l.bytes)
		})
		waiting := slices.DeleteFunc(slices.Clone(q.waiting), func(u underway) bool { return u.arrives < now })
		messages.Slice(c, "underway", &waiting, math.MaxInt32, func(u *underway) {
			messages.Integer(c, "from", &u.envelope.From)
			messages.Integer(c, "position", &u.envelope.Seq)
			messages.Integer(c, "sent", &u.envelope.Sent)
			c.Int("arrives", &u.arrives)
			c.Float("weight", &u.envelope.Weight)
		})
		if c.Reading() && !c.Failed() {
			q.waiting = waiting
			if err := r.adopt(q, messages.NodeID(i), s, now); err != nil {
				c.Check(false, "%w", err)
			}
		}
		c.Leave()
	}
}

// adopt checks a queue that was read and gives its messages their payloads.
func (r *Run) adopt(q *Queue, to messages.NodeID, s *State, now int) error {
	for k, l := range q.lines {
		if l.from < 0 || int(l.from) >= len(r.Machines) || l.bytes < 1 || k > 0 && q.lines[k-1].from >= l.from {
			return fmt.Errorf("state with %d bytes in line from node %d of %d", l.bytes, l.from, len(r.Machines))
		}
	}
	for k := range q.waiting {
		e := &q.waiting[k].envelope
		back := now - 2 - int(e.Sent)
		if back < 0 || back >= len(s.Earlier) || e.From < 0 || int(e.From) >= len(r.Machines) || q.waiting[k].arrives < now {
			return fmt.Errorf("state with a message of node %d, sent in turn %d, that arrives in turn %d after turn %d", e.From, e.Sent, q.waiting[k].arrives, now-1)
		}
		if e.Payload = payloadOf(&s.Earlier[back].Outboxes[e.From], to, e.Seq); e.Payload == nil {
			return fmt.Errorf("state without message %d of node %d, sent in turn %d", e.Seq, e.From, e.Sent)
		}
	}
	return nil
}

// payloadOf returns what a node was sent at a position of an outbox, nil if
// nothing.
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
