package topology_test

import (
	"encoding/binary"
	"hash/fnv"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// digest hashes the edges of a graph: the senders of each node, in order.
func digest(g *topology.Graph) uint64 {
	h := fnv.New64a()
	var word [4]byte
	write := func(v messages.NodeID) {
		binary.LittleEndian.PutUint32(word[:], uint32(v))
		h.Write(word[:])
	}
	for i := range messages.NodeID(g.Nodes()) {
		from, _ := g.In(i)
		write(messages.NodeID(len(from)))
		for _, j := range from {
			write(j)
		}
	}
	return h.Sum64()
}

// TestDrawsStayAsTheyAre pins what each generator draws: if one of these values
// changes, runs of earlier builds that used the generator cannot be reproduced.
func TestDrawsStayAsTheyAre(t *testing.T) {
	const n = 40
	every := topology.Redraw{Every: 1, Seed: 2024}
	base := mustSequence(t, topology.Torus{Nodes: n, Sides: []int{5, 8}}).At(0)
	tests := []struct {
		name    string
		options generator
		want    uint64
	}{
		{"erdos-renyi", topology.ErdosRenyi{Nodes: n, Probability: 0.1, Redraw: every}, 0xc9f71de5160a576a},
		{"directed erdos-renyi", topology.ErdosRenyi{Nodes: n, Probability: 0.1, Directed: true, Redraw: every}, 0x66a4fed75a58ae56},
		{"k-out", topology.KOut{Nodes: n, Degree: 3, Directed: true, Redraw: every}, 0xe05993f8a6f235c1},
		{"regular", topology.RandomRegular{Nodes: n, Degree: 3, Redraw: every}, 0xc1d821a1e2d57935},
		{"directed regular", topology.RandomRegular{Nodes: n, Degree: 3, Directed: true, Redraw: every}, 0xfaf16c7d7cd2cd05},
		{"small world", topology.SmallWorld{Nodes: n, Neighbours: 4, Rewire: 0.3, Redraw: every}, 0x6a3ca2415b3143fc},
		{"preferential", topology.PreferentialAttachment{Nodes: n, Edges: 2, Redraw: every}, 0xac9dd500f8a9b0b9},
		{"matching", topology.Matching{Nodes: n, Redraw: every}, 0x3931759217b235e5},
		{"matching on a base", topology.Matching{Nodes: n, Base: base, Redraw: every}, 0x8130f0fd52431aae},
		{"blocks", topology.StochasticBlock{Nodes: n, Blocks: 3, Within: 0.4, Between: 0.02, Drift: 0.1, Redraw: every}, 0x9626d77d97d449ff},
		{"geometric", topology.Geometric{Nodes: n, Radius: 0.2, SpeedMin: 0.01, SpeedMax: 0.1, Pause: 1, Seed: 2024}, 0x5a088153a5590582},
		{"markov", topology.MarkovEdges{On: 0.1, Off: 0.2, Base: base, Seed: 2024}, 0x2632d719e89a59b9},
	}
	for _, test := range tests {
		if got := digest(mustSequence(t, test.options).At(37)); got != test.want {
			t.Errorf("%s: step 38 has digest %#x, want %#x", test.name, got, test.want)
		}
	}
}
