package algorithm

import (
	"errors"

	"starling/messages"
)

// errNeverPlayed is the error of a machine that lets a step pass without a decision.
var errNeverPlayed = errors.New("played no decision in this step")

// misses reports whether a node's turn begun, in which it did not play, was its last
// chance in the step: it decides, has no turn in the hops to come, and was up in all
// hops so far in which the schedule gives it one.
func (s *Stepper) misses(node messages.NodeID) bool {
	d := s.run.Decisions
	if d == nil || node < d.First || node >= d.End {
		return false
	}
	offset := int(s.offset) - 1
	of := s.run.schedule()
	for hop := of.HopsOf(offset) - 1; hop >= 0; hop-- {
		if !of.Acting(offset, hop).Has(node) || hop == s.turn.Hop {
			continue
		}
		turn := s.index + hop - s.turn.Hop
		if hop > s.turn.Hop || s.run.Network != nil && !s.run.Network.Up(node, turn) {
			return false
		}
	}
	return true
}
