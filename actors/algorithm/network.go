package algorithm

import (
	"errors"
	"fmt"

	"starling/messages"
)

// Network is the effects of a network on messages and nodes: pure functions of node, edge and
// turn, known before the run and safe for concurrent use. Turns are counted from 0; Run.TurnOf
// gives the first turn of a step.
type Network interface {
	Delivery
	// MaxDelay is the longest delay, in turns; where bandwidth is limited, with
	// the longest wait for it.
	MaxDelay() int
	// Local reports whether a link crosses no wire, so that no effect is on it: the link of a
	// node to itself, and one inside the trust of a protected unit, such as the link of a
	// client to the learner it hands its datum to. A node at its end can still be down.
	Local(from, to messages.NodeID) bool
	// Restarts reports whether a node begins the turn in its initial state: it was down, and
	// lost its state.
	Restarts(node messages.NodeID, turn int) bool
	// Forgets reports whether there is a turn in which the node restarts.
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

// schedule is the schedule of the run, from where it resumes.
func (r *Run) schedule() Schedule {
	of := Schedule{FirstStep: r.FirstStep, Steps: r.Steps, Nodes: len(r.Machines), Hops: r.Hops, Acts: r.Acts, Every: r.Pauses.Every}
	if r.Resume != nil {
		of.Start = r.Resume.Offset
	}
	return of
}

// Clock returns the clock of the run at the first turn to run: the first of
// all, or where the run resumes.
func (r *Run) Clock() Clock {
	of := r.schedule()
	return of.Clock()
}

// TurnOf returns the first turn of the step with an offset.
func (r *Run) TurnOf(offset int) int {
	of := r.schedule()
	return of.TurnOf(offset)
}

// Attendance returns the attendance of the nodes, at the run's first turn to run. The run has
// a network.
func (r *Run) Attendance() *Attendance {
	of := r.schedule()
	return of.Attendance(r.Network, r.Reach())
}

// NetworkMeter is a Meter that gets the fates of messages, where the network has effects.
type NetworkMeter interface {
	Meter
	// Fates adds the fates of messages that were sent in a step.
	Fates(step int, f Fates)
}

// initialStates returns by index the current states of the machines that can lose theirs; nil
// if none can.
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

// errNoInitialStates is the error of a resumed run of machines that were not restored with
// Run.At.
var errNoInitialStates = errors.New("resumed without the initial states, in which nodes of its network restart")

// validateNetwork refuses a resumed run without the initial states in which nodes restart.
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
