package algorithm

import (
	"slices"

	"starling/actors/algorithm/inbox"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// Sum overwrites z with the sum of the vectors that the node hears in this turn, each
// times its weight, in the order of the inbox. The vectors are at least as long as z.
func (t *Turn) Sum(z []float64) {
	clear(z)
	if s := t.heard; s != nil && len(z) <= s.Width {
		from, weights := t.before.In(t.node)
		kernel.AddRows(z, weights, from, s.Entries, s.Width)
		return
	}
	inbox.Add(z, t.received())
}

// QuantityFew is the number of vectors, recorded in a step in which they were fewer than the
// rule that combines them needs.
const QuantityFew = "combine.few"

// Receive is inbox.Inbox.Receive of the node's messages of this turn. If they are fewer than
// the rule that combines them needs, the rule holds out against fewer liars, and QuantityFew
// is recorded.
func (t *Turn) Receive(h *inbox.Inbox, z []float64) error {
	if t.heard != nil && h.Plain() && t.sumHeard(h.Rule(), z) {
		return h.Finish(z)
	}
	from, weights := t.Expected()
	s := t.stepper
	err := t.take(h, z, t.received(), from, weights)
	if combine := h.Rule().Combine; err == nil && combine != nil && t.before != nil {
		if heard := s.hearing.Combined(); heard < combine.Least() {
			t.Record(QuantityFew, float64(heard))
		}
	}
	return err
}

// ReceiveFrom is Receive of the messages of the nodes first .. end-1 alone, as if the node heard no
// others by the graph.
func (t *Turn) ReceiveFrom(h *inbox.Inbox, z []float64, first, end messages.NodeID) error {
	from, weights := t.Expected()
	lo, _ := slices.BinarySearch(from, first)
	hi, _ := slices.BinarySearch(from, end)
	list := t.received()
	for len(list) > 0 && list[0].From < first {
		list = list[1:]
	}
	for len(list) > 0 && list[len(list)-1].From >= end {
		list = list[:len(list)-1]
	}
	return t.take(h, z, list, from[lo:hi], weights[lo:hi])
}

// take has an inbox receive messages, of senders from by the graph.
func (t *Turn) take(h *inbox.Inbox, z []float64, list []messages.Envelope, from []messages.NodeID, weights []float64) error {
	s := t.stepper
	s.hears.Node, s.hears.Messages, s.hears.Since = t.node, list, s.index-1
	s.hears.From, s.hears.Weights = from, weights
	return h.Receive(z, &s.hears, &s.hearing)
}

// sumHeard is Receive where all that the graph has the node hear is there, each message a
// vector in its place, and no message is late: nothing is missing, under any rule. It returns
// false, and z is as it was, where weights or lengths fail the checks.
func (t *Turn) sumHeard(r *inbox.Rule, z []float64) bool {
	s := t.heard
	from, weights := t.before.In(t.node)
	sum, positive := 0.0, true
	for _, w := range weights {
		sum += w
		positive = positive && w > 0
	}
	if !r.Accepts(sum, positive) || len(z) > s.Width {
		return false
	}
	clear(z)
	kernel.AddRows(z, weights, from, s.Entries, s.Width)
	return true
}

// received is the inbox of the turn, made from the shared memory where the runtime made none.
// It is the stepper's own, until the next turn.
func (t *Turn) received() []messages.Envelope {
	if t.heard == nil {
		return t.Inbox
	}
	s := t.stepper
	s.envelopes = s.envelopes[:0]
	from, weights := t.before.In(t.node)
	for k, j := range from {
		s.envelopes = append(s.envelopes, messages.Envelope{
			From: j, Sent: int32(s.index - 1), Weight: weights[k], Payload: s.vectors.Heard(j),
		})
	}
	return s.envelopes
}
