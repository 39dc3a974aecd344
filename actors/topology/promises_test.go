package topology_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// promise is what a generator's comment says of every graph it makes.
type promise struct {
	symmetric bool // whoever hears a node is heard by it
	connected bool // every step is strongly connected
	window    int  // every window of so many steps is; 0 says nothing
	doubly    bool // doubly stochastic as it comes
	regular   int  // in- and out-degree without self-loops; -1 says nothing
}

// promised are generators of random parameters under a seed, drawn anew every so
// many steps, and what they promise.
func promised(t *rapid.T, seed uint64, every int) map[string]struct {
	generator
	promise
} {
	n := rapid.IntRange(4, 24).Draw(t, "nodes")
	degree := rapid.IntRange(1, n-2).Draw(t, "degree")
	p := rapid.Float64Range(0, 1).Draw(t, "probability")
	redraw := topology.Redraw{Every: every, Seed: seed}
	moving := topology.Geometric{Nodes: n, Radius: 0.1 + p, Seed: seed}
	if every > 0 {
		moving.SpeedMin, moving.SpeedMax = 0.05, 0.2
	}
	doublings := 0
	for 1<<doublings < n {
		doublings++
	}
	dimension := rapid.IntRange(1, 4).Draw(t, "dimension")
	sides := []int{rapid.IntRange(3, 5).Draw(t, "side"), rapid.IntRange(3, 5).Draw(t, "side")}
	even := n + n%2
	base, err := topology.SmallWorld{Nodes: n, Neighbours: 2, Rewire: p, Redraw: topology.Redraw{Seed: seed}}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]struct {
		generator
		promise
	}{
		"ring":            {topology.Ring{Nodes: n}, promise{connected: true, doubly: true, regular: 1}},
		"complete":        {topology.Complete{Nodes: n}, promise{symmetric: true, connected: true, doubly: true, regular: n - 1}},
		"circulant":       {topology.Circulant{Nodes: n, Degree: degree}, promise{connected: true, doubly: true, regular: degree}},
		"star":            {topology.Star{Leaves: n}, promise{symmetric: true, connected: true, regular: -1}},
		"path":            {topology.Path{Nodes: n}, promise{symmetric: true, connected: true, regular: -1}},
		"path, directed":  {topology.Path{Nodes: n, Directed: true}, promise{regular: -1}},
		"torus":           {topology.Torus{Nodes: sides[0] * sides[1], Sides: sides}, promise{symmetric: true, connected: true, regular: 4}},
		"torus, directed": {topology.Torus{Nodes: sides[0] * sides[1], Sides: sides, Directed: true}, promise{connected: true, regular: 2}},
		"hypercube":       {topology.Hypercube{Nodes: 1 << dimension}, promise{symmetric: true, connected: true, regular: dimension}},
		"exponential":     {topology.Exponential{Nodes: n}, promise{symmetric: true, connected: true, regular: -1}},
		"exponential, directed": {topology.Exponential{Nodes: n, Directed: true},
			promise{connected: true, regular: doublings}},
		"one-peer, directed": {topology.OnePeer{Nodes: n, Directed: true}, promise{window: doublings, regular: 1}},
		"one-peer":           {topology.OnePeer{Nodes: 1 << dimension}, promise{symmetric: true, window: dimension, regular: 1}},
		"permutations":       {topology.Permutations{Nodes: n, Degree: degree, Every: every, Seed: seed}, promise{doubly: true, regular: degree}},
		"erdos-renyi":        {topology.ErdosRenyi{Nodes: n, Probability: p, Redraw: redraw}, promise{symmetric: true, regular: -1}},
		"erdos-renyi, directed": {topology.ErdosRenyi{Nodes: n, Probability: p, Directed: true, Redraw: redraw},
			promise{regular: -1}},
		"k-out":           {topology.KOut{Nodes: n, Degree: degree, Redraw: redraw}, promise{symmetric: true, regular: -1}},
		"k-out, directed": {topology.KOut{Nodes: n, Degree: degree, Directed: true, Redraw: redraw}, promise{regular: -1}},
		"random-regular":  {topology.RandomRegular{Nodes: even, Degree: degree, Redraw: redraw}, promise{symmetric: true, regular: degree}},
		"random-regular, directed": {topology.RandomRegular{Nodes: n, Degree: degree, Directed: true, Redraw: redraw},
			promise{regular: degree}},
		"small-world": {topology.SmallWorld{Nodes: n, Neighbours: 2, Rewire: p, Redraw: redraw}, promise{symmetric: true, regular: -1}},
		"small-world, directed": {topology.SmallWorld{Nodes: n, Neighbours: degree, Rewire: p, Directed: true, Redraw: redraw},
			promise{regular: -1}},
		"preferential-attachment": {topology.PreferentialAttachment{Nodes: n, Edges: rapid.IntRange(1, 3).Draw(t, "edges"), Redraw: redraw},
			promise{symmetric: true, connected: true, regular: -1}},
		"geometric": {moving, promise{symmetric: true, regular: -1}},
		"stochastic-block": {topology.StochasticBlock{Nodes: n, Blocks: 2, Within: p, Between: p / 2, Redraw: redraw},
			promise{symmetric: true, regular: -1}},
		"stochastic-block, directed": {topology.StochasticBlock{Nodes: n, Blocks: 2, Within: p, Between: p / 2, Directed: true, Redraw: redraw},
			promise{regular: -1}},
		"matching":           {topology.Matching{Nodes: even, Redraw: redraw}, promise{symmetric: true, regular: 1}},
		"matching by clocks": {topology.Matching{Nodes: n, Ticks: topology.Ticks{Clocks: []float64{1, 2}}, Redraw: topology.Redraw{Every: max(1, redraw.Every), Seed: redraw.Seed}}, promise{symmetric: true, regular: -1}},
		"matching on a base": {topology.Matching{Nodes: n, Base: base.At(0), Redraw: redraw}, promise{symmetric: true, regular: -1}},
		"markov-edges":       {topology.MarkovEdges{On: p, Off: 1 - p, Base: base.At(0), Seed: seed}, promise{symmetric: true, regular: -1}},
	}
}

