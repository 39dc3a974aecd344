package topology_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// arrangements are generators with places.
func arrangements() map[string]interface {
	topology.Arranged
	generator
} {
	return map[string]interface {
		topology.Arranged
		generator
	}{
		"ring": topology.Ring{Nodes: 12}, "circulant": topology.Circulant{Nodes: 9, Degree: 3}, "complete": topology.Complete{Nodes: 7},
		"path": topology.Path{Nodes: 10}, "exponential": topology.Exponential{Nodes: 12}, "one-peer": topology.OnePeer{Nodes: 8, Directed: true},
		"small world": topology.SmallWorld{Nodes: 12, Neighbours: 2, Rewire: 0.1}, "torus": topology.Torus{Nodes: 24, Sides: []int{4, 6}},
		"torus of three sides": topology.Torus{Nodes: 60, Sides: []int{3, 4, 5}}, "torus of one": topology.Torus{Nodes: 5, Sides: []int{5}},
		"hypercube": topology.Hypercube{Nodes: 256}, "square": topology.Hypercube{Nodes: 4},
		"blocks": topology.StochasticBlock{Nodes: 23, Blocks: 4, Within: 0.5, Between: 0.1}, "box": topology.Geometric{Nodes: 9, Radius: 0.3, Seed: 3},
		"a moving box": topology.Geometric{Nodes: 9, Radius: 0.3, SpeedMin: 0.1, SpeedMax: 0.2, Seed: 3},
	}
}

// Places are in the unit square, and no two nodes have the same; only nodes that move have
// places for each step.
func TestArrange(t *testing.T) {
	for name, g := range arrangements() {
		sequence, err := g.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		const steps = 5
		places, err := g.Arrange(steps)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, moves := sequence.Nodes(), name == "a moving box"
		if want := 2 * n; moves && len(places) != steps*want || !moves && len(places) != want {
			t.Errorf("%s: %d coordinates of %d nodes", name, len(places), n)
		}
		for v := range n {
			for k := range 2 {
				if x := places[2*v+k]; !(x > -1e-12 && x < 1+1e-12) {
					t.Errorf("%s: node %d is at %v", name, v, x)
				}
			}
			for w := range v {
				if math.Hypot(places[2*v]-places[2*w], places[2*v+1]-places[2*w+1]) < 0.003 {
					t.Errorf("%s: nodes %d and %d are in one place", name, v, w)
				}
			}
		}
	}
}

// The form is seen: on a ring the nearest nodes are the neighbours, on a lattice all nodes of a
// side are in line, and nodes of a block are nearer to each other than to those of others.
func TestFormsOfPictures(t *testing.T) {
	ring, _ := topology.Ring{Nodes: 12}.Arrange(1)
	for v := range 12 {
		var order []int
		for w := range 12 {
			order = append(order, w)
		}
		slices.SortStableFunc(order, func(a, b int) int {
			d := func(w int) float64 { return math.Hypot(ring[2*v]-ring[2*w], ring[2*v+1]-ring[2*w+1]) }
			return int(math.Copysign(1, d(a)-d(b)-1e-9)) // equal ones in order
		})
		if next, before := (v+1)%12, (v+11)%12; !slices.Contains(order[1:3], next) || !slices.Contains(order[1:3], before) {
			t.Errorf("the nearest of %d on the ring are %v", v, order[1:3])
		}
	}
	torus, _ := topology.Torus{Nodes: 24, Sides: []int{4, 6}}.Arrange(1)
	for v := range 24 {
		if left, top := torus[2*(v%6)], torus[2*(v/6*6)+1]; torus[2*v] != left || torus[2*v+1] != top {
			t.Errorf("node %d of the lattice is at %v, %v, out of line", v, torus[2*v], torus[2*v+1])
		}
	}
	const nodes, blocks = 24, 4
	places, _ := topology.StochasticBlock{Nodes: nodes, Blocks: blocks, Within: 1, Between: 0}.Arrange(1)
	sequence, err := topology.StochasticBlock{Nodes: nodes, Blocks: blocks, Within: 1, Between: 0}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	middle := func(block int) (x, y float64) {
		for v := range nodes {
			if v*blocks/nodes == block {
				x, y = x+places[2*v]*blocks/nodes, y+places[2*v+1]*blocks/nodes
			}
		}
		return x, y
	}
	for v := range nodes {
		own := v * blocks / nodes
		if !sequence.At(0).HasEdge(messages.NodeID(v), messages.NodeID((own*nodes/blocks)+(v+1)%(nodes/blocks))) {
			t.Fatalf("block %d is not the one of the edges", own)
		}
		for other := range blocks {
			x, y := middle(own)
			ox, oy := middle(other)
			if other != own && math.Hypot(places[2*v]-x, places[2*v+1]-y) >= math.Hypot(places[2*v]-ox, places[2*v+1]-oy) {
				t.Errorf("node %d is nearer to block %d than to its own", v, other)
			}
		}
	}
}
