package algorithm

import (
	"fmt"

	"starling/messages"
)

// State is what a runtime holds of a run between two steps, besides its
// machines. A run that is given the state of another of the same description,
// and machines that were restored from that one's, goes on with the same bits.
type State struct {
	// Offset is the number of steps done, which is the offset of the next.
	Offset int
	// Stopped tells which machines have ended their part, by node.
	Stopped []bool
	// Sent is what was sent in the last turn, by node: it is yet to be
	// delivered.
	Sent []messages.Outbox
}

// Pauses are points between steps at which a runtime has all machines rest and
// shows the run's state.
type Pauses struct {
	// Every is the number of steps between pauses, counted from the first
	// step of the run; 0 is no pause.
	Every int
	// Save is called at each pause, from any goroutine, and must not keep the
	// state, whose parts the runtime goes on to use. An error ends the run.
	Save func(*State) error
}

// pausesAt tells whether the clock's turn is the first after a pause. A run pauses
// neither before its first turn nor after its last.
func (r *Run) pausesAt(c *Clock) bool {
	return r.Pauses.Every > 0 && c.Hop == 0 && c.Offset%r.Pauses.Every == 0 && c.Offset > r.start() && !c.Done()
}

// start is the offset of the first step to run.
func (r *Run) start() int {
	if r.Resume == nil {
		return 0
	}
	return r.Resume.Offset
}

// AppendState appends a state of the run with those of all machines.
func (r *Run) AppendState(dst []byte, s *State) ([]byte, error) {
	dst = messages.AppendInt(dst, s.Offset)
	dst = messages.AppendInt(dst, len(r.Machines))
	for i, machine := range r.Machines {
		stopped := byte(0)
		if s.Stopped[i] {
			stopped = 1
		}
		dst = append(dst, stopped)
		dst = messages.AppendFramed(dst, machine.AppendState)
		var err error
		if dst, err = s.Sent[i].AppendBinary(dst); err != nil {
			return dst, fmt.Errorf("node %d: %w", r.Label(messages.NodeID(i)), err)
		}
	}
	return dst, nil
}

// RestoreState sets the run to go on from a state that AppendState wrote for
// one of the same description: it restores the machines and sets Resume. An
// error leaves the run unusable.
func (r *Run) RestoreState(src []byte) error {
	in := messages.NewReader(src)
	s := &State{Offset: in.Int()}
	n := in.Int()
	switch {
	case in.Err() != nil:
		return in.Err()
	case n != len(r.Machines):
		return fmt.Errorf("state of %d machines; the run has %d", n, len(r.Machines))
	case s.Offset < 1 || s.Offset >= r.Steps:
		return fmt.Errorf("state after %d steps of %d", s.Offset, r.Steps)
	}
	s.Stopped, s.Sent = make([]bool, n), make([]messages.Outbox, n)
	for i, machine := range r.Machines {
		s.Stopped[i] = in.Byte() != 0
		state := in.Framed()
		s.Sent[i] = messages.ReadOutbox(in)
		if in.Err() != nil {
			return in.Err()
		}
		if err := machine.RestoreState(state); err != nil {
			return fmt.Errorf("node %d: %w", r.Label(messages.NodeID(i)), err)
		}
	}
	if err := in.End(); err != nil {
		return err
	}
	r.Resume = s
	return nil
}
