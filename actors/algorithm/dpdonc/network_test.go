package dpdonc_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/network"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// rules are all ways to deal with messages that are missing or late.
func rules(o dpdonc.Options) map[string]dpdonc.Options {
	list := map[string]dpdonc.Options{}
	for _, missing := range []inbox.Missing{"", inbox.MissingDrop, inbox.MissingRenormalise, inbox.MissingHold} {
		for _, late := range []algorithm.Late{"", algorithm.LateUse, algorithm.LateDrop} {
			o.Missing, o.Late = missing, late
			list[fmt.Sprintf("missing %q, late %q", missing, late)] = o
		}
	}
	return list
}

// bases are options that average points, and dual points.
func bases() map[string]dpdonc.Options {
	return map[string]dpdonc.Options{
		"euclidean": printedOptions(), "clip-mean": entropyOptions(dpdonc.ClipMean), "dual-average": entropyOptions(dpdonc.DualAverage),
	}
}

// With all messages there and in time all rules play the same decisions, to the
// last bit.
func TestRulesAgreeWhereNothingIsMissing(t *testing.T) {
	for base, o := range bases() {
		cost := constant(make([]float64, o.Set.Dim())...)
		want := runLockstep(t, spec(o, cost, 30))
		for rule, o := range rules(o) {
			got := runLockstep(t, spec(o, cost, 30))
			for i := range want.Decisions {
				for step, x := range want.Decisions[i] {
					if !slices.Equal(x, got.Decisions[i][step]) {
						t.Fatalf("%s, %s, step %d, node %d: played %v, want %v", base, rule, step+1, i+1, got.Decisions[i][step], x)
					}
				}
			}
		}
	}
}

