package algorithm

import (
	"math"

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
	new(Rule).addAll(z, t.received())
}

// sumHeard is Receive where all that the graph has the node hear is there, each message a
// vector in its place, and no message is late: nothing is missing, whatever the rule. It
// reports false, and z is as it was, where weights or lengths are not what they are to be.
func (t *Turn) sumHeard(r *Rule, z []float64) bool {
	s := t.heard
	from, weights := t.before.In(t.node)
	sum, positive := 0.0, true
	for _, w := range weights {
		sum += w
		positive = positive && w > 0
	}
	if !r.accepts(sum, positive) || len(z) > s.Width {
		return false
	}
	clear(z)
	kernel.AddRows(z, weights, from, s.Entries, s.Width)
	return true
}

// accepts tells whether the weights that a node gives are what checkWeights holds them to,
// by their sum. A sum that is no number above the largest has no weight that is one.
func (r *Rule) accepts(sum float64, positive bool) bool {
	return positive && sum <= math.MaxFloat64 && (!r.Rows || math.Abs(sum-1) <= weightTolerance)
}

// received is the inbox of the turn, made of what was heard where the runtime made none.
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
