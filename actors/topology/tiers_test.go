package topology_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// TestTiers: a cloud, two edge servers and three clients each, by hand.
func TestTiers(t *testing.T) {
	g := topology.Tiers{Fan: []int{2, 3}}
	sequence, err := g.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	graph := sequence.At(0)
	want := [][]messages.NodeID{{7, 8}, {7}, {7}, {7}, {8}, {8}, {8}, {0, 1, 2, 3}, {0, 4, 5, 6}}
	for node, neighbours := range want {
		if in, _ := graph.In(messages.NodeID(node)); !slices.Equal(in, neighbours) {
			t.Errorf("node %d hears %v, want %v", node, in, neighbours)
		}
	}
	if above := fmt.Sprint(g.Above(4), g.Above(3)); above != "[8 0] [7 0]" {
		t.Errorf("above clients 4 and 3 are %s", above)
	}
}

// TestTiersAreATree: every node but the top has one server above it, which has it below, whatever
// the numbers of levels and nodes.
func TestTiersAreATree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Tiers{Fan: rapid.SliceOfN(rapid.IntRange(1, 4), 2, 4).Draw(t, "fan")}
		above := make([]int, g.Nodes())
		for level := range g.Levels() {
			first, end := g.Servers(level)
			for server := first; server < end; server++ {
				below, last := g.Below(level, int(server-first))
				for node := below; node < last; node++ {
					if above[node]++; level == g.Levels()-1 && g.Above(node)[0] != server {
						t.Errorf("server %d is above client %d, which has %v", server, node, g.Above(node))
					}
				}
			}
		}
		for node, count := range above {
			if want := min(node, 1); count != want {
				t.Errorf("node %d has %d servers above it", node, count)
			}
		}
		sequence, err := g.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		if edges := sequence.At(0).Edges(); edges != 2*(g.Nodes()-1) {
			t.Errorf("%d edges of %d nodes", edges, g.Nodes())
		}
	})
}

// TestTiersRefuse: levels that are too few, and empty ones.
func TestTiersRefuse(t *testing.T) {
	for _, fan := range [][]int{nil, {4}, {2, 0}, {0, 2}, {1 << 20, 1 << 20}} {
		if err := (topology.Tiers{Fan: fan}).Validate(); err == nil {
			t.Errorf("%v is not refused", fan)
		}
	}
}

// TestTierLevels: Level and Parent agree with Servers and Below.
func TestTierLevels(t *testing.T) {
	for _, fan := range [][]int{{2, 3}, {1, 2, 3}, {3, 1, 2, 2}, {1, 1}} {
		g := topology.Tiers{Fan: fan}
		seen := map[messages.NodeID]bool{0: true}
		if got := g.Level(0); got != 0 {
			t.Errorf("%v: the top is of level %d", fan, got)
		}
		for level := range g.Levels() {
			first, end := g.Servers(level)
			for node := first; node < end; node++ {
				below, last := g.Below(level, int(node-first))
				for child := below; child < last; child++ {
					place := int(child) - 1
					if level+1 < g.Levels() {
						start, _ := g.Servers(level + 1)
						place = int(child - start)
					}
					if got := g.Level(child); got != level+1 || g.Parent(level+1, place) != node {
						t.Errorf("%v: node %d is of level %d below %d, want %d below %d", fan, child, got, g.Parent(level+1, place), level+1, node)
					}
					seen[child] = true
				}
			}
		}
		if len(seen) != g.Nodes() {
			t.Errorf("%v: %d nodes of %d", fan, len(seen), g.Nodes())
		}
	}
}