// troubled are effects of every sort on six nodes.
func troubled(t algorithmtest.Fataler) *network.Effects {
	e, err := network.New(network.Options{
		Nodes: 6, Seed: 2, Delay: network.Uniform{Longest: 2}, Loss: network.Independent{Probability: 0.3}, Patience: 1,
		Outages: []network.Outage{
			{Nodes: []messages.NodeID{2}, Interval: network.Interval{First: 5, End: 9}, Forget: true},
			{Nodes: []messages.NodeID{3}, Interval: network.Interval{First: 4, End: 12}},
			{Nodes: []messages.NodeID{5}, Interval: network.Interval{First: 0, End: 7}},
		},
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return e
}

// z_t recomputed from what a node was shown, by maps, and x_{t+1} from it: every
// rule does what it says, in every turn of every node.
func TestRulesDoWhatTheySay(t *testing.T) {
	for rule, o := range rules(printedOptions()) {
		for node := range messages.NodeID(6) {
			r := spec(o, gradients(ranging), 40)
			r.Network, r.Meter = troubled(t), algorithmtest.NewDiary(6)
			c := &check{t: t, name: fmt.Sprintf("%s, node %d", rule, node+1), o: o, r: r, x: slices.Clone(o.Start)}
			if err := lockstep.Watch(context.Background(), r, &lockstep.Watcher{Node: node, Visit: c.visit}); err != nil {
				t.Fatal(err)
			}
			if c.turns < 20 || c.missing == 0 {
				t.Errorf("%s: %d turns, %d with messages missing", c.name, c.turns, c.missing)
			}
		}
	}
}

// check follows a node.
type check struct {
	t              *testing.T
	name           string
	o              dpdonc.Options
	r              *algorithm.Run
	x, g, q        []float64 // of the last turn
	held           map[messages.NodeID]messages.Envelope
	turns, missing int
}

func (c *check) visit(w *lockstep.Watched) error {
	node := messages.NodeID(0)
	for w.Machine != c.r.Machines[node] {
		node++
	}
	begins := c.turns == 0 || c.r.Network.Restarts(node, w.Turn)
	if begins {
		c.held = map[messages.NodeID]messages.Envelope{}
		c.x = slices.Clone(c.o.Start)
	} else {
		solver := must(mirror.NewSolver(c.o.Divergence, c.o.Set))
		want := make([]float64, len(c.x))
		if err := solver.Solve(want, c.z(node, w), c.g, c.o.Step.At(w.Step-1, c.o.Nodes), make([]float64, solver.WorkSize())); err != nil {
			return err
		}
		c.x = want
	}
	got := algorithmtest.Quantity(w.Machine, "x")
	for k, x := range got {
		if math.Abs(x-c.x[k]) > 1e-12 {
			c.t.Fatalf("%s, turn %d: x = %v, want %v", c.name, w.Turn, got, c.x)
		}
	}
	c.x, c.g = got, algorithmtest.Quantity(w.Machine, "gradient")
	c.q = slices.Clone(w.Outbox.Broadcast.(*messages.Vector).Values)
	c.turns++
	return nil
}

// z is what the rules make of an inbox.
func (c *check) z(node messages.NodeID, w *lockstep.Watched) []float64 {
	z, sum := make([]float64, len(c.x)), 0.0
	add := func(weight float64, q []float64) {
		sum += weight
		for k := range z {
			z[k] += weight * q[k]
		}
	}
	expected := 0.0
	from, weights := c.r.Graphs.At(w.Turn - 1).In(node)
	for _, weight := range weights {
		expected += weight
	}
	for _, e := range w.Inbox {
		if int(e.Sent) < w.Turn-1 && c.o.Late != algorithm.LateUse {
			continue
		}
		if old, ok := c.held[e.From]; !ok || old.Sent < e.Sent {
			values := slices.Clone(e.Payload.(*messages.Vector).Values)
			c.held[e.From] = messages.Envelope{Sent: e.Sent, Payload: &messages.Vector{Values: values}}
		}
		if c.o.Missing != inbox.MissingHold {
			add(e.Weight, e.Payload.(*messages.Vector).Values)
		}
	}
	if len(w.Inbox) < len(from) {
		c.missing++
	}
	switch c.o.Missing {
	case inbox.MissingHold:
		for i, j := range from {
			if e, ok := c.held[j]; ok {
				add(weights[i], e.Payload.(*messages.Vector).Values)
			} else {
				add(weights[i], c.o.Start)
			}
		}
	case inbox.MissingRenormalise:
		if sum == 0 {
			add(expected, c.q)
		}
		for k := range z {
			z[k] *= expected / sum
		}
	}
	return z
}

// A run that goes on from a state ends as one that never paused, whatever the
// rules keep.
func TestRulesResume(t *testing.T) {
	for rule, o := range rules(printedOptions()) {
		var saved [][]byte
		straight := spec(o, gradients(ranging), 30)
		straight.Network, straight.Meter = troubled(t), algorithmtest.NewDiary(6)
		straight.Pauses = algorithm.Pauses{Every: 4, Save: func(s *algorithm.State) error {
			saved = append(saved, messages.Write(nil, straight.At(s)))
			return nil
		}}
		if err := algorithmtest.Lockstep(straight); err != nil {
			t.Fatal(err)
		}
		for k, text := range saved {
			resumed := spec(o, gradients(ranging), 30)
			resumed.Network, resumed.Meter = troubled(t), algorithmtest.NewDiary(6)
			if err := messages.Read(text, resumed.At(nil)); err != nil {
				t.Fatal(err)
			}
			if err := algorithmtest.Lockstep(resumed); err != nil {
				t.Fatal(err)
			}
			for i, m := range straight.Machines {
				if !bytes.Equal(messages.Write(nil, m), messages.Write(nil, resumed.Machines[i])) {
					t.Errorf("%s: node %d ends differently from pause %d on", rule, i+1, k+1)
				}
			}
		}
	}
}

// Every rule is defined where nothing ever arrives, and leaves finite decisions in
// the set.
func TestRulesWithoutAnyMessage(t *testing.T) {
	for base, o := range bases() {
		for rule, o := range rules(o) {
			r := spec(o, constant(make([]float64, o.Set.Dim())...), 25)
			r.Network = must(network.New(network.Options{Nodes: 6, Loss: network.Independent{Probability: 1}}))
			for i, decisions := range runLockstep(t, r).Decisions {
				for step, x := range decisions {
					if v := o.Set.Violation(x); !(v < 1e-9) {
						t.Fatalf("%s, %s, step %d, node %d: %v is outside the set by %v", base, rule, step+1, i+1, x, v)
					}
				}
			}
		}
	}
}

// What a node that was down releases costs what its step size of then says; what
// it releases first after it joins or forgets is the public x_1, and costs nothing.
func TestReleasesAfterOutages(t *testing.T) {
	for _, schedule := range []noise.Schedule{dpdonc.AsPrinted, dpdonc.Shifted} {
		o := printedOptions()
		o.Noise = schedule
		r := spec(o, gradients(ranging), 20)
		r.Network = troubled(t)
		d := runLockstep(t, r)
		for i, begins := range [][]int{{1}, {1}, {1, 10}, {1}, {1}, {8}} {
			node, k := messages.NodeID(i), 0
			for step := 1; step <= 20; step++ {
				if !r.Network.Up(node, step-1) {
					continue
				}
				mechanism, sensitivity := o.Release(step)
				want := mechanism.Loss(sensitivity)
				if slices.Contains(begins, step) {
					want = accountant.Loss{}
				}
				if got := d.Losses[i][k]; got != want {
					t.Errorf("%s, step %d, node %d: spent %v, want %v", schedule, step, i+1, got, want)
				}
				k++
			}
			if k != len(d.Losses[i]) {
				t.Errorf("node %d paid %d times, want %d", i+1, len(d.Losses[i]), k)
			}
		}
	}
}
