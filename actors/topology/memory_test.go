package topology_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// sameGraph reports whether two graphs have the same edges and weights.
func sameGraph(a, b *topology.Graph) bool {
	if a.Nodes() != b.Nodes() || a.Edges() != b.Edges() {
		return false
	}
	for i := range messages.NodeID(a.Nodes()) {
		fromA, weightsA := a.In(i)
		fromB, weightsB := b.In(i)
		if !slices.Equal(fromA, fromB) || !slices.Equal(weightsA, weightsB) || !slices.Equal(a.Out(i), b.Out(i)) {
			return false
		}
	}
	return true
}

// withMemory are the sequences with memory, on some tens of nodes.
func withMemory(t testing.TB, seed uint64) map[string]generator {
	base := mustSequence(t, topology.RandomRegular{Nodes: 30, Degree: 6, Redraw: topology.Redraw{Seed: 1}}).At(0)
	digraph := mustSequence(t, topology.Exponential{Nodes: 30, Directed: true}).At(0)
	return map[string]generator{
		"markov":          topology.MarkovEdges{On: 0.1, Off: 0.2, Base: base, Seed: seed},
		"directed markov": topology.MarkovEdges{On: 0.1, Off: 0.2, Directed: true, Base: digraph, Seed: seed},
		"waypoint":        topology.Geometric{Nodes: 30, Radius: 0.2, SpeedMin: 0.01, SpeedMax: 0.3, Pause: 1.5, Seed: seed},
		"spread waypoint": topology.Geometric{Nodes: 30, Radius: 0.2, Spread: 0.5, SpeedMin: 0.01, SpeedMax: 0.3, Seed: seed},
		"blocks": topology.StochasticBlock{
			Nodes: 30, Blocks: 3, Within: 0.5, Between: 0.05, Drift: 0.1, Redraw: topology.Redraw{Every: 2, Seed: seed}},
	}
}

// TestMemoryIsAFunctionOfTheStep reads sequences with memory in order, and then
// other instances of them in any order: what it shows, with checkpoints many
// times thinned (the spacing is 16 and doubles each 32), is the same.
func TestMemoryIsAFunctionOfTheStep(t *testing.T) {
	const steps = 2500
	for name, options := range withMemory(t, 7) {
		t.Run(name, func(t *testing.T) {
			inOrder := mustSequence(t, options)
			var want [steps]*topology.Graph
			changes := 0
			for step := range steps {
				want[step] = inOrder.At(step)
				if step > 0 && want[step] != want[step-1] && !sameGraph(want[step], want[step-1]) {
					changes++
				}
			}
			if changes < steps/3 {
				t.Errorf("%d changes in %d steps", changes, steps)
			}
			for _, step := range []int{steps - 1, 0, 1, 15, 16, 17, 511, 512, 1024, 513} {
				if !sameGraph(want[step], inOrder.At(step)) {
					t.Errorf("step %d is another, read again", step)
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				seq, err := options.Sequence()
				if err != nil {
					t.Fatal(err)
				}
				for range rapid.IntRange(1, 4).Draw(t, "reads") {
					step := rapid.IntRange(0, steps-1).Draw(t, "step")
					if !sameGraph(want[step], seq.At(step)) {
						t.Fatalf("step %d is another out of order", step)
					}
				}
			})
		})
	}
}

// TestMemoryIsSafeForConcurrentUse is for the race detector too.
func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	for name, options := range withMemory(t, 3) {
		seq, reference := mustSequence(t, options), mustSequence(t, options)
		var got [4][60]*topology.Graph
		var running sync.WaitGroup
		for reader := range got {
			running.Go(func() {
				for k := range got[reader] {
					step := (k*(2*reader+1) + 7*reader) % 60
					got[reader][step] = seq.At(step)
				}
			})
		}
		running.Wait()
		for step := range 60 {
			want := reference.At(step)
			for reader := range got {
				if g := got[reader][step]; g != nil && !sameGraph(g, want) {
					t.Errorf("%s: reader %d has another graph of step %d", name, reader, step)
				}
			}
		}
	}
}

// TestEpochsOfMemory: steps of equal epoch share one graph, and a sequence with
// memory has no period.
func TestEpochsOfMemory(t *testing.T) {
	seq := mustSequence(t, withMemory(t, 3)["blocks"])
	if seq.Epoch(0) != seq.Epoch(1) || seq.Epoch(1) == seq.Epoch(2) || seq.At(4) != seq.At(5) {
		t.Error("a graph that is redrawn every 2 steps changes within them")
	}
	if _, ok := seq.Period(); ok {
		t.Error("a sequence with memory has a period")
	}
}

// runs describes how one edge of a sequence behaves in time.
type runs struct {
	on        int   // steps with the edge
	lengths   []int // of complete runs of steps with it
	begins    int   // steps without it that are followed by one with it
	off, ends int   // steps without it, but the last; steps with it followed by none
}

// watch follows each edge of a base over the steps.
func watch(seq topology.Sequence, base *topology.Graph, steps int) []runs {
	type edge struct{ from, to messages.NodeID }
	var edges []edge
	for j := range messages.NodeID(base.Nodes()) {
		for _, i := range base.Out(j) {
			edges = append(edges, edge{j, i})
		}
	}
	seen, current := make([]runs, len(edges)), make([]int, len(edges))
	for step := range steps {
		g := seq.At(step)
		for k, e := range edges {
			r := &seen[k]
			if g.HasEdge(e.from, e.to) {
				r.on++
				if current[k] == 0 && step > 0 {
					r.begins++
				}
				current[k]++
				continue
			}
			if step+1 < steps {
				r.off++
			}
			if current[k] > 0 {
				r.ends++
				r.lengths = append(r.lengths, current[k])
			}
			current[k] = 0
		}
	}
	return seen
}

