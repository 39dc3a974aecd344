package network

import (
	"slices"

	"starling/messages"
)

// ByStep are effects that go by the step, for runs with several turns a step: nodes send in the
// first turn of a step, and servers on the way pass on in the turns after it. Each effect is
// drawn once for a link or a node and a step, as if a step were one turn: a link carries messages
// in one turn of a step at most.
//
//	loss, partition   on each link on the way, up and down, by the step of sending
//	up, down          for all turns of a step
//	delay k           of a message that is due in the first turn of step t+1: it is due in the
//	                  first of step t+1+k, and waits there up to Patience steps for a receiver that is down
//	                  of a message that is due within step t, k > 0: lost
//	                  of such a message to a receiver that is down: lost
//
// A message that is due within a step is part of a sum that a server makes in that turn of that
// step. The sum is sent without it, and a later sum is of later messages: there is no turn for it
// to wait for. So it is lost, and counted as lost.
//
// Waiting is part of the delay of Fate, and Patience is 0: steps differ in their turns, so that no
// number of turns is a number of steps. ByStep is immutable and safe for concurrent use. Build it
// with NewByStep.
type ByStep struct {
	steps *Effects
	// first are the first turns of the steps, by offset, and the turn after the last.
	first []int32
	most  int
}

// NewByStep returns, for the turns of a run, effects with a turn for each step. hops is
// the number of turns of the step with an offset, 0 .. steps-1. The effects have no bandwidth.
func NewByStep(effects *Effects, steps int, hops func(offset int) int) *ByStep {
	if effects.Limits() {
		panic("network: lines on edges go by the turn, and not by the step")
	}
	b := &ByStep{steps: effects, first: make([]int32, steps+1)}
	for offset := range steps {
		b.first[offset+1] = b.first[offset] + int32(hops(offset))
	}
	for offset := range steps {
		due := min(offset+1+effects.MaxDelay()+effects.Patience(), steps)
		b.most = max(b.most, int(b.first[due]-b.first[offset+1]))
	}
	return b
}

// Steps are the effects with a turn for each step.
func (b *ByStep) Steps() *Effects { return b.steps }

// step returns the offset of the step of a turn; the number of steps, after the last.
func (b *ByStep) step(turn int) int {
	step, found := slices.BinarySearch(b.first, int32(turn))
	if !found {
		step--
	}
	return min(step, len(b.first)-1)
}

// MaxDelay is the longest delay, in turns, with the longest wait for a receiver.
func (b *ByStep) MaxDelay() int { return b.most }

// Patience is 0: waiting is part of a delay.
func (b *ByStep) Patience() int { return 0 }

// Local is Effects.Local.
func (b *ByStep) Local(from, to messages.NodeID) bool { return b.steps.Local(from, to) }

// Up reports whether a node takes part in the step of a turn.
func (b *ByStep) Up(node messages.NodeID, turn int) bool { return b.steps.Up(node, b.step(turn)) }

// Restarts reports whether a node begins a turn in its initial state: only the first of a step.
func (b *ByStep) Restarts(node messages.NodeID, turn int) bool {
	step := b.step(turn)
	return int(b.first[step]) == turn && b.steps.Restarts(node, step)
}

// Forgets is Effects.Forgets.
func (b *ByStep) Forgets(node messages.NodeID) bool { return b.steps.Forgets(node) }

// Fate is the fate of a message sent in a turn: lost, or due delay turns after the next. A message
// that would come after the run is due in the turn after the last.
func (b *ByStep) Fate(from, to messages.NodeID, turn int) (delay int, lost bool) {
	step := b.step(turn)
	late, lost := b.steps.Fate(from, to, step)
	if lost {
		return 0, true
	}
	if turn+1 < int(b.first[step+1]) {
		return 0, late > 0 || !b.steps.Up(to, step)
	}
	last := len(b.first) - 1 // the offset after the last step
	for due := step + 1 + late; due <= step+1+late+b.steps.Patience(); due++ {
		if due >= last {
			return int(b.first[last]) - turn - 1, false
		}
		if b.steps.Up(to, due) {
			return int(b.first[due]) - turn - 1, false
		}
	}
	return 0, true
}
