package algorithm

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/queue"
	"starling/actors/topology"
	"starling/messages"
)

// Network says what becomes of messages on their way and of nodes: pure
// functions of node, edge and turn, known before the run and safe for
// concurrent use. Turns are counted from 0; Run.TurnOf gives those of a step.
type Network interface {
	// MaxDelay is the longest delay, in turns; where bandwidth is limited, with
	// the longest wait for it.
	MaxDelay() int
	// Patience is for how many turns a message that is due waits for a
	// receiver that has no turn, because it is down or the schedule gives it
	// none; then it is lost.
	Patience() int
	// Fate is what becomes of a message sent in a turn: lost on its way, or
	// due delay turns after the next, 0 <= delay <= MaxDelay. What crosses no
	// wire is due in the next turn.
	Fate(from, to messages.NodeID, turn int) (delay int, lost bool)
	// Local tells whether a link crosses no wire, so that no effect is on it: that
	// of a node to itself, and one inside the trust of a protected unit, such as
	// that of a client to the learner it hands its datum to. A node at its end can
	// still be down.
	Local(from, to messages.NodeID) bool
	// Up tells whether a node takes part in a turn. One that does not is not
	// stepped and sends nothing.
	Up(node messages.NodeID, turn int) bool
	// Restarts tells whether a node begins the turn in its initial state: it
	// was down, and lost what it knew.
	Restarts(node messages.NodeID, turn int) bool
	// Forgets tells whether there is a turn in which the node restarts.
	Forgets(node messages.NodeID) bool
}

// Reach is how many turns longer than in a network without effects a message can
// be on its way and still arrive, waiting included; 0 without effects. It takes
// time linear in the steps.
func (r *Run) Reach() int {
	if r.Network == nil {
		return 0
	}
	return min(r.Network.MaxDelay()+r.Network.Patience(), r.TurnOf(r.Steps))
}

// TurnOf returns the first turn of the step with an offset.
func (r *Run) TurnOf(offset int) int {
	c := Clock{run: r}
	for c.Offset < offset {
		c.Turn += c.hops()
		c.Offset++
	}
	return c.Turn
}

// Fates is what becomes of the messages that a step sends over wires.
type Fates = queue.Fates

// NetworkMeter is a Meter that is told what becomes of messages, where the
// network has effects.
type NetworkMeter interface {
	Meter
	// Fates adds the fates of messages that were sent in a step.
	Fates(step int, f Fates)
}

// Attendance says who has a turn when, by the schedule of a run and by its
// network, in the turns around one: as far as messages can be on their way. It is
// not safe for concurrent use.
type Attendance struct {
	network  Network
	reach    int
	patience int
	turn     int
	scout    Clock    // at the first turn that is not yet in moments
	moments  []moment // by turn modulo their number
}

// moment is what the schedule says of a turn.
type moment struct {
	offset int
	acting acting
}

// Attendance returns the attendance at the run's first turn to run. The run has
// a network.
func (r *Run) Attendance() *Attendance {
	reach := r.Reach()
	a := &Attendance{
		network: r.Network, reach: reach, patience: r.Network.Patience(),
		scout:   Clock{run: r, Step: r.FirstStep},
		moments: make([]moment, 2*reach+3),
	}
	first := r.Clock()
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
		a.moments[a.scout.Turn%len(a.moments)] = moment{a.scout.Offset, acting{first, end}}
		a.scout.Next()
	}
}

// Offset is that of the step of a turn, up to Reach+1 turns back.
func (a *Attendance) Offset(turn int) int { return a.moments[turn%len(a.moments)].offset }

// Acts tells whether a node has a turn, up to Reach+1 turns from this one. A
// machine that has ended its part counts as if it went on.
func (a *Attendance) Acts(node messages.NodeID, turn int) bool {
	return a.moments[turn%len(a.moments)].acting.has(node) && a.network.Up(node, turn)
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

// over tells whether the run ends before a turn, up to Reach+1 turns from this one.
func (a *Attendance) over(turn int) bool { return a.scout.Done() && turn >= a.scout.Turn }

// arrival returns the turn in which what is sent in a turn reaches its receiver.
// ended tells that it is none of the run's.
func (a *Attendance) arrival(from, to messages.NodeID, sent int) (turn int, lost, ended bool) {
	delay, lost := a.network.Fate(from, to, sent)
	if lost {
		return 0, true, false
	}
	return a.reached(to, sent+1+delay)
}

// reached returns the turn in which what is due in a turn reaches its receiver.
func (a *Attendance) reached(to messages.NodeID, due int) (turn int, lost, ended bool) {
	for turn = due; turn <= due+a.patience; turn++ {
		if a.over(turn) {
			return turn, false, true
		}
		if a.Acts(to, turn) {
			return turn, false, false
		}
	}
	return turn, true, false
}

// fates counts what becomes of what a node sends in this turn.
func (a *Attendance) fates(f *Fates, out []messages.NodeID, from messages.NodeID, outbox *messages.Outbox) {
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

// awaited tells whether a message in an outbox of an earlier turn has yet to
// arrive, in this turn or later.
func (a *Attendance) awaited(graph *topology.Graph, from messages.NodeID, sent int, outbox *messages.Outbox) bool {
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

// initialStates returns the states of the machines that can lose theirs, which
// are in them now, by index; nil if none can.
func (r *Run) initialStates(nodes *messages.Nodes) [][]byte {
	if r.Network == nil {
		return nil
	}
	var states [][]byte
	for i, node := range nodes.All() {
		if !r.Network.Forgets(node) {
			continue
		}
		if states == nil {
			states = make([][]byte, nodes.Len())
		}
		states[i] = messages.Write([]byte{}, r.Machines[node])
	}
	return states
}

// errNoInitialStates is of a resumed run whose machines were not restored with
// Run.At.
var errNoInitialStates = errors.New("resumed without the initial states, in which nodes of its network restart")

// validateNetwork refuses a resumed run that does not know how nodes restart.
func (r *Run) validateNetwork() error {
	if r.Network == nil || r.Resume == nil {
		return nil
	}
	if n := len(r.Machines); r.limited() != nil && len(r.Resume.Queues) != n {
		return fmt.Errorf("resumed with the queues of %d nodes, want %d", len(r.Resume.Queues), n)
	}
	if r.initial != nil {
		return nil
	}
	for i := range r.Machines {
		if r.Network.Forgets(messages.NodeID(i)) {
			return errNoInitialStates
		}
	}
	return nil
}
