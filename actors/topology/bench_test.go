package topology_test

import (
	"fmt"
	"math"
	"testing"

	"starling/actors/topology"
)

// large are generators of 100,000 nodes of mean degree 6 or so.
func large() []generator {
	const n = 100_000
	once := topology.Redraw{Seed: 1}
	return []generator{
		topology.Path{Nodes: n},
		topology.Torus{Nodes: n, Sides: []int{100, 100, 10}},
		topology.Hypercube{Nodes: 1 << 17},
		topology.Exponential{Nodes: n, Directed: true},
		topology.OnePeer{Nodes: n, Directed: true},
		topology.KOut{Nodes: n, Degree: 6, Directed: true, Redraw: once},
		topology.KOut{Nodes: n, Degree: 3, Redraw: once},
		topology.ErdosRenyi{Nodes: n, Probability: 6. / n, Directed: true, Redraw: once},
		topology.ErdosRenyi{Nodes: n, Probability: 6. / n, Redraw: once},
		topology.RandomRegular{Nodes: n, Degree: 6, Directed: true, Redraw: once},
		topology.RandomRegular{Nodes: n, Degree: 6, Redraw: once},
		topology.SmallWorld{Nodes: n, Neighbours: 6, Rewire: 0.1, Redraw: once},
		topology.PreferentialAttachment{Nodes: n, Edges: 3, Redraw: once},
		topology.StochasticBlock{Nodes: n, Blocks: 10, Within: 30. / n, Between: 3. / n, Redraw: once},
		topology.Geometric{Nodes: n, Radius: math.Sqrt(6 / (math.Pi * n)), Seed: 1},
		topology.Matching{Nodes: n, Redraw: once},
	}
}

// BenchmarkGenerators makes each generator's graphs.
func BenchmarkGenerators(b *testing.B) {
	for _, g := range large() {
		b.Run(fmt.Sprintf("%T", g)[len("topology."):], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustSequence(b, g)
			}
		})
	}
}

// BenchmarkSteps makes the next graph of sequences with memory, in order.
func BenchmarkSteps(b *testing.B) {
	const n = 100_000
	base := mustSequence(b, topology.RandomRegular{Nodes: n, Degree: 12, Redraw: topology.Redraw{Seed: 1}}).At(0)
	sequences := map[string]topology.Sequence{
		"markov": mustSequence(b, topology.MarkovEdges{On: 0.1, Off: 0.1, Base: base, Seed: 1}),
		"waypoint": mustSequence(b, topology.Geometric{
			Nodes: n, Radius: math.Sqrt(6 / (math.Pi * n)), SpeedMin: 0.001, SpeedMax: 0.01, Pause: 3, Seed: 1}),
		"blocks": mustSequence(b, topology.StochasticBlock{
			Nodes: n, Blocks: 10, Within: 30. / n, Between: 3. / n, Drift: 0.01, Redraw: topology.Redraw{Every: 1, Seed: 1}}),
	}
	for _, name := range []string{"markov", "waypoint", "blocks"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			step := 0
			for b.Loop() {
				sequences[name].At(step)
				step++
			}
		})
	}
}

// BenchmarkWeights weights an undirected graph of 100,000 nodes and degree 6.
func BenchmarkWeights(b *testing.B) {
	g := mustSequence(b, topology.RandomRegular{Nodes: 100_000, Degree: 6, Redraw: topology.Redraw{Seed: 1}}).At(0)
	for _, scheme := range topology.Schemes() {
		b.Run(string(scheme), func(b *testing.B) {
			for b.Loop() {
				if _, err := (topology.Weighting{Scheme: scheme}).Apply(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAnalysis measures a graph of 10,000 nodes.
func BenchmarkAnalysis(b *testing.B) {
	pattern := mustSequence(b, topology.ErdosRenyi{Nodes: 10_000, Probability: 12e-4, Redraw: topology.Redraw{Seed: 1}}).At(0)
	g, err := topology.Weighting{Scheme: topology.Metropolis}.Apply(pattern)
	if err != nil {
		b.Fatal(err)
	}
	seq := topology.Static(g)
	analyses := []struct {
		name string
		run  func() error
	}{
		{"gap", func() error { _, err := topology.SpectralGap(g); return err }},
		{"mixing", func() error { _, err := topology.MixingTime(seq, 0, 10_000, 0.25); return err }},
		{"spread", func() error { _, err := topology.Spread(seq, 0, 10_000); return err }},
		{"components", func() error { topology.Components(g); return nil }},
	}
	for _, analysis := range analyses {
		b.Run(analysis.name, func(b *testing.B) {
			for b.Loop() {
				if err := analysis.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
