package algorithm

import (
	"errors"

	"starling/messages"
)

// errNeverPlayed is of a machine that lets a step pass without a decision.
var errNeverPlayed = errors.New("played no decision in this step")

// misses tells whether a node's turn begun, in which it did not play, was its last
// chance in the step: it decides, has no turn in the hops to come, and was up in all
// hops so far in which the schedule gives it one.
func (s *Stepper) misses(node messages.NodeID) bool {
	d := s.run.Decisions
	if d == nil || node < d.First || node >= d.End {
		return false
	}
	offset := int(s.offset) - 1
	step := Clock{run: s.run, Offset: offset}
	for hop := step.hops() - 1; hop >= 0; hop-- {
		if !s.run.acts(node, offset, hop) || hop == s.turn.Hop {
			continue
		}
		turn := s.index + hop - s.turn.Hop
		if hop > s.turn.Hop || s.run.Network != nil && !s.run.Network.Up(node, turn) {
			return false
		}
	}
	return true
}

// acts tells whether the schedule gives a node a turn in a hop.
func (r *Run) acts(node messages.NodeID, offset, hop int) bool {
	if r.Acts == nil {
		return true
	}
	first, end := r.Acts(offset, hop)
	return acting{first, end}.has(node)
}
