package algorithm

import (
	"starling/actors/topology"
	"starling/messages"
)

// Delivery is the part of the effects of a network that an attendance needs. Turns are counted
// from 0.
type Delivery interface {
	// Patience is for how many turns a message that is due waits for a
	// receiver that has no turn, because it is down or the schedule gives it
	// none; then it is lost.
	Patience() int
	// Fate is the fate of a message sent in a turn: lost on its way, or due delay turns after
	// the next, 0 <= delay <= MaxDelay. A message that crosses no wire is due in the next
	// turn.
	Fate(from, to messages.NodeID, turn int) (delay int, lost bool)
	// Up reports whether a node takes part in a turn. One that does not is not
	// stepped and sends nothing.
	Up(node messages.NodeID, turn int) bool
}

// Attendance says which nodes have a turn when, by the schedule of a run and by its network,
// in the turns around one: as far as messages can be on their way. It is not safe for
// concurrent use.
type Attendance struct {
	network  Delivery
	reach    int
	patience int
	turn     int
	scout    Clock    // at the first turn that is not yet in moments
	moments  []moment // by turn modulo their number
}

// moment is a turn by the schedule.
type moment struct {
	offset int
	acting Range
}

// Attendance returns the attendance at the first turn to run, in a network where a message can
// be on its way for up to 1 + reach turns.
func (s *Schedule) Attendance(network Delivery, reach int) *Attendance {
	a := &Attendance{
		network: network, reach: reach, patience: network.Patience(),
		scout:   Clock{schedule: s, Step: s.FirstStep},
		moments: make([]moment, 2*reach+3),
	}
	first := s.Clock()
	for turn := max(0, first.Turn-reach-1); turn <= first.Turn; turn++ {
		a.Begin(turn)
	}
	return a
}

// Begin moves on to a turn, not before the last.
func (a *Attendance) Begin(turn int) {
	a.turn = turn
	for !a.scout.Done() && a.scout.Turn <= turn+1+a.reach {
		first, end := a.scout.Acting()
		a.moments[a.scout.Turn%len(a.moments)] = moment{a.scout.Offset, Range{first, end}}
		a.scout.Next()
	}
}

// Offset is the offset of the step of a turn, up to Reach+1 turns back.
func (a *Attendance) Offset(turn int) int { return a.moments[turn%len(a.moments)].offset }

// Acts reports whether a node has a turn, up to Reach+1 turns from this one. A
// machine that has ended its part counts as if it went on.
func (a *Attendance) Acts(node messages.NodeID, turn int) bool {
	return a.moments[turn%len(a.moments)].acting.Has(node) && a.network.Up(node, turn)
}

// Since returns the most recent earlier turn in which the node acted, but no turn
// more than patience turns back. The node's inbox now holds the messages that came
// due after that turn.
func (a *Attendance) Since(node messages.NodeID) int {
	turn := a.turn - 1
	for turn >= a.turn-a.patience && turn >= 0 && !a.Acts(node, turn) {
		turn--
	}
	return turn
}

// Over reports whether the run ends before a turn, up to Reach+1 turns from this one.
func (a *Attendance) Over(turn int) bool { return a.scout.Done() && turn >= a.scout.Turn }

// arrival returns the turn in which a message sent in a turn reaches its receiver. ended is
// true if that turn is beyond the run's end.
func (a *Attendance) arrival(from, to messages.NodeID, sent int) (turn int, lost, ended bool) {
	delay, lost := a.network.Fate(from, to, sent)
	if lost {
		return 0, true, false
	}
	return a.Reached(to, sent+1+delay)
}

// Reached returns the turn in which a message due in a turn reaches its receiver.
func (a *Attendance) Reached(to messages.NodeID, due int) (turn int, lost, ended bool) {
	for turn = due; turn <= due+a.patience; turn++ {
		if a.Over(turn) {
			return turn, false, true
		}
		if a.Acts(to, turn) {
			return turn, false, false
		}
	}
	return turn, true, false
}

// Fates counts the fates of a node's messages of this turn.
func (a *Attendance) Fates(f *Fates, out []messages.NodeID, from messages.NodeID, outbox *messages.Outbox) {
	if outbox.Empty() {
		return
	}
	for _, to := range out {
		n := int64(len(outbox.Singles(to)))
		if outbox.Broadcast != nil {
			n++
		}
		if n == 0 || to == from {
			continue
		}
		switch turn, lost, ended := a.arrival(from, to, a.turn); {
		case lost:
			f.Lost += n
		case ended:
			f.Underway += n
		case turn > a.turn+1:
			f.Late += n
		}
	}
}

// Awaited reports whether a message in an outbox of an earlier turn has yet to
// arrive, in this turn or later.
func (a *Attendance) Awaited(graph *topology.Graph, from messages.NodeID, sent int, outbox *messages.Outbox) bool {
	if outbox.Empty() {
		return false
	}
	for _, to := range graph.Out(from) {
		if outbox.Broadcast == nil && len(outbox.Singles(to)) == 0 {
			continue
		}
		if turn, lost, ended := a.arrival(from, to, sent); !lost && !ended && turn >= a.turn {
			return true
		}
	}
	return false
}
