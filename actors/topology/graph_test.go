package topology_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// drawDense draws a square matrix in which about a third of the entries are
// not zero.
func drawDense(t *rapid.T, largest int) [][]float64 {
	n := rapid.IntRange(1, largest).Draw(t, "n")
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := range a[i] {
			if rapid.IntRange(0, 2).Draw(t, "present") == 0 {
				a[i][j] = rapid.SampledFrom([]float64{-1, 0.25, 0.5, 3}).Draw(t, "weight")
			}
		}
	}
	return a
}

func mustDense(t testing.TB, a [][]float64) *topology.Graph {
	t.Helper()
	g, err := topology.FromDense(a)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// dense is the matrix of a graph, by way of Weight.
func dense(g *topology.Graph) [][]float64 {
	a := make([][]float64, g.Nodes())
	for i := range a {
		a[i] = make([]float64, g.Nodes())
		for j := range a[i] {
			a[i][j] = g.Weight(messages.NodeID(i), messages.NodeID(j))
		}
	}
	return a
}

// checkAccessors compares every accessor of g with the matrix it came from.
func checkAccessors(t *rapid.T, g *topology.Graph, a [][]float64) {
	edges, loops := 0, 0
	for i := range a {
		var from, out []messages.NodeID
		var weights []float64
		for j := range a {
			if a[i][j] != 0 {
				from, weights = append(from, messages.NodeID(j)), append(weights, a[i][j])
				edges++
			}
			if a[j][i] != 0 {
				out = append(out, messages.NodeID(j))
			}
			if got := g.HasEdge(messages.NodeID(j), messages.NodeID(i)); got != (a[i][j] != 0) {
				t.Fatalf("HasEdge(%d, %d) = %v", j, i, got)
			}
		}
		if a[i][i] != 0 {
			loops++
		}
		view := g.View(messages.NodeID(i))
		gotFrom, gotWeights := view.In()
		if view.Self() != messages.NodeID(i) || !slices.Equal(gotFrom, from) || !slices.Equal(gotWeights, weights) {
			t.Fatalf("In(%d) = %v, %v, want %v, %v", i, gotFrom, gotWeights, from, weights)
		}
		if !slices.Equal(view.Out(), out) {
			t.Fatalf("Out(%d) = %v, want %v", i, view.Out(), out)
		}
		for j := range a {
			if got := view.CanSend(messages.NodeID(j)); got != (a[j][i] != 0) {
				t.Fatalf("CanSend from %d to %d = %v", i, j, got)
			}
		}
	}
	for first := range a {
		start, from, weights := g.Rows(messages.NodeID(first), messages.NodeID(len(a)))
		for k := range start[1:] {
			wantFrom, wantWeights := g.In(messages.NodeID(first + k))
			if lo, hi := start[k], start[k+1]; !slices.Equal(from[lo:hi], wantFrom) || !slices.Equal(weights[lo:hi], wantWeights) {
				t.Fatalf("Rows(%d): row %d is %v, %v, want %v, %v", first, k, from[lo:hi], weights[lo:hi], wantFrom, wantWeights)
			}
		}
		sum, each := 0, true
		for end := first + 1; end <= len(a); end++ {
			others := g.View(messages.NodeID(end - 1)).Others()
			sum, each = sum+others, each && others > 0
			if got, all := g.Others(messages.NodeID(first), messages.NodeID(end)); got != sum || all != each {
				t.Fatalf("Others(%d, %d) = %d, %v, want %d, %v", first, end, got, all, sum, each)
			}
		}
	}
	if g.Nodes() != len(a) || g.Edges() != edges || g.SelfLoops() != loops {
		t.Fatalf("%d nodes, %d edges, %d self-loops, want %d, %d, %d", g.Nodes(), g.Edges(), g.SelfLoops(), len(a), edges, loops)
	}
	if diff := cmp.Diff(a, dense(g)); diff != "" {
		t.Fatal(diff)
	}
}

func TestFromDenseHoldsTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawDense(t, 8)
		g, err := topology.FromDense(a)
		if err != nil {
			t.Fatal(err)
		}
		checkAccessors(t, g, a)
	})
}

func TestFromEdgesTakesAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawDense(t, 8)
		var edges []topology.Edge
		for i := range a {
			for j, w := range a[i] {
				if w != 0 {
					edges = append(edges, topology.Edge{From: messages.NodeID(j), To: messages.NodeID(i), Weight: w})
				}
			}
		}
		if len(edges) > 0 {
			edges = rapid.Permutation(edges).Draw(t, "edges")
		}
		g, err := topology.FromEdges(len(a), edges)
		if err != nil {
			t.Fatal(err)
		}
		checkAccessors(t, g, a)
	})
}

