package messages

import (
	"cmp"
	"slices"
)

// Outbox holds the messages of one participant in one turn: at most one broadcast to all
// out-neighbours and any number of messages to single ones. The zero value is an empty outbox.
// An outbox is written by its participant's turn, then sealed, and only read after that.
type Outbox struct {
	// Broadcast goes to every out-neighbour of the turn, a self-loop
	// included; nil if there is none.
	Broadcast Payload
	single    *singles
}

// singles is apart from Outbox because most protocols broadcast only, and an
// outbox is kept per participant and turn of lookahead.
type singles struct {
	list         []Single
	broadcastSeq int32 // how many single messages were sent before the broadcast
	// one is the memory of a list of one message, as most are: it lies beside the list.
	one [1]Single
}

// Single is a message to one receiver.
type Single struct {
	// To is the receiver. A machine may send several messages to one receiver in a turn.
	To NodeID
	// Seq is the order of sending within the outbox, the broadcast counted.
	Seq     int32
	Payload Payload
}

// Reset empties the outbox and keeps its memory.
func (o *Outbox) Reset() {
	o.Broadcast = nil
	if o.single != nil {
		clear(o.single.list)
		o.single.list = o.single.list[:0]
		o.single.broadcastSeq = 0
	}
}

// SetBroadcast records the broadcast. The caller sees to it that there is only
// one in a turn.
func (o *Outbox) SetBroadcast(p Payload) {
	o.Broadcast = p
	if o.single != nil {
		o.single.broadcastSeq = int32(len(o.single.list))
	}
}

// Append records a message to one receiver.
func (o *Outbox) Append(to NodeID, p Payload) {
	if o.single == nil {
		o.single = &singles{}
		o.single.list = o.single.one[:0]
	}
	seq := int32(len(o.single.list))
	if o.Broadcast != nil {
		seq++
	}
	o.single.list = append(o.single.list, Single{To: to, Seq: seq, Payload: p})
}

// Seal orders the single messages by (To, Seq), so that each receiver finds
// its own without looking at the others'.
func (o *Outbox) Seal() {
	if o.single == nil || len(o.single.list) < 2 {
		return
	}
	slices.SortFunc(o.single.list, func(a, b Single) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Seq, b.Seq))
	})
}

// Singles returns the messages to one receiver in order of sending. The
// outbox must be sealed; the slice is the outbox's own.
func (o *Outbox) Singles(to NodeID) []Single {
	if o.single == nil {
		return nil
	}
	list := o.single.list
	if len(list) == 1 {
		if list[0].To == to {
			return list
		}
		return nil
	}
	from, _ := slices.BinarySearchFunc(list, to, func(s Single, to NodeID) int { return cmp.Compare(s.To, to) })
	end := from
	for end < len(list) && list[end].To == to {
		end++
	}
	return list[from:end]
}

// HasSingles reports whether there are messages to single receivers.
func (o *Outbox) HasSingles() bool { return o.single != nil && len(o.single.list) > 0 }

// BroadcastSeq is the position of the broadcast in the order of sending.
func (o *Outbox) BroadcastSeq() int32 {
	if o.single == nil {
		return 0
	}
	return o.single.broadcastSeq
}

// Empty reports whether nothing was sent.
func (o *Outbox) Empty() bool {
	return o.Broadcast == nil && !o.HasSingles()
}
