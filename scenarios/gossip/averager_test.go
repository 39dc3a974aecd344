package gossip_test

import (
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/mechanisms/portable"
	"starling/messages"
	"starling/scenarios/gossip"
)

// node holds a number of its own and moves it to the result of its rule, a little further each time.
// It ends its part after a step; 0 is never.
type node struct {
	inbox.Inbox
	value float64
	ends  int
}

func (n *node) Step(t *algorithm.Turn) error {
	z := make([]float64, len(n.Rule().Start))
	if t.Step > 1 {
		if err := t.Receive(&n.Inbox, z); err != nil {
			return err
		}
		n.value = z[0]
		if n.Rule().Map != nil {
			n.value = portable.Exp(z[0])
		}
	}
	if n.ends > 0 && t.Step > n.ends {
		t.Stop("it has done its part")
		return nil
	}
	n.value *= 1 + 0.1*float64(int(t.View.Self())%3)
	v := n.Vector(t, []float64{n.value})
	n.Released(v.Values)
	return t.Broadcast(v, algorithm.Public("a number that all know"))
}

func (n *node) State(c *messages.Codec) {
	c.Float("value", &n.value)
	n.Keep(c)
}

// fresh makes runs of seven nodes in clusters of four and three, of which one ends its part after a step;
// by way of servers, or with the weights of means alone.
func fresh(rule *inbox.Rule, ends int, served bool) algorithmtest.Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		every := func(n int) *topology.Times { return (&topology.Schedule{Every: n}).Times(7, 0) }
		parts := make([]topology.Sequence, 2)
		for k, size := range []int{4, 3} {
			var err error
			if parts[k], err = (topology.Complete{Nodes: size, SelfLoops: true}).Sequence(); err != nil {
				panic(err)
			}
		}
		clusters, err := topology.NewClusters(every(2), every(5), parts...)
		if err != nil {
			panic(err)
		}
		servers, err := topology.NewServers([]int{4, 3}, every(2), every(5), nil)
		if err != nil {
			panic(err)
		}
		run := &algorithm.Run{FirstStep: 1, FirstLabel: 1, Steps: 11, Graphs: clusters}
		for i := range 7 {
			n := &node{Inbox: inbox.NewInbox(rule), value: 1 + float64(i)}
			if i == 2 {
				n.ends = ends
			}
			run.Machines = append(run.Machines, n)
		}
		if served {
			run.Graphs, run.Hops, run.Acts = servers.Links(clusters), servers.Hops, servers.Acts
			run.Machines = append(run.Machines, gossip.NewAverages(servers, rule)...)
		}
		meter := runtimetest.NewMeter(len(run.Machines))
		run.Meter = meter
		return run, meter
	}
}

// TestServersReplaceMeans: by way of servers nodes have within 1e-12 the numbers that the weights of the
// means give them, under the rules of the nodes, on both runtimes, resumed, and restored in every turn.
func TestServersReplaceMeans(t *testing.T) {
	host := algorithmtest.NewHost(t)
	logarithm := func(entry float64) float64 { return portable.Log(max(entry, 1e-3)) }
	for name, test := range map[string]struct {
		rule inbox.Rule
		ends int
	}{
		"mean":                 {inbox.Rule{Start: []float64{1}, Rows: true}, 0},
		"mean, a node ends":    {inbox.Rule{Start: []float64{1}}, 4},
		"scaled":               {inbox.Rule{Start: []float64{1}, Missing: inbox.MissingRenormalise}, 0},
		"held":                 {inbox.Rule{Start: []float64{1}, Missing: inbox.MissingHold}, 0},
		"masses":               {inbox.Rule{Start: []float64{1, 1}, PushSum: true}, 0},
		"masses, a node ends":  {inbox.Rule{Start: []float64{1, 1}, PushSum: true}, 4},
		"logarithms":           {inbox.Rule{Start: []float64{1}, Map: logarithm, Inverse: portable.Exp}, 0},
		"masses of logarithms": {inbox.Rule{Start: []float64{1, 1}, PushSum: true, Map: logarithm, Inverse: portable.Exp}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			of, plain := fresh(&test.rule, test.ends, true), fresh(&test.rule, test.ends, false)
			got, _ := of()
			want, _ := plain()
			for _, run := range []*algorithm.Run{got, want} {
				if err := algorithmtest.Lockstep(run); err != nil {
					t.Fatal(err)
				}
			}
			for i := range want.Machines {
				a, b := got.Machines[i].(*node).value, want.Machines[i].(*node).value
				if !(math.Abs(a-b) <= 1e-12*math.Abs(b)) || b == 0 {
					t.Errorf("node %d has %v by way of servers, and %v without", i, a, b)
				}
			}
			of.CheckRuntimes(t, host, name, 1, 2, 5)
			of.CheckReborn(t, name)
			if of.CheckResumes(t, host, name, 1) == 0 {
				t.Error("no pause")
			}
		})
	}
}
