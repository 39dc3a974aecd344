package lockstep_test

import (
	"context"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// counter sends how often it has been stepped.
type counter struct{ turns float64 }

func (c *counter) Step(t *algorithm.Turn) error {
	c.turns++
	v := t.Vector(1)
	v.Values[0] = c.turns
	return t.Broadcast(v, algorithm.Public("a clock"))
}
func (c *counter) State(codec *messages.Codec) { codec.Float("turns", &c.turns) }

type unmetered struct{}

func (unmetered) Played(messages.NodeID, int, []float64)            {}
func (unmetered) Spent(messages.NodeID, int, accountant.Loss) error { return nil }
func (unmetered) Recorded(messages.NodeID, int, string, float64)    {}
func (unmetered) Stopped(messages.NodeID, int, string)              {}
func (unmetered) Sent(int, int64, int64)                            {}

// Follow one node through a run: what it received, and what it sent.
func ExampleWatch() {
	path, err := topology.Path{Nodes: 3}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	run := &algorithm.Run{
		FirstStep: 1, Steps: 3, Graphs: path, Meter: unmetered{},
		Machines: []algorithm.Machine{&counter{}, &counter{}, &counter{}},
	}
	err = lockstep.Watch(context.Background(), run, &lockstep.Watcher{Node: 1, Visit: func(w *lockstep.Watched) error {
		fmt.Print("step ", w.Step, ": received")
		for _, e := range w.Inbox {
			fmt.Print(" ", e.Payload.(*messages.Vector).Values, " from ", e.From, ",")
		}
		fmt.Println(" sent", w.Outbox.Broadcast.(*messages.Vector).Values)
		return nil
	}})
	fmt.Println(err)
	// Output:
	// step 1: received sent [1]
	// step 2: received [1] from 0, [1] from 2, sent [2]
	// step 3: received [2] from 0, [2] from 2, sent [3]
	// <nil>
}
