package algorithm

import (
	"math"
	"slices"

	"starling/messages"
)

// edges describes the effects of the edges between nodes on messages; see Limited.
type edges interface {
	// Local reports whether a link is inside a participant: it has no limits.
	Local(from, to messages.NodeID) bool
	// Fate is the number of turns by which a message of a turn is delayed, and whether it is
	// lost.
	Fate(from, to messages.NodeID, turn int) (delay int, lost bool)
	// Bandwidth is the number of bytes that an edge carries in a turn, how many bytes may
	// stand in line when the turn is over, and for how many turns a message may.
	Bandwidth(from, to messages.NodeID) (bytes, queue int64, longest int)
}

// Queue holds the messages that one node has yet to receive through edges of limited
// bandwidth: a state of the runtime's part that delivers to the node. The zero value is empty.
type Queue struct {
	lines   []line     // ascending by from: lines with bytes in them
	waiting []underway // in the order in which they were sent
}

// line is the number of bytes that stand in line on an edge when a turn is over.
type line struct {
	from  messages.NodeID
	bytes int64
}

// underway is a message, and the turn in which it arrives.
type underway struct {
	arrives  int
	envelope messages.Envelope
}

// Clone returns a copy of the queue in its own memory.
func (q *Queue) Clone() Queue { return Queue{slices.Clone(q.lines), slices.Clone(q.waiting)} }

// Bytes is the number of bytes in line before the node.
func (q *Queue) Bytes() (sum int64) {
	for _, l := range q.lines {
		sum += l.bytes
	}
	return sum
}

// Receive appends to dst the messages that arrive in a turn, after Pass has taken up the
// messages of the turn before, in the order in which they were sent.
func (q *Queue) Receive(dst []messages.Envelope, turn int) []messages.Envelope {
	for k := range q.waiting {
		if u := &q.waiting[k]; u.arrives == turn {
			dst = append(dst, u.envelope)
		}
	}
	return dst
}

// Fates counts the fates of the messages that a step sends over wires; the rest of them arrive
// in the turn after. A message that arrives at a machine that has ended its part counts as
// arrived. All fields but Queued count messages.
type Fates struct {
	Late     int64 // arrive in a later turn than the next
	Lost     int64 // on the way, or at a receiver that stays away too long
	Dropped  int64 // by an edge of limited bandwidth, where too much stands in line
	Underway int64 // still on their way when the run ends
	// Queued is the bytes that stand in line when the step is over, of all steps, on edges of
	// limited bandwidth.
	Queued int64
}

// Add adds others.
func (f *Fates) Add(others Fates) {
	f.Late += others.Late
	f.Lost += others.Lost
	f.Dropped += others.Dropped
	f.Underway += others.Underway
	f.Queued += others.Queued
}

// passage has a turn pass on the edges to nodes, one node after the other.
type passage struct {
	Edges edges
	// Sent is the turn.
	Sent int
	// Reached is the turn in which a message due in a turn reaches its receiver. ended is true
	// if that turn is beyond the run's end.
	Reached func(to messages.NodeID, due int) (turn int, lost, ended bool)
	Fates   Fates  // of the messages to all nodes so far
	lines   []line // working memory
}

// Pass has the turn pass on the edges to a node: the messages to it of the turn, ordered by
// (From, Seq), are taken up in its queue. Messages that have arrived before are forgotten.
func (p *passage) Pass(q *Queue, to messages.NodeID, inbox []messages.Envelope) {
	q.waiting = slices.DeleteFunc(q.waiting, func(u underway) bool { return u.arrives <= p.Sent })
	before, after := q.lines, p.lines[:0]
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
		if p.carry(q, &l, to, inbox[:n]); l.bytes > 0 {
			after = append(after, l)
		}
		inbox = inbox[n:]
	}
	q.lines, p.lines = append(q.lines[:0], after...), after
}

// carry lets the turn pass on an edge along which the messages of the inbox were sent in it.
func (p *passage) carry(q *Queue, l *line, to messages.NodeID, inbox []messages.Envelope) {
	bytes, queue, longest := int64(math.MaxInt64), int64(math.MaxInt64), 0
	if !p.Edges.Local(l.from, to) {
		bytes, queue, longest = p.Edges.Bandwidth(l.from, to)
	}
	var delay int
	var lost bool
	if len(inbox) > 0 {
		delay, lost = p.Edges.Fate(l.from, to, p.Sent)
	}
	for k := range inbox {
		e := &inbox[k]
		if l.from == to {
			if turn, lost, ended := p.Reached(to, p.Sent+1); !lost && !ended {
				q.waiting = append(q.waiting, underway{turn, *e})
			}
			continue
		}
		if lost {
			p.Fates.Lost++
			continue
		}
		line := l.bytes + int64(e.Payload.WireSize())
		wait := waits(line, bytes)
		if wait > int64(longest) || line-min(line, bytes) > queue {
			p.Fates.Dropped++
			continue
		}
		l.bytes = line
		switch turn, lost, ended := p.Reached(to, p.Sent+1+int(wait)+delay); {
		case lost:
			p.Fates.Lost++
		case ended:
			p.Fates.Underway++
		default:
			q.waiting = append(q.waiting, underway{turn, *e})
			if turn > p.Sent+1 {
				p.Fates.Late++
			}
		}
	}
	l.bytes -= min(l.bytes, bytes)
}

// never is a wait without end.
const never = 1 << 62

// waits returns for how many turns a message waits that is the last in a line of the given
// bytes, its own included, on an edge that carries the given bytes a turn.
func waits(line, bytes int64) int64 {
	switch {
	case line <= bytes:
		return 0
	case bytes == 0:
		return never
	}
	return (line - 1) / bytes
}