// TestMarkovEdgesFollowTheirChain holds transitions to their rates: what an edge
// does at a step is, given all before, a trial with probability On or Off, so the
// sum of the trials' deviations is a martingale, and Azuma's bound for steps in
// an interval of length 1 is Hoeffding's: over m trials it exceeds m e with
// probability at most 2 exp(-2 m e^2). The number of trials is random but bounded
// by all, which the tolerance takes.
func TestMarkovEdgesFollowTheirChain(t *testing.T) {
	const n, steps, on, off = 40, 1500, 0.05, 0.2
	base := mustSequence(t, topology.Exponential{Nodes: n, Directed: true}).At(0) // 240 arcs
	seq := mustSequence(t, topology.MarkovEdges{On: on, Off: off, Directed: true, Base: base, Seed: 12})
	var total runs
	for _, r := range watch(seq, base, steps) {
		total.on += r.on
		total.off += r.off
		total.begins += r.begins
		total.ends += r.ends
		total.lengths = append(total.lengths, r.lengths...)
	}
	trials := float64(base.Edges() * steps)
	slack := hoeffding(base.Edges()*steps, 4) * trials
	if d := float64(total.begins) - on*float64(total.off); math.Abs(d) > slack {
		t.Errorf("%d of %d edges that were off came on, want a fraction of %v", total.begins, total.off, on)
	}
	if d := float64(total.ends) - off*float64(total.on); math.Abs(d) > slack+off*float64(base.Edges()) {
		t.Errorf("%d of %d edges that were on went off, want a fraction of %v", total.ends, total.on, off)
	}
	// The first step is stationary: independent edges, on with probability 1/5.
	const seeds = 200
	share := 0.
	for seed := range uint64(seeds) {
		g := mustSequence(t, topology.MarkovEdges{On: on, Off: off, Directed: true, Base: base, Seed: seed}).At(0)
		share += float64(g.Edges()) / float64(base.Edges()) / seeds
	}
	if want := on / (on + off); math.Abs(share-want) > hoeffding(base.Edges()*seeds, 4) {
		t.Errorf("at the first step a share of %v is on, want %v", share, want)
	}
	// A run is longer than 5 steps with probability (1-off)^5. Runs that begin are
	// independent of each other's lengths but for the end of the horizon, which
	// cuts at most one an edge.
	long := 0
	for _, length := range total.lengths {
		if length > 5 {
			long++
		}
	}
	m := len(total.lengths)
	tolerance := hoeffding(m, 4) + 2*float64(base.Edges())/float64(m)
	if got, want := float64(long)/float64(m), math.Pow(1-off, 5); math.Abs(got-want) > tolerance {
		t.Errorf("a share of %v of %d runs is longer than 5 steps, want %v within %v", got, m, want, tolerance)
	}
}

// TestMarkovEdgesExtremes: nothing moves, everything alternates, both directions
// go together or apart.
func TestMarkovEdgesExtremes(t *testing.T) {
	base := mustSequence(t, topology.Complete{Nodes: 20, SelfLoops: true}).At(0)
	alternating := mustSequence(t, topology.MarkovEdges{On: 1, Off: 1, Base: base, Seed: 4})
	apart := mustSequence(t, topology.MarkovEdges{On: 0.5, Off: 0.5, Directed: true, Base: base, Seed: 4}).At(3)
	checkPattern(t, apart, 20, false)
	if apart.Symmetric() {
		t.Error("directions come and go together")
	}
	for step := range 4 {
		now, next := alternating.At(step), alternating.At(step+1)
		checkPattern(t, now, 20, true)
		if now.Edges()+next.Edges() != 20*19 || !sameGraph(now, alternating.At(step+2)) {
			t.Errorf("steps %d and %d are no complements", step, step+1)
		}
	}
}

// TestStochasticBlocksDrift: with blocks apart, an edge says that two nodes share
// a block, and with all edges inside there the blocks can be read off. Each node
// changes its block between draws with probability Drift, independently.
func TestStochasticBlocksDrift(t *testing.T) {
	const n, draws, drift = 30, 3000, 0.01
	seq := mustSequence(t, topology.StochasticBlock{
		Nodes: n, Blocks: 2, Within: 1, Drift: drift, Redraw: topology.Redraw{Every: 1, Seed: 6}})
	// Up to the names of the two blocks: who is with node 1.
	together := func(step int) (with [n]bool) {
		for _, j := range seq.At(step).Out(0) {
			with[j] = true
		}
		return with
	}
	last := together(0)
	for v := 1; v < n; v++ {
		if last[v] != (v < n/2) {
			t.Fatalf("node %d with node 1: %v, want two halves", v+1, last[v])
		}
	}
	changes := 0
	for step := 1; step < draws; step++ {
		now := together(step)
		for v := 1; v < n; v++ {
			if now[v] != last[v] {
				changes++
			}
		}
		last = now
	}
	// v's being with node 1 changes if exactly one of the two moves. Per draw the
	// share of the nodes that do is a number in [0, 1], independent between draws.
	want, got := 2*drift*(1-drift), float64(changes)/float64((n-1)*(draws-1))
	if math.Abs(got-want) > hoeffding(draws-1, 1) || changes == 0 {
		t.Errorf("a node changes sides of node 1 with frequency %v, want %v", got, want)
	}
}
