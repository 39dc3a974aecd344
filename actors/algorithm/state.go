package algorithm

import (
	"starling/actors/topology"
	"starling/messages"
)

// State is the runtime's state of a run between two steps, besides its machines. A run that is
// given the state of another of the same description, and machines that were restored from
// that one's, goes on with the same bits.
type State struct {
	// Offset is the number of steps done, which is the offset of the next.
	Offset int
	// Stopped holds by node whether its machine has ended its part.
	Stopped []bool
	// Sent holds the messages of the last turn, by node: they are yet to be delivered.
	Sent []messages.Outbox
	// Earlier holds the messages of the turns before that, the latest first: as far back as
	// messages can be on their way, which without a network is nothing.
	Earlier []Sending
	// Queues holds the messages in line and on their way where bandwidth is limited, by node,
	// without the messages of the last turn; else nil. A runtime takes it up by Run.Queues.
	Queues []Queue
}

// Sending holds the messages of one turn.
type Sending struct {
	// Graph is the graph of the turn. A state that was read has none.
	Graph    *topology.Graph
	Outboxes []messages.Outbox // by node
}

// Pauses are points between steps at which a runtime has all machines rest and
// shows the run's state.
type Pauses struct {
	// Every is the number of steps between pauses, counted from the first
	// step of the run; 0 is no pause.
	Every int
	// Save is called at each pause, from any goroutine, and must not keep the state: the
	// runtime goes on to use its parts. An error ends the run.
	Save func(*State) error
	// Due, if not nil, reports whether Save would do anything, before its state is collected.
	Due func() bool
}

// At is the run at a state, with the states of all machines. On writing it is the state s. On
// reading, the run has the same description, At restores its machines and sets its Resume, and
// s is not used. An error leaves the run unusable.
func (r *Run) At(s *State) messages.Stateful {
	return messages.StateFunc(func(c *messages.Codec) { r.state(c, s) })
}

// state goes through a state of the run with the states of all machines.
func (r *Run) state(c *messages.Codec, s *State) {
	if n := len(r.Machines); c.Reading() {
		all := messages.Range(0, n)
		r.initial = r.initialStates(&all)
		s = &State{Stopped: make([]bool, n), Sent: make([]messages.Outbox, n)}
		r.Resume = s
	}
	c.Int("offset", &s.Offset)
	c.Same("machines", len(r.Machines))
	c.Check(s.Offset >= 1 && s.Offset < r.Steps, "state after %d steps of %d", s.Offset, r.Steps)
	for i, machine := range r.Machines {
		if c.Failed() {
			return
		}
		c.Enter("node", r.Label(messages.NodeID(i)))
		c.Bool("stopped", &s.Stopped[i])
		c.Frame("", machine)
		c.Part("sent", &s.Sent[i])
		c.Leave()
	}
	if r.Network == nil || c.Failed() {
		return
	}
	r.earlierState(c, s)
	if r.limited() != nil && !c.Failed() {
		r.queuesState(c, s)
	}
}

// earlierState goes through the outboxes of earlier turns that hold messages yet to arrive.
func (r *Run) earlierState(c *messages.Codec, s *State) {
	n := len(r.Machines)
	if c.Reading() {
		s.Earlier = make([]Sending, min(r.Reach(), r.TurnOf(s.Offset)-1))
		for k := range s.Earlier {
			s.Earlier[k].Outboxes = make([]messages.Outbox, n)
		}
	}
	c.Same("earlier turns", len(s.Earlier))
	awaited := r.awaited(c, s)
	for k := range s.Earlier {
		c.Enter("earlier", k)
		var nodes []int
		if !c.Reading() {
			nodes = awaited(k)
		}
		messages.Integers(c, "senders", &nodes, n)
		for _, i := range nodes {
			if c.Check(i >= 0 && i < n, "state with messages of node %d of %d", i, n); c.Failed() {
				return
			}
			c.Part("sent", &s.Earlier[k].Outboxes[i])
		}
		c.Leave()
	}
}

// awaited returns, for an earlier turn, the latest first, the senders of messages that have
// yet to arrive. It is asked where a state is written.
func (r *Run) awaited(c *messages.Codec, s *State) func(k int) []int {
	if c.Reading() {
		return nil
	}
	at := *r
	at.Resume = s
	attendance, now := at.Attendance(), at.Clock().Turn
	queued := senders(s.Queues, now)
	return func(k int) (nodes []int) {
		sending, sent := &s.Earlier[k], now-2-k
		for i := range sending.Outboxes {
			from := messages.NodeID(i)
			if s.Queues == nil && attendance.Awaited(sending.Graph, from, sent, &sending.Outboxes[i]) || queued[sender{From: from, Sent: sent}] {
				nodes = append(nodes, i)
			}
		}
		return nodes
	}
}
