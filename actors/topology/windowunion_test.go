package topology_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// The union of a window has the sums of the weights of its steps, without their signs, as dense
// matrices have them; also where steps repeat, and where an edge has weights that cancel.
func TestWindowUnion(t *testing.T) {
	graph := func(rows [][]float64) *topology.Graph {
		g, err := topology.FromDense(rows)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	a := graph([][]float64{{0.5, 0.5, 0}, {0, 1, 0}, {0.25, 0, 0.75}})
	b := graph([][]float64{{0, -0.5, 0}, {0, 0, 2}, {0, 0, 0}})
	turns, err := topology.NewPeriodic(a, b, b)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := topology.RandomRegular{Redraw: topology.Redraw{Seed: 3, Every: 2}, Nodes: 12, Degree: 3}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		seq           topology.Sequence
		first, length int
	}{
		"one step": {turns, 0, 1}, "within a period": {turns, 1, 2}, "a period": {turns, 2, 3}, "periods and more": {turns, 1, 7},
		"a network that never changes": {topology.Static(a), 4, 5}, "redrawn": {drawn, 1, 9}, "long, so that edges are summed up in between": {drawn, 0, 700},
	} {
		g, err := topology.WindowUnion(test.seq, test.first, test.length)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := messages.NodeID(test.seq.Nodes())
		edges := 0
		for i := range n {
			for j := range n {
				want := 0.
				for step := test.first; step < test.first+test.length; step++ {
					want += math.Abs(test.seq.At(step).Weight(i, j))
				}
				if want != 0 {
					edges++
				}
				if got := g.Weight(i, j); math.Abs(got-want) > 1e-9 || g.HasEdge(j, i) != (want != 0) {
					t.Errorf("%s: the weight of %d from %d is %v, want %v", name, i, j, got, want)
				}
			}
		}
		if g.Edges() != edges {
			t.Errorf("%s: %d edges, want %d", name, g.Edges(), edges)
		}
	}
	for _, out := range [][2]int{{-1, 1}, {0, 0}} {
		if _, err := topology.WindowUnion(turns, out[0], out[1]); err == nil {
			t.Errorf("a window of %d steps from %d on is taken", out[1], out[0])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (topology.Measures{Stop: ctx.Err}).WindowUnion(drawn, 0, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped union returns %v", err)
	}
}
