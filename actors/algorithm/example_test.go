package algorithm_test

import (
	"context"
	"errors"
	"fmt"

	"starling/actors/algorithm"
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

// noisy releases a number with Laplace noise of scale 2. The mechanism pays by the turn,
// draws from the turn's own stream, and gives a receipt, which marks the message.
type noisy struct{ gossip }

func (n *noisy) Step(t *algorithm.Turn) error {
	v := t.Vector(1)
	v.Values[0] = n.x
	mechanism, sensitivity := noise.Laplace{Scale: 2}, 1.0 // epsilon 1/2 for data that move x by 1
	receipt, err := mechanism.Release(v.Values, t.Rand(rng.PurposeOf("example.noise")), sensitivity, t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	} else if err != nil {
		return err
	}
	return t.Broadcast(v, algorithm.Released(receipt))
}

// purse is a meter that holds nodes to a budget.
type purse struct {
	silent
	spent map[messages.NodeID]float64
}

func (p *purse) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	if p.spent[node]+loss.Epsilon > 2 {
		return accountant.ErrBudget
	}
	p.spent[node] += loss.Epsilon
	return nil
}

func (p *purse) Stopped(node messages.NodeID, step int, reason string) {
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
	meter := &purse{spent: map[messages.NodeID]float64{}}
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
