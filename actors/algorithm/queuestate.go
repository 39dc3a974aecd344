package algorithm

import (
	"encoding/binary"
	"fmt"
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

// Sizes of what appendState writes for a line and for a message.
const (
	sizeOfLine     = 4 + 8
	sizeOfUnderway = 4 + 4 + 8 + 8 + 8
)

// appendState appends the queue as it is before the turn `now`. The payloads are
// in the outboxes of the state.
func (q *Queue) appendState(dst []byte, now int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(q.lines)))
	for _, l := range q.lines {
		dst = messages.AppendInt(binary.LittleEndian.AppendUint32(dst, uint32(l.from)), int(l.bytes))
	}
	waiting := slices.DeleteFunc(slices.Clone(q.waiting), func(u underway) bool { return u.arrives < now })
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(waiting)))
	for _, u := range waiting {
		e := &u.envelope
		dst = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, uint32(e.From)), uint32(e.Seq))
		dst = messages.AppendInt(messages.AppendInt(dst, int(e.Sent)), u.arrives)
		dst = messages.AppendFloats(dst, e.Weight)
	}
	return dst
}

// readQueues reads the queues of all nodes, once it has the outboxes of the
// state.
func (r *Run) readQueues(in *messages.Reader, s *State) error {
	now := r.TurnOf(s.Offset)
	s.Queues = make([]Queue, len(r.Machines))
	for i := range s.Queues {
		q := &s.Queues[i]
		q.lines = make([]line, in.Length(sizeOfLine))
		for k := range q.lines {
			q.lines[k] = line{messages.NodeID(in.Uint32()), int64(in.Int())}
		}
		q.waiting = make([]underway, in.Length(sizeOfUnderway))
		for k := range q.waiting {
			e := messages.Envelope{From: messages.NodeID(in.Uint32()), Seq: int32(in.Uint32()), Sent: int32(in.Int())}
			u := &q.waiting[k]
			u.arrives, e.Weight = in.Int(), in.Float()
			u.envelope = e
		}
		if in.Err() != nil {
			return in.Err()
		}
		if err := r.adopt(q, messages.NodeID(i), s, now); err != nil {
			return fmt.Errorf("node %d: %w", r.Label(messages.NodeID(i)), err)
		}
	}
	return nil
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
