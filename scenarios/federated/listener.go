package federated

import (
	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/section/combines"
	"starling/scenarios/study"
)

// listener is the machine of participant 0 that looks at the vector of each client, of whom
// some may lie.
type listener struct {
	core
	combine robust.Rule // nil is the sum
	list    []robust.Vector
	work    robust.Work
}

// Step implements algorithm.Machine. A rule makes a vector in the place of the mean: of those
// that have come, and zeros where none has.
func (s *listener) Step(t *algorithm.Turn) error {
	w := s.at.Width
	made := t.Scratch(w + s.at.working())
	made, work := made[:w], made[w:]
	clear(made)
	s.list = s.list[:0]
	for i := range t.Inbox {
		s.list = append(s.list, robust.Vector{Values: t.Inbox[i].Payload.(*messages.Vector).Values})
	}
	s.count(t, float64(len(s.list)))
	if !s.enough(t, made, float64(len(s.list))) {
		return s.abort(t)
	}
	if s.combine == nil {
		for _, v := range s.list {
			kernel.Add(made, v.Values)
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

// checkLies reads the rule by which vectors are made one, and refuses what noise on a sum
// does not allow: what one client moves the sum by has to be its own vector, and no more.
func (p *plan) checkLies(found *study.Faults) {
	hidden, seen := p.common.Aggregation, p.common.Aggregation != nil && p.common.Aggregation.Kind == LocalNoise
	if hidden != nil && !seen && p.arm.Adversaries != nil {
		found.At("adversaries", "what clients pay counts on the messages of others, which liars do not send; want aggregation: {kind: local}, or none")
	}
	noised := p.private() && p.common.Level == User && !seen
	if noised && p.arm.Adversaries.Knows() {
		found.At("adversaries.omniscient", "lies made of what clients send move with every client: the noise of a server on the sum is for a client that moves its own vector alone; leave this out, or take level: record")
	}
	rule, err := combines.Build(p.file.Kinds, p.common.Combine)
	if !found.Note(err) || rule == nil {
		return
	}
	_, centred := rule.(robust.Centred)
	switch p.combine = rule; {
	case centred:
		found.At("algorithm.combine.kind", "this rule is around a node's own vector, and a server has none; want mean, median, trimmed-mean, or krum")
	case hidden != nil && !seen:
		found.At("algorithm.combine", "a rule is for messages that the server sees, each of whom it knows the sender; want mean, or aggregation: {kind: local}")
	case p.buffer != nil:
		found.At("algorithm.combine", "a buffer adds up vectors as they come; want mean")
	case noised:
		found.At("algorithm.combine", "the noise of a trusted server is for a sum, which a client moves by the clip at most; want mean, or level: record, whose clients add noise before they send")
	default:
		p.arm.CheckExpected(rule, p.at.Expected, found)
	}
}
