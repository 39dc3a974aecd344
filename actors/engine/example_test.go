package engine_test

import (
	"context"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// averager holds a number and moves it to the mean of what it hears, itself included.
type averager struct{ value float64 }

func (a *averager) Step(t *algorithm.Turn) error {
	for k, e := range t.Inbox {
		if k == 0 {
			a.value = 0
		}
		a.value += e.Weight * e.Payload.(*messages.Vector).Values[0]
	}
	v := t.Vector(1)
	v.Values[0] = a.value
	return t.Broadcast(v, algorithm.Public("a temperature"))
}
func (a *averager) State(c *messages.Codec) { c.Float("value", &a.value) }

// Four nodes on a ring average with the node before them until they agree. Each is an
// actor, and knows what reached it and nothing else. The numbers do not depend on how
// many shards the host has for them.
func ExampleHost_Run() {
	host, err := engine.NewHost(engine.HostOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	for _, shards := range []int{1, 4} {
		ring, err := topology.Ring{Nodes: 4}.Sequence()
		if err != nil {
			fmt.Println(err)
			return
		}
		nodes := []*averager{{8}, {0}, {4}, {0}}
		run := &algorithm.Run{FirstStep: 1, Steps: 30, Graphs: ring, Meter: runtimetest.Silent{}}
		for _, node := range nodes {
			run.Machines = append(run.Machines, node)
		}
		err = host.Run(context.Background(), run, engine.Options{Shards: shards})
		fmt.Printf("%d shards: %.3f %.3f %.3f %.3f %v\n", shards, nodes[0].value, nodes[1].value, nodes[2].value, nodes[3].value, err)
	}
	// Output:
	// 1 shards: 3.000 3.000 3.000 3.000 <nil>
	// 4 shards: 3.000 3.000 3.000 3.000 <nil>
}
