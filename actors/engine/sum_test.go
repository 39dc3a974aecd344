package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// adder is a summer that keeps what it hears, and whose sendings are often, but not
// always, one broadcast of the common length.
type adder struct {
	node messages.NodeID
	sum  []float64
	seen []float64
	mark algorithm.Mark
}

func (*adder) Sums() {}

func (a *adder) State(c *messages.Codec) {
	c.Floats("sum", a.sum)
	c.List("seen", &a.seen, math.MaxInt32)
}

func (a *adder) Step(t *algorithm.Turn) error {
	t.Sum(a.sum)
	a.seen = append(a.seen, a.sum...)
	a.mark = t.Follows("it follows")
	a.seen = append(a.seen, float64(a.mark.Exposure()))
	d := len(a.sum)
	if t.Step%7 == 3 && a.node%4 == 1 {
		d++ // longer than the others'
	}
	v := t.Vector(d)
	for k := range v.Values {
		v.Values[k] = t.Rand(1).Laplace()
	}
	switch out := t.View.Out(); {
	case t.Step%5 == 2 && a.node%3 == 0:
		return nil // sends nothing
	case t.Step%5 == 4 && a.node == 7:
		return t.SendRaw(out[0], v)
	case t.Step%6 == 5 && a.node == 2:
		if err := t.SendRaw(out[0], &messages.Vector{Values: slices.Clone(v.Values)}); err != nil {
			return err
		}
	case t.Step%11 == 8 && a.node == 9:
		v = &messages.Vector{Values: slices.Clone(v.Values)} // of its own memory
	case t.Step%3 == 0:
		return t.Broadcast(v, algorithm.Public("it is no data"))
	}
	return t.BroadcastRaw(v)
}

// adderRun is a run of such machines.
func adderRun(graphs topology.Sequence, d int) *algorithm.Run {
	machines := make([]algorithm.Machine, graphs.Nodes())
	for i := range machines {
		machines[i] = &adder{node: messages.NodeID(i), sum: make([]float64, d)}
	}
	return &algorithm.Run{Seed: 3, FirstStep: 1, Steps: 40, Graphs: graphs, Machines: machines, Meter: runtimetest.Silent{}}
}

// adders runs such machines and returns what they have seen.
func adders(t *testing.T, graphs topology.Sequence, d int, execute func(*algorithm.Run) error) [][]float64 {
	t.Helper()
	run := adderRun(graphs, d)
	if err := execute(run); err != nil {
		t.Fatal(err)
	}
	seen := make([][]float64, len(run.Machines))
	for i, m := range run.Machines {
		seen[i] = m.(*adder).seen
	}
	return seen
}

// Sums of what lies where it was sent are those of inboxes, which the sequential runtime
// makes, to the last bit, and so is what follows from them; also in the turns after which
// somebody sent otherwise than all others, or nothing.
func TestSumsWithoutInboxes(t *testing.T) {
	host := newHost(t, 0)
	for name, every := range map[string]int{"frozen": 0, "redrawn": 1} {
		graphs, err := topology.Permutations{Nodes: 13, Degree: 5, Every: every, Seed: 4}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []int{1, 2, 3, 10} {
			want := adders(t, graphs, d, sequential)
			for _, shards := range []int{1, 3, 13} {
				for _, lookahead := range []int{1, 3} {
					got := adders(t, graphs, d, on(host, engine.Options{Shards: shards, Lookahead: lookahead}))
					for i := range want {
						if !slices.Equal(got[i], want[i]) {
							t.Fatalf("%s: node %d saw %v, want %v", fmt.Sprint(name, ", d = ", d, ", shards = ", shards), i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}