func TestFromDenseRefuses(t *testing.T) {
	tests := []struct {
		name   string
		matrix [][]float64
		want   string
	}{
		{"empty", nil, "a graph needs at least one node"},
		{"not square", [][]float64{{1, 0}, {1}}, "row 2 of the weight matrix has 1 entries, want 2"},
		{"NaN", [][]float64{{1, 0}, {math.NaN(), 1}}, "row 2, column 1 is NaN: not finite (what node 2 gives node 1)"},
		{"infinite", [][]float64{{math.Inf(-1)}}, "row 1, column 1 is -Inf: not finite (what node 1 gives node 1)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := topology.FromDense(test.matrix); err == nil || err.Error() != test.want {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
	_, err := topology.FromDense([][]float64{{1, 0}, {math.Inf(1), 1}})
	var fault *topology.WeightError
	if !errors.As(err, &fault) || fault.Kind != topology.WeightNotFinite || fault.Node != 1 || fault.From != 0 {
		t.Errorf("error is %#v", err)
	}
}

func TestFromEdgesRefuses(t *testing.T) {
	good := topology.Edge{From: 0, To: 1, Weight: 1}
	tests := []struct {
		name  string
		nodes int
		edges []topology.Edge
		want  string
	}{
		{"no nodes", 0, nil, "a graph needs at least one node"},
		{"sender outside", 2, []topology.Edge{good, {From: 2, To: 1, Weight: 1}},
			"edge 2, from node 3 to node 2 with weight 1: the nodes are 1 to 2"},
		{"receiver outside", 2, []topology.Edge{{From: 0, To: -1, Weight: 1}},
			"edge 1, from node 1 to node 0 with weight 1: the nodes are 1 to 2"},
		{"NaN", 2, []topology.Edge{{From: 0, To: 1, Weight: math.NaN()}},
			"edge 1, from node 1 to node 2 with weight NaN: the weight is not finite"},
		{"zero", 2, []topology.Edge{{From: 0, To: 1}},
			"edge 1, from node 1 to node 2 with weight 0: a weight of zero is no edge"},
		{"duplicate", 2, []topology.Edge{{From: 0, To: 0, Weight: 1}, good, {From: 1, To: 1, Weight: 1}, {From: 0, To: 1, Weight: 2}},
			"edge 4, from node 1 to node 2 with weight 2: edge 2 joins the same nodes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := topology.FromEdges(test.nodes, test.edges); err == nil || err.Error() != test.want {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

// TestReadingDoesNotAllocate holds the accessors to what the routers' hot path
// needs of them.
func TestReadingDoesNotAllocate(t *testing.T) {
	_, a2, _ := topology.Printed()
	g := mustDense(t, a2)
	var sum float64
	allocations := testing.AllocsPerRun(100, func() {
		for i := range messages.NodeID(6) {
			view := g.View(i)
			from, weights := view.In()
			for k := range from {
				sum += weights[k] - g.Weight(i, from[k])
			}
			for _, to := range view.Out() {
				if !view.CanSend(to) || !g.HasEdge(i, to) {
					t.Fatal("an out-neighbour cannot be sent to")
				}
			}
		}
	})
	if allocations != 0 || sum != 0 {
		t.Errorf("%v allocations, sum %v, want none and 0", allocations, sum)
	}
}

// TestRowsAreClipped holds an append to a row off the next row.
func TestRowsAreClipped(t *testing.T) {
	_, a2, _ := topology.Printed()
	g := mustDense(t, a2)
	from, weights := g.In(0)
	from, weights = append(from, 9), append(weights, 9)
	out := append(g.Out(0), 9)
	if len(from) != 6 || len(weights) != 6 || len(out) != 6 {
		t.Fatalf("rows of %d, %d and %d after appending, want 6", len(from), len(weights), len(out))
	}
	if diff := cmp.Diff(a2, dense(g)); diff != "" {
		t.Error(diff)
	}
}

// Whoever is even has as many senders everywhere, all of one weight.
func TestEven(t *testing.T) {
	even := 0
	for name, seq := range map[string]topology.Sequence{
		"regular":      mustSequence(t, topology.RandomRegular{Nodes: 30, Degree: 4, Redraw: topology.Redraw{Every: 1}}),
		"directed":     mustSequence(t, topology.RandomRegular{Nodes: 30, Degree: 3, Directed: true, Redraw: topology.Redraw{Every: 1}}),
		"random":       mustSequence(t, topology.ErdosRenyi{Nodes: 30, Probability: 0.4, Redraw: topology.Redraw{Every: 1}}),
		"small world":  mustSequence(t, topology.SmallWorld{Nodes: 30, Neighbours: 4, Rewire: 0.5, Redraw: topology.Redraw{Every: 1}}),
		"permutations": mustSequence(t, topology.Permutations{Nodes: 30, Degree: 3, Every: 1}),
	} {
		for _, scheme := range topology.Schemes() {
			weighted, err := topology.Weighting{Scheme: scheme}.Over(seq, 3)
			if err != nil {
				continue // not every scheme goes with every graph
			}
			for step := range 3 {
				g, err := topology.GraphAt(weighted, step)
				if err != nil || !g.Even() {
					continue
				}
				even++
				_, first := g.In(0)
				for node := range g.Nodes() {
					_, weights := g.In(messages.NodeID(node))
					if !slices.Equal(weights, first) || slices.Min(weights) != slices.Max(weights) {
						t.Fatalf("%s, %s: weights %v of node %d, %v of node 0", name, scheme, weights, node, first)
					}
				}
			}
		}
	}
	if even == 0 {
		t.Error("no graph is even")
	}
}