// TestEveryPromise holds every generator, over random parameters, seeds and
// steps, to what it promises: degrees, symmetry, weights, connectivity over its
// window, and weights by every scheme that fits.
func TestEveryPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, step := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 30).Draw(t, "step")
		for name, test := range promised(t, seed, rapid.IntRange(0, 3).Draw(t, "every")) {
			sequence, err := test.Sequence()
			if err != nil {
				t.Fatalf("%s, %+v: %v", name, test.generator, err)
			}
			if fault := test.broken(sequence, step); fault != "" {
				t.Fatalf("%s, %+v, step %d: %s", name, test.generator, step, fault)
			}
		}
	})
}

// broken says what of a promise a step does not keep.
func (p promise) broken(sequence topology.Sequence, step int) string {
	g := sequence.At(step)
	own := messages.NodeID(0)
	d := topology.Degrees(g)
	_, count := topology.Components(g)
	switch {
	case p.symmetric && !g.Symmetric():
		return "it is not symmetric"
	case p.connected && count != 1:
		return fmt.Sprintf("it has %d components", count)
	case p.regular >= 0 && (d.MinIn != p.regular || d.MaxIn != p.regular || d.MinOut != p.regular || d.MaxOut != p.regular):
		return fmt.Sprintf("degrees %+v, want %d", d, p.regular)
	case !p.doubly && (g.HasEdge(own, own) || g.SelfLoops() != 0):
		return "a pattern with self-loops"
	}
	if p.doubly {
		if err := topology.CheckWeights(g, 1e-12); err != nil {
			return err.Error()
		}
	}
	if p.window > 0 {
		if err := topology.CheckWindows(sequence, step+2*p.window, p.window); err != nil {
			return err.Error()
		}
	}
	return p.misweighted(g)
}

// misweighted says which scheme does not give the weights that it promises.
func (p promise) misweighted(g *topology.Graph) string {
	schemes := []topology.Weighting{{Scheme: topology.UniformIn, SelfLoops: true}, {Scheme: topology.UniformOut, SelfLoops: true}}
	if p.symmetric {
		schemes = append(schemes, topology.Weighting{Scheme: topology.Metropolis}, topology.Weighting{Scheme: topology.LazyMetropolis})
	}
	for _, weighting := range schemes {
		weighted, err := weighting.Apply(g)
		if err == nil {
			err = weighting.Scheme.Sums().Check(weighted, 1e-12)
		}
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// TestOrderOfEvaluation asks every generator for its graphs in a random order,
// from several goroutines at once, and in order: a graph is a function of
// parameters, seed and step alone.
func TestOrderOfEvaluation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const steps = 24
		seed := rapid.Uint64().Draw(t, "seed")
		for name, test := range promised(t, seed, rapid.IntRange(0, 3).Draw(t, "every")) {
			inOrder, err := test.Sequence()
			if err != nil {
				t.Fatal(err)
			}
			atOnce, err := test.Sequence()
			if err != nil {
				t.Fatal(err)
			}
			var want, got [steps]*topology.Graph
			for step := range steps {
				want[step] = inOrder.At(step)
			}
			order := rand.New(rand.NewPCG(seed, 1)).Perm(steps)
			var running sync.WaitGroup
			for part := range slices.Chunk(order, steps/3) {
				running.Go(func() {
					for _, step := range part {
						got[step] = atOnce.At(step)
					}
				})
			}
			running.Wait()
			for step := range steps {
				if !equal(want[step], got[step]) {
					t.Fatalf("%s, %+v: step %d is another graph in another order", name, test.generator, step)
				}
			}
		}
	})
}

// equal reports whether two graphs have the same edges and weights.
func equal(a, b *topology.Graph) bool {
	if a.Nodes() != b.Nodes() {
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
