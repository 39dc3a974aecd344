package algorithm_test

import (
	"context"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// gossip is an algorithm in twenty lines: every node moves to the weighted mean of what
// it hears, until all agree.
type gossip struct{ x float64 }

func (g *gossip) Step(t *algorithm.Turn) error {
	if len(t.Inbox) > 0 { // it is empty in the first turn
		g.x = 0
		for _, e := range t.Inbox {
			g.x += float64(e.Weight * e.Payload.(*messages.Vector).Values[0])
		}
	}
	v := t.Vector(1)
	v.Values[0] = g.x
	return t.BroadcastRaw(v)
}

func (g *gossip) State(c *messages.Codec) { c.Float("x", &g.x) }

// silent is a meter that writes nothing down.
type silent struct{}

func (silent) Played(messages.NodeID, int, []float64)            {}
func (silent) Spent(messages.NodeID, int, accountant.Loss) error { return nil }
func (silent) Recorded(messages.NodeID, int, string, float64)    {}
func (silent) Stopped(messages.NodeID, int, string)              {}
func (silent) Sent(step int, messages, bytes int64)              {}

// A machine of one's own runs on lockstep, without actors, and later unchanged on the
// engine: four nodes on a ring agree on their mean.
func Example() {
	ring, err := topology.Ring{Nodes: 4}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes := []*gossip{{1}, {2}, {3}, {10}}
	run := &algorithm.Run{FirstStep: 1, Steps: 40, Graphs: ring, Meter: silent{}}
	for _, node := range nodes {
		run.Machines = append(run.Machines, node)
	}
	if err := lockstep.Run(context.Background(), run); err != nil {
		fmt.Println(err)
		return
	}
	for _, node := range nodes {
		fmt.Printf("%.4f ", node.x)
	}
	fmt.Println()
	// Output:
	// 4.0000 4.0000 4.0000 4.0000
}

// averager goes with push-sum from what it hears to the mean.
type averager struct {
	x, sum []float64
	inbox.Inbox
}

func (a *averager) Step(t *algorithm.Turn) error {
	if t.Step > 1 { // there is nothing to hear in the first
		if err := t.Receive(&a.Inbox, a.sum); err != nil {
			return err
		}
		copy(a.x, a.sum) // the ratio; the mass is the last entry
	}
	return t.BroadcastRaw(a.Vector(t, a.x))
}

func (a *averager) State(c *messages.Codec) {
	c.Floats("x", a.x)
	a.Keep(c)
}

// Receive makes one vector of what a node hears, by rules for what is missing or late.
// Push-sum finds the mean with weights that only those who send know: node 0 sends half
// of its mass to each of two nodes, and hears one.
func ExampleTurn_Receive() {
	edges := []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 1}, {From: 2, To: 0, Weight: 1}, {From: 0, To: 2, Weight: 1}}
	graph, err := topology.FromEdges(3, edges)
	if err != nil {
		fmt.Println(err)
		return
	}
	if graph, err = (topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}).Apply(graph); err != nil {
		fmt.Println(err)
		return
	}
	rule := &inbox.Rule{PushSum: true, Start: []float64{0, 1}}
	run := &algorithm.Run{FirstStep: 1, Steps: 40, Graphs: topology.Static(graph), Meter: silent{}}
	for _, x := range []float64{1, 2, 6} {
		run.Machines = append(run.Machines, &averager{x: []float64{x}, sum: make([]float64, 2), Inbox: inbox.NewInbox(rule)})
	}
	if err := lockstep.Run(context.Background(), run); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range run.Machines {
		fmt.Printf("%.4f with a mass of %.2f\n", m.(*averager).x[0], m.(*averager).Mass())
	}
	// Output:
	// 3.0000 with a mass of 1.00
	// 3.0000 with a mass of 0.67
	// 3.0000 with a mass of 1.33
}

// noisy releases a number with Laplace noise of scale 2, which costs epsilon 1/2 for data
// that move the number by 1. Release draws from the turn's own stream, pays by the meter,
// marks the message by what was paid, and ends the node's part where the budget is spent.
type noisy struct{ gossip }

func (n *noisy) Step(t *algorithm.Turn) error {
	v := t.Vector(1)
	v.Values[0] = n.x
	return t.Release(algorithm.Release{
		Noise: noise.Additive{Law: noise.LaplaceLaw, Scale: 2}, Moves: noise.MovesL1(1, 1), Purpose: rng.PurposeOf("example.noise"),
	}, v, nil)
}

// budget is a meter that holds nodes to a budget.
type budget struct {
	silent
	spent map[messages.NodeID]float64
}

func (p *budget) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	if p.spent[node]+loss.Epsilon > 2 {
		return accountant.ErrBudget
	}
	p.spent[node] += loss.Epsilon
	return nil
}

func (p *budget) Stopped(node messages.NodeID, step int, reason string) {
	fmt.Println("node", node, "stops in step", step, "because", reason)
}

// A meter stands beside the machines: it hears what they pay, and refuses a release
// that a budget does not pay for.
func ExampleMeter() {
	ring, err := topology.Ring{Nodes: 2}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	meter := &budget{spent: map[messages.NodeID]float64{}}
	run := &algorithm.Run{
		Seed: 1, FirstStep: 1, Steps: 10, Graphs: ring, Meter: meter,
		Machines: []algorithm.Machine{&noisy{}, &noisy{}},
	}
	fmt.Println(lockstep.Run(context.Background(), run), meter.spent)
	// Output:
	// node 0 stops in step 5 because the privacy budget is spent
	// node 1 stops in step 5 because the privacy budget is spent
	// <nil> map[0:2 1:2]
}

// A step can have several hops, and a schedule says who acts in which: here a server
// asks in hop 0 and its clients answer in hop 1.
func ExampleRun_hops() {
	star, err := topology.Star{Leaves: 3}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	server := machine(func(t *algorithm.Turn) error {
		fmt.Println("step", t.Step, "hop", t.Hop, "server has", len(t.Inbox), "answers")
		v := t.Vector(1)
		v.Values[0] = float64(t.Step)
		return t.Broadcast(v, algorithm.Public("the step is no secret"))
	})
	client := machine(func(t *algorithm.Turn) error {
		v := t.Vector(1)
		v.Values[0] = -t.Inbox[0].Payload.(*messages.Vector).Values[0]
		return t.SendRaw(0, v)
	})
	run := &algorithm.Run{
		FirstStep: 1, Steps: 2, Graphs: star, Meter: silent{},
		Machines: []algorithm.Machine{server, client, client, client},
		Hops:     func(int) int { return 2 },
		Acts: func(_, hop int) (first, end messages.NodeID) {
			if hop == 0 {
				return 0, 1
			}
			return 1, 4
		},
	}
	fmt.Println(lockstep.Run(context.Background(), run))
	// Output:
	// step 1 hop 0 server has 0 answers
	// step 2 hop 0 server has 3 answers
	// <nil>
}
