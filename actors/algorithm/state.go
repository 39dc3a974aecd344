package algorithm

import (
	"fmt"

	"starling/actors/topology"
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
	// Earlier is what was sent in the turns before that, the latest first: as
	// far back as messages can be on their way, which without a network is
	// nothing.
	Earlier []Sending
	// Queues is what stands in line and is on its way where bandwidth is
	// limited, by node, without what was sent in the last turn; else nil. A
	// runtime takes it up by Run.Queues.
	Queues []Queue
}

// Sending is what was sent in one turn.
type Sending struct {
	// Graph is that of the turn. A state that was read has none.
	Graph    *topology.Graph
	Outboxes []messages.Outbox // by node
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
	if r.Network == nil {
		return dst, nil
	}
	return r.appendEarlier(dst, s)
}

// appendEarlier appends the outboxes of earlier turns from which something has
// yet to arrive.
func (r *Run) appendEarlier(dst []byte, s *State) ([]byte, error) {
	at := *r
	at.Resume = s
	attendance, now := at.Attendance(), at.Clock().Turn
	dst = messages.AppendInt(dst, len(s.Earlier))
	queued := queuedFrom(s.Queues, now)
	for k, sending := range s.Earlier {
		var nodes []int
		for i := range sending.Outboxes {
			from, sent := messages.NodeID(i), now-2-k
			if s.Queues == nil && attendance.awaited(sending.Graph, from, sent, &sending.Outboxes[i]) || queued[sender{from, sent}] {
				nodes = append(nodes, i)
			}
		}
		dst = messages.AppendInt(dst, len(nodes))
		for _, i := range nodes {
			dst = messages.AppendInt(dst, i)
			var err error
			if dst, err = sending.Outboxes[i].AppendBinary(dst); err != nil {
				return dst, fmt.Errorf("node %d: %w", r.Label(messages.NodeID(i)), err)
			}
		}
	}
	for i := range s.Queues {
		dst = s.Queues[i].appendState(dst, now)
	}
	return dst, nil
}

// readEarlier reads what appendEarlier wrote.
func (r *Run) readEarlier(in *messages.Reader, s *State) error {
	turns, n := in.Int(), len(r.Machines)
	if want := min(r.Reach(), r.TurnOf(s.Offset)-1); in.Err() == nil && turns != want {
		return fmt.Errorf("state with messages of %d earlier turns; the run's network wants %d", turns, want)
	}
	s.Earlier = make([]Sending, turns)
	for k := range s.Earlier {
		s.Earlier[k].Outboxes = make([]messages.Outbox, n)
		for range in.Int() {
			i := in.Int()
			if in.Err() == nil && (i < 0 || i >= n) {
				return fmt.Errorf("state with messages of node %d of %d", i, n)
			}
			outbox := messages.ReadOutbox(in)
			if in.Err() != nil {
				return in.Err()
			}
			s.Earlier[k].Outboxes[i] = outbox
		}
	}
	if in.Err() != nil || r.limited() == nil {
		return in.Err()
	}
	return r.readQueues(in, s)
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
	if err := r.restoreMachines(in, s); err != nil {
		return err
	}
	if r.Network != nil {
		if err := r.readEarlier(in, s); err != nil {
			return err
		}
	}
	if err := in.End(); err != nil {
		return err
	}
	r.Resume = s
	return nil
}

// restoreMachines reads what is there of each node.
func (r *Run) restoreMachines(in *messages.Reader, s *State) error {
	n := len(r.Machines)
	r.initial = r.initialStates(0, n)
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
	return nil
}
