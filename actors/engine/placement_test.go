package engine

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// Every participant is in one shard, none of which is empty, and there are no more than
// asked for. Where nobody belongs beside anybody shards are consecutive ranges, none
// larger than the first; else those who belong beside one node are in one shard with it.
func TestPlacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20_000).Draw(t, "n")
		var beside func(messages.NodeID) messages.NodeID
		switch rapid.IntRange(0, 2).Draw(t, "beside") {
		case 1: // a client for each learner, or so
			learners := messages.NodeID(rapid.IntRange(1, n).Draw(t, "learners"))
			beside = func(i messages.NodeID) messages.NodeID { return i % learners }
		case 2:
			n = min(n, 200)
			list := runtimetest.DrawBeside(t, n)
			beside = func(i messages.NodeID) messages.NodeID { return list[i] }
		}
		asked := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, n+5)).Draw(t, "shards")
		p := placeShards(n, asked, beside)
		if asked > 0 && p.Shards() > asked {
			t.Fatalf("%d shards, %d asked for", p.Shards(), asked)
		}
		checkPlacement(t, p, beside)
		checkOwners(t, p)
		together := placeTogether(n, beside)
		checkPlacement(t, together, beside)
		checkOwners(t, together)
		if beside == nil && together.Shards() > max(3, (n+8191)/8192) {
			t.Fatalf("%d shards of %d nodes who wait for each other", together.Shards(), n)
		}
	})
}

func checkPlacement(t *rapid.T, p *placement, beside func(messages.NodeID) messages.NodeID) {
	seen, lowest := 0, messages.NodeID(-1)
	for s := range p.Shards() {
		nodes := &p.Nodes[s]
		for i, node := range nodes.All() {
			if p.ShardOf(node) != s || nodes.Below(node) != i {
				t.Fatalf("node %d is in shard %d at %d, not in %d at %d", node, s, i, p.ShardOf(node), nodes.Below(node))
			}
			if i == 0 && node <= lowest {
				t.Fatalf("shard %d begins with node %d, the one before with %d", s, node, lowest)
			} else if i == 0 {
				lowest = node
			}
			if beside != nil && p.ShardOf(beside(node)) != s {
				t.Fatalf("node %d is in shard %d, and node %d, beside which it belongs, in %d", node, s, beside(node), p.ShardOf(beside(node)))
			}
			if beside == nil && int(node) != seen {
				t.Fatalf("node %d comes in place %d", node, seen)
			}
			seen++
		}
		if nodes.Len() < 1 || beside == nil && nodes.Len() > p.Nodes[0].Len() {
			t.Fatalf("%d nodes in shard %d, %d in the first", nodes.Len(), s, p.Nodes[0].Len())
		}
	}
	if seen != p.N {
		t.Fatalf("%d nodes in shards, want %d", seen, p.N)
	}
}

