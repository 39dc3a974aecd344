package topology_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// TestServers: clusters of two and three nodes, their edge servers 5 and 6, and the cloud 7, by hand.
func TestServers(t *testing.T) {
	every := func(n int) *topology.Times { return (&topology.Schedule{Every: n}).Times(5, 0) }
	s, err := topology.NewServers([]int{2, 3}, every(2), every(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := topology.Ring{Nodes: 5}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	links := s.Links(ring)
	for step, want := range map[int][][]messages.NodeID{ // steps count from 0
		0: {{0, 4}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, nil, nil, nil},
		1: {{5}, {5}, {6}, {6}, {6}, {0, 1}, {2, 3, 4}, nil},
		2: {{5}, {5}, {6}, {6}, {6}, {0, 1, 7}, {2, 3, 4, 7}, {5, 6}},
		5: {{5}, {5}, {6}, {6}, {6}, {0, 1, 7}, {2, 3, 4, 7}, {5, 6}}, // of both schedules
	} {
		for node, senders := range want {
			if in, _ := links.At(step).In(messages.NodeID(node)); !slices.Equal(in, senders) {
				t.Errorf("step %d: %d hears %v, want %v", step, node, in, senders)
			}
		}
	}
	if _, weights := links.At(2).In(7); fmt.Sprint(weights) != "[0.4 0.6]" {
		t.Errorf("the cloud weighs %v", weights)
	}
	if got := fmt.Sprint(s.Hops(0), s.Hops(1), s.Hops(2), s.Above(1), s.Above(2), s.Level(4), s.Level(5), s.Level(7)); got != "1 2 4 [5 7] [6 7] 2 1 0" {
		t.Errorf("hops, servers above and levels are %s", got)
	}
	for _, sizes := range [][]int{{2, 0}, {2, 1}, {1}} {
		if _, err := topology.NewServers(sizes, every(2), every(3), nil); err == nil {
			t.Errorf("clusters of %v", sizes)
		}
	}
	if _, err := topology.NewServers([]int{2, 1}, nil, every(3), nil); err != nil {
		t.Errorf("a cluster of one without edge servers: %v", err)
	}
}

// TestServersReturnMeans: the weights along the paths of a step by way of servers add up to those of the
// clusters, each hop goes to participants that act in the next, and steps of one epoch have one graph.
func TestServersReturnMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(2, 4), 1, 4).Draw(t, "sizes")
		nodes := 0
		parts := make([]topology.Sequence, len(sizes))
		for k, size := range sizes {
			nodes += size
			parts[k], _ = topology.Complete{Nodes: size, SelfLoops: true}.Sequence()
		}
		times := func(name string) *topology.Times {
			return (&topology.Schedule{Probability: rapid.Float64Range(0.1, 0.9).Draw(t, name)}).Times(nodes, rapid.Uint64().Draw(t, name+" seed"))
		}
		edge, cloud, within := times("edge"), times("cloud"), times("within")
		clusters, err := topology.NewClusters(edge, cloud, parts...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := topology.NewServers(sizes, edge, cloud, within)
		if err != nil {
			t.Fatal(err)
		}
		weights := within.Over(clusters, topology.Alone(nodes))
		links := s.Links(weights)
		byEpoch := map[int]*topology.Graph{}
		for step := range 12 {
			g := links.At(step)
			if h := byEpoch[links.Epoch(step)]; h != nil && h.Edges() != g.Edges() {
				t.Fatalf("step %d has another graph than its epoch", step)
			}
			byEpoch[links.Epoch(step)] = g
			// parts of each node's vector that a participant has after each hop
			has := make([][]float64, s.Participants())
			for i := range has {
				has[i] = make([]float64, nodes)
				if i < nodes {
					has[i][i] = 1
				}
			}
			for hop := range s.Hops(step) {
				first, end := s.Acts(step, hop)
				next := make([][]float64, s.Participants())
				for i := range next {
					next[i] = make([]float64, nodes)
					from, row := g.In(messages.NodeID(i))
					for k, j := range from {
						if j < first || j >= end {
							continue
						}
						for n := range next[i] {
							next[i][n] += row[k] * has[j][n]
						}
					}
				}
				has = next
			}
			for i := range messages.NodeID(nodes) {
				for j := range messages.NodeID(nodes) {
					if got, want := has[i][j], weights.At(step).Weight(i, j); !(math.Abs(got-want) <= 1e-15) {
						t.Fatalf("step %d of %d hops: node %d has %v of node %d, want %v", step, s.Hops(step), i, got, j, want)
					}
				}
			}
		}
	})
}
