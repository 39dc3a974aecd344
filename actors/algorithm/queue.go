package algorithm

import (
	"math"
	"slices"

	"starling/messages"
)

// Limited is a Network whose edges carry a limited number of bytes a turn. What
// is sent along an edge stands in line there, first in, first out, and has
// arrived when its last byte has passed (store and forward). In the order in
// which it happens to a message, it is
//
//  1. lost, if Fate says so: then it takes nothing of the bandwidth;
//  2. dropped, if its place in the line is beyond the limits of Bandwidth;
//  3. in line: with B bytes before it that have not passed when its turn begins,
//     in line already or sent earlier in the turn, and s bytes of its own, on an
//     edge of C bytes a turn, it waits ceil((B+s)/C) - 1 turns;
//  4. delayed, by as many turns more as Fate says;
//  5. waiting for a receiver that has no turn, up to Patience.
//
// So what fits into its turn arrives as if there were no limit. What is in line
// passes whatever becomes of sender, receiver and edge, as does what is delayed.
type Limited interface {
	Network
	// Limits tells whether the network has any limit.
	Limits() bool
	// Bandwidth is what an edge carries in a turn, in bytes, how many bytes may
	// stand in line when the turn is over, and for how many turns a message may:
	// MaxDelay covers them. Local links have none.
	Bandwidth(from, to messages.NodeID) (bytes, queue int64, longest int)
}

// Queue is what one node has yet to receive through edges of limited bandwidth:
// a state of the runtime's part that delivers to the node. The zero value is
// empty.
type Queue struct {
	lines   []line     // ascending by from, those in which bytes stand
	waiting []underway // in the order in which they were sent
}

// line is what stands in line on an edge when a turn is over, in bytes.
type line struct {
	from  messages.NodeID
	bytes int64
}

// underway is a message, and the turn in which it arrives.
type underway struct {
	arrives  int
	envelope messages.Envelope
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
		for i, q := range r.Resume.Queues {
			queues[i] = Queue{slices.Clone(q.lines), slices.Clone(q.waiting)}
		}
	}
	return queues
}

// Receive appends to dst what arrives in a turn, after what was sent in the turn
// before it has been routed, in the order in which it was sent.
func (q *Queue) Receive(dst []messages.Envelope, turn int) []messages.Envelope {
	for k := range q.waiting {
		if u := &q.waiting[k]; u.arrives == turn {
			dst = append(dst, u.envelope)
		}
	}
	return dst
}

// Route puts what the stepper's nodes were sent in a turn into their queues and
// tells the meter what becomes of it. It is called once for every turn, after
// that and before the next, after the last turn too. queues are those of all
// nodes, by node; inbox appends what a node was sent in that turn, ordered by
// (From, Seq).
func (s *Stepper) Route(sent int, queues []Queue, inbox func(dst []messages.Envelope, node messages.NodeID) []messages.Envelope) {
	s.attendance.Begin(sent + 1)
	stepEnds := s.attendance.over(sent+1) || s.attendance.Offset(sent+1) != s.attendance.Offset(sent)
	var fates Fates
	for _, to := range s.nodes.All() {
		q := &queues[to]
		q.waiting = slices.DeleteFunc(q.waiting, func(u underway) bool { return u.arrives <= sent })
		s.inbox = inbox(s.inbox[:0], to)
		s.route(q, to, sent, s.inbox, &fates)
		if stepEnds {
			for _, l := range q.lines {
				fates.Queued += l.bytes
			}
		}
	}
	if s.watcher != nil && fates != (Fates{}) {
		s.watcher.Fates(s.run.FirstStep+s.attendance.Offset(sent), fates)
	}
}

// route lets a turn pass on the edges to a node.
func (s *Stepper) route(q *Queue, to messages.NodeID, sent int, inbox []messages.Envelope, fates *Fates) {
	before, after := q.lines, s.lines[:0]
	for len(before) > 0 || len(inbox) > 0 {
		var l line
		if len(inbox) == 0 || len(before) > 0 && before[0].from <= inbox[0].From {
			l, before = before[0], before[1:]
		} else {
			l.from = inbox[0].From
		}
		n := 0
		for n < len(inbox) && inbox[n].From == l.from {
			n++
		}
		if s.carry(q, &l, to, sent, inbox[:n], fates); l.bytes > 0 {
			after = append(after, l)
		}
		inbox = inbox[n:]
	}
	q.lines, s.lines = append(q.lines[:0], after...), after
}

// carry lets a turn pass on an edge along which these messages were sent in it.
func (s *Stepper) carry(q *Queue, l *line, to messages.NodeID, sent int, inbox []messages.Envelope, fates *Fates) {
	bytes, queue, longest := int64(math.MaxInt64), int64(math.MaxInt64), 0
	if !s.limits.Local(l.from, to) {
		bytes, queue, longest = s.limits.Bandwidth(l.from, to)
	}
	var delay int
	var lost bool
	if len(inbox) > 0 {
		delay, lost = s.limits.Fate(l.from, to, sent)
	}
	for k := range inbox {
		e := &inbox[k]
		if l.from == to {
			if turn, lost, ended := s.attendance.reached(to, sent+1); !lost && !ended {
				q.waiting = append(q.waiting, underway{turn, *e})
			}
			continue
		}
		if lost {
			fates.Lost++
			continue
		}
		line := l.bytes + int64(e.Payload.WireSize())
		wait := waits(line, bytes)
		if wait > int64(longest) || line-min(line, bytes) > queue {
			fates.Dropped++
			continue
		}
		l.bytes = line
		switch turn, lost, ended := s.attendance.reached(to, sent+1+int(wait)+delay); {
		case lost:
			fates.Lost++
		case ended:
			fates.Underway++
		default:
			q.waiting = append(q.waiting, underway{turn, *e})
			if turn > sent+1 {
				fates.Late++
			}
		}
	}
	l.bytes -= min(l.bytes, bytes)
}

// never is a wait without end.
const never = 1 << 62

// waits is for how many turns a message waits that is the last of so many bytes
// in line, its own included, on an edge of so many bytes a turn.
func waits(line, bytes int64) int64 {
	switch {
	case line <= bytes:
		return 0
	case bytes == 0:
		return never
	}
	return (line - 1) / bytes
}
