package engine

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/actors/spread"
	"starling/actors/topology"
	"starling/messages"
)

// At a pause and at the end the coordinator of a spread run reads the states of all
// participants into its own machines and tables. None of the participants works then.

// gathered tells the coordinator that the state of a process is there.
type gathered struct{}

// gathering is the state of a process that is coming in.
type gathering struct {
	bytes []byte
	// asked is the request in progress, nil where there is none.
	asked *spread.Collect
}

// mostState is the largest part of a state, in bytes, that goes in one item.
const mostState = 4 << 20

// stateAt is the runtime's state of the run before a turn, in the tables of this process.
func (r *run) stateAt(turn, offset int) *algorithm.State {
	state := &algorithm.State{Offset: offset, Stopped: r.stopped, Sent: r.outboxes[(turn-1)%r.lifetime], Queues: r.queues}
	for sent := turn - 2; sent >= max(0, turn-1-r.reach); sent-- {
		earlier := algorithm.Sending{Outboxes: r.outboxes[sent%r.lifetime]}
		if r.sentGraphs != nil {
			earlier.Graph = r.sentGraphs[sent%r.lifetime]
		}
		state.Earlier = append(state.Earlier, earlier)
	}
	return state
}

// sendState sends the states of this process's participants, on a goroutine of its own.
func (r *run) sendState(asked *spread.Collect) {
	s := r.spread
	r.saving.Go(func() {
		text := messages.Write(nil, spread.Part(r.spec, r.stateAt(int(asked.Turn), 0), int(asked.Turn), s.nodes[s.Process], !asked.Last))
		for more := true; more; {
			size := min(len(text), mostState)
			more = size < len(text)
			s.Wires.Send(s.Processes, &spread.Item{Kind: &spread.Item_State{State: &spread.State{Bytes: text[:size:size], More: more}}})
			text = text[size:]
		}
	})
}

// takeState takes a part of the state of a process.
func (r *run) takeState(from int, w *spread.State) error {
	// The lock orders the reads of the tables by the goroutines that asked before the writes
	// here.
	r.spread.mu.Lock()
	g := &r.spread.gathering[from]
	asked := g.asked
	r.spread.mu.Unlock()
	if !r.hub() || asked == nil {
		return errors.New("it has sent a state that nobody has asked for")
	}
	if g.bytes = append(g.bytes, w.Bytes...); w.More {
		return nil
	}
	text := g.bytes
	r.spread.mu.Lock()
	*g = gathering{}
	r.spread.mu.Unlock()
	if err := messages.Read(text, spread.Part(r.spec, r.stateAt(int(asked.Turn), 0), int(asked.Turn), r.spread.nodes[from], !asked.Last)); err != nil {
		return fmt.Errorf("its state: %w", err)
	}
	r.host.system.Root.Send(r.coordinator, &gathered{})
	return nil
}

// gather asks all processes for their states.
func (c *coordinator) gather(asked *spread.Collect) {
	s := c.run.spread
	c.asked, c.awaited = asked, s.Processes
	s.mu.Lock()
	for p := range s.gathering {
		s.gathering[p].asked = asked
	}
	s.mu.Unlock()
	c.run.tell(asked)
}

// gathered counts the states that have come in. When all have, the run pauses or ends.
func (c *coordinator) gathered(ctx actor.Context) {
	if c.awaited--; c.awaited > 0 || c.draining {
		return
	}
	if c.asked.Last {
		c.drain(ctx)
		return
	}
	if err := c.run.graphsBefore(c.clock.Turn, c.clock.Offset); err != nil {
		c.run.abort(err)
		return
	}
	c.run.save(c.clock, c.self)
}

// graphsBefore puts the graphs of the turns with messages that may still be on their way
// before a turn, the first of the step at an offset, where a state takes them from.
func (r *run) graphsBefore(turn, offset int) error {
	if !r.effects {
		return nil
	}
	at := *r.spec
	at.Resume = &algorithm.State{Offset: offset}
	attendance := at.Attendance()
	for sent := max(0, turn-1-r.reach); sent < turn; sent++ {
		graph, err := topology.GraphAt(r.spec.Graphs, attendance.Offset(sent))
		if err != nil {
			return err
		}
		r.sentGraphs[sent%len(r.sentGraphs)] = graph
	}
	return nil
}