// checkOwners holds the blocks of a shard to what they are.
func checkOwners(t *rapid.T, p *placement) {
	blocks := make([][]int32, p.Shards())
	for b := range p.Owners {
		owner := p.ShardOf(messages.NodeID(b * messages.BlockSize))
		for node := b * messages.BlockSize; node < min((b+1)*messages.BlockSize, p.N); node++ {
			if p.ShardOf(messages.NodeID(node)) != owner {
				owner = scattered
				break
			}
		}
		if int(p.Owners[b]) != owner {
			t.Fatalf("block %d is in shard %d, want %d", b, p.Owners[b], owner)
		}
		if owner != scattered {
			blocks[owner] = append(blocks[owner], int32(b))
		}
	}
	if diff := cmp.Diff(blocks, p.Blocks, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
}

// Of a server, learners and a client for each, no edge but the server's leaves a shard, and
// shards have whole blocks of learners.
func TestPairsAreInOneShard(t *testing.T) {
	const learners = 1000
	var edges []topology.Edge
	for i := range messages.NodeID(learners) {
		edges = append(edges, topology.Edge{From: 0, To: 1 + i, Weight: 1}, topology.Edge{From: 1 + i, To: 0, Weight: 1},
			topology.Edge{From: 1 + learners + i, To: 1 + i, Weight: 1})
	}
	graph, err := topology.FromEdges(1+2*learners, edges)
	if err != nil {
		t.Fatal(err)
	}
	p := placeShards(1+2*learners, 0, func(i messages.NodeID) messages.NodeID {
		if i > learners {
			return i - learners
		}
		return i
	})
	first := 0 // learners in the server's shard
	for _, node := range p.Nodes[0].All() {
		if 0 < node && node <= learners {
			first++
		}
	}
	if got, want := p.Crossing(graph), 2*(learners-first); got != want {
		t.Errorf("%d edges cross, want the server's %d", got, want)
	}
	if first%messages.BlockSize != messages.BlockSize-1 || p.Shards() < 4 {
		t.Errorf("%d shards, and %d learners in the first", p.Shards(), first)
	}
}

// links against their definition, edge by edge, whoever sends and reads: more exchanges
// than are kept, in turn.
func TestLinksAreTheEdgesBetweenShards(t *testing.T) {
	for name, sequence := range runtimetest.Graphs(13) {
		for _, shards := range []int{1, 2, 5, 13} {
			place := placeShards(13, shards, nil)
			graph := sequence.At(2)
			all := exchange{Senders: place.All(), Readers: place.All()}
			if diff := cmp.Diff(linksOf(place, graph, all), place.newStore(graph, nil).All()); diff != "" {
				t.Errorf("%s in %d shards (-want +got):\n%s", name, shards, diff)
			}
			store := place.newStore(graph, nil)
			for k := range messages.NodeID(50) {
				e := exchange{Senders: algorithm.Range{First: k % 10, End: 11}, Readers: algorithm.Range{First: 1, End: 13 - k%10}}
				if diff := cmp.Diff(linksOf(place, graph, e), store.Between(e)); diff != "" {
					t.Errorf("%s in %d shards, %+v (-want +got):\n%s", name, shards, e, diff)
				}
			}
		}
	}
}

func linksOf(place *placement, graph *topology.Graph, e exchange) *shardLinks {
	l := &shardLinks{Sources: make([]int32, place.Shards()), Targets: make([][]int32, place.Shards())}
	for from := range int32(place.Shards()) {
		for to := range int32(place.Shards()) {
			linked := false
			for j := e.Senders.First; j < e.Senders.End; j++ {
				for i := e.Readers.First; i < e.Readers.End; i++ {
					linked = linked || graph.HasEdge(j, i) && place.ShardOf(j) == int(from) && place.ShardOf(i) == int(to)
				}
			}
			if linked && from != to {
				l.Sources[to]++
				l.Targets[from] = append(l.Targets[from], to)
			}
		}
	}
	return l
}

// The layout gives processes about the same work, and cuts where few edges are.
func TestLayouts(t *testing.T) {
	// Two dense halves of unequal size, joined by one edge.
	const n, half = 1000, 480
	var edges []topology.Edge
	for i := range n {
		for k := 1; k <= 4; k++ {
			j := i + k
			if (i < half) == (j < half) && j < n {
				edges = append(edges, topology.Edge{From: messages.NodeID(i), To: messages.NodeID(j), Weight: 1})
			}
		}
	}
	edges = append(edges, topology.Edge{From: 0, To: n - 1, Weight: 1})
	graph, err := topology.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	divided := func(shards, processes int) layout {
		p := placeSpread(n, shards, processes, nil)
		return p.Layout(graph, p.Divide(graph, processes), processes)
	}
	l := divided(100, 2)
	if want := (layout{Nodes: []int{half, n - half}, Edges: len(edges), Crossing: 1}); fmt.Sprint(l) != fmt.Sprint(want) {
		t.Errorf("layout %v, want %v", l, want)
	}
	for processes := 1; processes <= 7; processes++ {
		l := divided(0, processes)
		total := 0
		for _, count := range l.Nodes {
			if total += count; count < n/processes/2 || count > 2*n/processes {
				t.Errorf("%d processes have %v", processes, l.Nodes)
			}
		}
		if total != n {
			t.Errorf("%d processes have %d nodes", processes, total)
		}
	}
}
