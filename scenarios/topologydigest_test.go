package scenarios_test

import (
	"strings"
	"testing"

	"starling/scenarios"

	"starling/scenarios/runner"
	"starling/scenarios/testneeds"
)

// everyNetwork are topologies of every kind that averaging over a graph takes,
// directed and not, that stay, repeat, are drawn anew, remember, move, and have
// events.
var everyNetwork = []string{
	"{kind: ring}", "{kind: complete}", "{kind: complete, self_loops: true}", "{kind: circulant, degree: 3}",
	"{kind: permutations, degree: 3}", "{kind: permutations, degree: 2, every: 2}",
	"{kind: path}", "{kind: path, directed: true, IN}", "{kind: torus, sides: [4, 4]}", "{kind: torus, sides: [4, 4], directed: true, IN}",
	"{kind: hypercube}", "{kind: exponential}", "{kind: exponential, directed: true, IN}", "{kind: one-peer}", "{kind: one-peer, directed: true, IN}",
	"{kind: erdos-renyi, probability: 0.2}", "{kind: erdos-renyi, probability: 0.2, directed: true, every: 1, IN}",
	"{kind: k-out, degree: 2, every: 3}", "{kind: k-out, degree: 2, directed: true, every: 1, IN}",
	"{kind: random-regular, degree: 3, every: 2}", "{kind: random-regular, degree: 3, directed: true, IN}",
	"{kind: small-world, neighbours: 4, rewire: 0.3}", "{kind: small-world, neighbours: 3, rewire: 0.3, directed: true, every: 1, IN}",
	"{kind: preferential-attachment, edges: 2, every: 1}", "{kind: matching, every: 1}",
	"{kind: matching, every: 1, base: {kind: torus, sides: [4, 4]}}",
	"{kind: stochastic-block, blocks: 3, within: 0.6, between: 0.1, drift: 0.2, every: 1}",
	"{kind: stochastic-block, blocks: 3, within: 0.6, between: 0.1, directed: true, IN}",
	"{kind: geometric, radius: 0.4}", "{kind: geometric, radius: 0.4, speed_min: 0.02, speed_max: 0.1, pause: 1}",
	"{kind: geometric, radius: 0.4, spread: 0.5, speed_min: 0.02, speed_max: 0.1, IN}",
	"{kind: markov-edges, on: 0.2, off: 0.4, base: {kind: hypercube}}",
	"{kind: markov-edges, on: 0.2, off: 0.4, directed: true, base: {kind: complete}, IN}",
	"{kind: cycle, every: 2, parts: [{kind: ring}, {kind: k-out, degree: 2, every: 1}, {kind: matching, every: 1}]}",
	"{kind: cycle, phases: [{from: 1, every: 1}, {from: 4, every: 2}], parts: [{kind: ring}, {kind: path}]}",
	"{kind: union, parts: [{kind: ring}, {kind: k-out, degree: 2, every: 1}, {kind: complete, schedule: {every: 3}}], IN}", "{kind: empty}",
	"{kind: clusters, clusters: 4, inside: {kind: ring}, edge: {every: 3}, cloud: {every: 5}}",
	"{kind: clusters, clusters: 2, inside: {kind: k-out, degree: 2, every: 1}, edge: {probability: 0.2}, cloud: {phases: [{from: 2, every: 4}]}}",
	"{kind: clusters, sizes: [5, 4, 7], inside: {kind: path}, edge: {every: 2}, cloud: {every: 3}}",
	"{kind: torus, sides: [4, 4], schedule: {every: 3}}", "{kind: torus, sides: [4, 4], schedule: {every: 3, offsets: [0, 1]}, IN}",
	"{kind: k-out, degree: 2, directed: true, every: 1, schedule: {probability: 0.5, each: true}, IN}",
	"{kind: torus, sides: [4, 4], schedule: {clocks: [1, 3]}, IN}", "{kind: matching, every: 1, clocks: [1]}",
	"{kind: matching, every: 1, clocks: [1, 2], base: {kind: torus, sides: [4, 4]}}",
	"{kind: small-world, neighbours: 4, rewire: 0.3, every: 5, events: [{at: 3, crash: 2}, {at: 6, recover: 2, partition: [[1, 2, 3]]}, {at: 9, heal: true, rewire: {remove: [[1, 2]]}}], METROPOLIS}",
}

// Whatever the network, and however it changes, a run has one digest: in
// lockstep, where the graphs are asked for in order, and in actors over any
// number of shards.
func TestDigestOfEveryNetwork(t *testing.T) {
	shortened := strings.NewReplacer("IN}", "weighting: {scheme: uniform-in, self_loops: true}}", "METROPOLIS}", "weighting: {scheme: metropolis}}")
	digests := map[string]string{}
	for _, text := range everyNetwork {
		t.Run(text, func(t *testing.T) {
			network := "topology=" + strings.TrimSuffix(shortened.Replace(text), "}") + ", weights: unchecked}"
			s := loadText(t, base, "nodes=16", "seeds.count=1", network)
			want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
			for i, shards := range []int{3, 1, 16} {
				if !testneeds.Some(i, 3) {
					continue
				}
				if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}).Digest; got != want {
					t.Errorf("%d shards: %s, lockstep %s", shards, got, want)
				}
			}
			if other, ok := digests[want]; ok {
				t.Errorf("%s has the same digest", other)
			}
			digests[want] = text
		})
	}
}

// Every kind of network in the catalog that goes with averaging over a graph is
// among those above, but for those that hold matrices or files.
func TestEveryNetworkIsOfEveryKind(t *testing.T) {
	const others = " printed matrices star tiers edge-list graphml "
	for _, kind := range scenarios.Catalog().Topologies {
		if strings.Contains(others, " "+kind.Kind+" ") {
			continue
		}
		if !strings.Contains(strings.Join(everyNetwork, "\n"), "{kind: "+kind.Kind) {
			t.Errorf("there is no %s", kind.Kind)
		}
	}
}
