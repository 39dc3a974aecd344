package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/robust"
	"starling/messages"
)

// listener is the machine of participant 0 that looks at the vector of each client, since some
// clients may lie.
type listener struct {
	core
	combine robust.Rule // nil is the sum
	list    []robust.Vector
	work    robust.Work
}

// Step implements algorithm.Machine. A rule makes a vector in place of the mean. Its input is
// the vectors that have arrived; if there are none, the result is zeros.
func (s *listener) Step(t *algorithm.Turn) error {
	if !s.at.Calendar.Has(t.Step) {
		return t.Play(s.said[:s.at.Dim])
	}
	w := s.at.Width
	made := t.Scratch(w + s.at.working())
	made, work := made[:w], made[w:]
	clear(made)
	s.list = s.list[:0]
	steps := 0
	for i := range t.Inbox {
		e := &t.Inbox[i]
		steps += s.at.sent(e)
		s.list = append(s.list, robust.Vector{Values: e.Payload.(*messages.Vector).Values})
	}
	s.count(t, float64(len(s.list)), steps)
	if !s.enough(t, made, nil, float64(len(s.list))) {
		return s.abort(t)
	}
	if s.combine == nil {
		for i, v := range s.list {
			addWeighted(made, v.Values, s.at.Sharing.Weight(t.Inbox[i].From))
		}
		return s.adopt(t, made, s.at.Expected, work)
	}
	if len(s.list) < s.combine.Least() {
		t.Record(algorithm.QuantityFew, float64(len(s.list)))
	}
	if len(s.list) > 0 {
		s.combine.Combine(made, nil, s.list, &s.work)
	}
	return s.adopt(t, made, 1, work)
}
