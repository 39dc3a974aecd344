package algorithm

import (
	"starling/messages"
)

// Limited is a Network with edges that carry a limited number of bytes a turn. A message along an
// edge stands in line there, first in, first out, and has arrived when its last byte has
// passed (store and forward). In the order in which it happens to a message, it is
//
//  1. lost, if Fate says so: then it takes nothing of the bandwidth;
//  2. dropped, if its place in the line is beyond the limits of Bandwidth;
//  3. in line: with B bytes before it that have not passed when its turn begins,
//     in line already or sent earlier in the turn, and s bytes of its own, on an
//     edge of C bytes a turn, it waits ceil((B+s)/C) - 1 turns;
//  4. delayed, by as many turns more as Fate says;
//  5. waiting for a receiver that has no turn, up to Patience.
//
// So a message that fits into its turn arrives as if there were no limit. A message in line
// passes even if its sender, receiver or edge goes down, and so does a delayed one.
type Limited interface {
	Network
	// Limits reports whether the network has any limit.
	Limits() bool
	// Bandwidth is the number of bytes that an edge carries in a turn, how many bytes may
	// stand in line when the turn is over, and for how many turns a message may: MaxDelay
	// covers them. Local links have none.
	Bandwidth(from, to messages.NodeID) (bytes, queue int64, longest int)
}

// limited returns the run's network as one with limits, nil if it has none.
func (r *Run) limited() Limited {
	if l, ok := r.Network.(Limited); ok && l.Limits() {
		return l
	}
	return nil
}

// Queues returns the queues of all nodes at the first turn to run, by node; nil
// without limited bandwidth.
func (r *Run) Queues() []Queue {
	if r.limited() == nil {
		return nil
	}
	queues := make([]Queue, len(r.Machines))
	if r.Resume != nil {
		for i := range r.Resume.Queues {
			queues[i] = r.Resume.Queues[i].Clone()
		}
	}
	return queues
}

// Route puts the messages of a turn to the stepper's nodes into their queues and passes the
// meter their fates. It is called once for every turn, after that turn and before the next,
// and after the last turn too. queues are the queues of all nodes, by node; inbox appends the
// messages to a node in that turn, ordered by (From, Seq).
func (s *Stepper) Route(sent int, queues []Queue, inbox func(dst []messages.Envelope, node messages.NodeID) []messages.Envelope) {
	s.attendance.Begin(sent + 1)
	stepEnds := s.attendance.Over(sent+1) || s.attendance.Offset(sent+1) != s.attendance.Offset(sent)
	p := &s.passage
	p.Edges, p.Sent, p.Reached, p.Fates = s.limits, sent, s.attendance.Reached, Fates{}
	queued := int64(0)
	for _, to := range s.nodes.All() {
		q := &queues[to]
		s.inbox = inbox(s.inbox[:0], to)
		p.Pass(q, to, s.inbox)
		if stepEnds {
			queued += q.Bytes()
		}
	}
	if p.Fates.Queued = queued; s.watcher != nil && p.Fates != (Fates{}) {
		s.watcher.Fates(s.run.FirstStep+s.attendance.Offset(sent), p.Fates)
	}
}

// queuesState goes through the queues of all nodes, after the outboxes of the state, in which
// their payloads are: without messages that have arrived before the turn to run.
func (r *Run) queuesState(c *messages.Codec, s *State) {
	if c.Reading() {
		s.Queues = make([]Queue, len(r.Machines))
	}
	past := Past{Now: r.TurnOf(s.Offset), Nodes: len(r.Machines), Earlier: func(back int) ([]messages.Outbox, bool) {
		if back < 0 || back >= len(s.Earlier) {
			return nil, false
		}
		return s.Earlier[back].Outboxes, true
	}}
	for i := range s.Queues {
		if c.Failed() {
			return
		}
		c.Enter("queue", r.Label(messages.NodeID(i)))
		s.Queues[i].State(c, messages.NodeID(i), &past)
		c.Leave()
	}
}
