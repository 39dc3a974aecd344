package topology

import (
	"slices"

	"starling/actors/option"
	"starling/messages"
)

// Many generators make the edges and no weights. Their graphs are patterns: all weights are 1,
// with no self-loops unless the generator declares them. A Weighting turns a pattern into a
// matrix.

// newPattern returns the pattern of the arcs, in any order, on n nodes; an arc
// that is listed twice counts once. If symmetric, each arc stands for both
// directions. Time and memory are linear.
func newPattern(n int, arcs []arc, symmetric bool) *Graph {
	var rows adjacency // of receivers, unordered
	if symmetric {
		rows = adjacencyOf(n, arcs, reversed(arcs))
	} else {
		rows = adjacencyOf(n, arcs)
	}
	in := rows.transpose()
	in.compactRows()
	if symmetric {
		return withOnes(in, in)
	}
	return withOnes(in, in.transpose())
}

// withOnes completes a pattern from its two ascending halves, which it takes
// over.
func withOnes(in, out adjacency) *Graph {
	g := &Graph{in: in, out: out, weights: make([]float64, len(in.to))}
	for k := range g.weights {
		g.weights[k] = 1
	}
	g.countSelfLoops()
	return g
}

// countSelfLoops sets the number of nodes that hear themselves.
func (g *Graph) countSelfLoops() {
	g.selfLoops = 0
	for i := range messages.NodeID(g.Nodes()) {
		if g.HasEdge(i, i) {
			g.selfLoops++
		}
	}
}

// reversed returns the arcs turned around.
func reversed(arcs []arc) []arc {
	back := make([]arc, len(arcs))
	for k, e := range arcs {
		back[k] = arc{e.to, e.from}
	}
	return back
}

// compactRows removes entries that are listed twice in the ascending rows of a.
func (a *adjacency) compactRows() {
	end, lo := int32(0), int32(0) // of the entries kept, and of the row at hand
	for v := range a.nodes() {
		hi := a.start[v+1]
		first := end
		for _, w := range a.to[lo:hi] {
			if end == first || a.to[end-1] != w {
				a.to[end] = w
				end++
			}
		}
		lo = hi
		a.start[v+1] = end
	}
	a.to = a.to[:end]
}

// Symmetric reports whether all nodes that hear a node are heard by it. Weights do not matter.
func (g *Graph) Symmetric() bool {
	return g.sharesHalves() || slices.Equal(g.in.start, g.out.start) && slices.Equal(g.in.to, g.out.to)
}

// Pattern returns the graph with every weight set to 1. It shares all else with
// g.
func (g *Graph) Pattern() *Graph {
	return withOnes(g.in, g.out)
}

// WithSelfLoops returns the graph in which every node also hears itself. A
// self-loop that is new gets weight 1; g is returned as it is where none is.
func (g *Graph) WithSelfLoops() *Graph { return g.withSelfLoops(true) }

// withSelfLoops is WithSelfLoops. Unless weights are kept, a new graph has none until
// withWeights.
func (g *Graph) withSelfLoops(keepWeights bool) *Graph {
	n := g.Nodes()
	missing := n - g.selfLoops
	if missing == 0 {
		return g
	}
	weights := g.weights
	if !keepWeights {
		weights = nil
	}
	in, weights := g.in.withLoops(missing, weights)
	out := in
	if !g.Symmetric() {
		out, _ = g.out.withLoops(missing, nil)
	}
	return &Graph{in: in, out: out, weights: weights, selfLoops: n}
}

// withLoops returns ascending rows in which every node is in its own, where missing of them
// are not in the rows of a; and the weights, if there are any, with 1 for each that is new.
func (a adjacency) withLoops(missing int, weights []float64) (adjacency, []float64) {
	n := a.nodes()
	b := adjacency{make([]int32, 1, n+1), make([]messages.NodeID, 0, len(a.to)+missing)}
	var grown []float64
	if weights != nil {
		grown = make([]float64, 0, len(weights)+missing)
	}
	for v := range messages.NodeID(n) {
		row := a.row(v)
		at, found := slices.BinarySearch(row, v)
		if !found {
			b.to = append(append(append(b.to, row[:at]...), v), row[at:]...)
		} else {
			b.to = append(b.to, row...)
		}
		if weights != nil {
			w := weights[a.start[v]:a.start[v+1]]
			grown = append(grown, w[:at]...)
			if !found {
				grown = append(grown, 1)
			}
			grown = append(grown, w[at:]...)
		}
		b.start = append(b.start, int32(len(b.to)))
	}
	return b, grown
}

// arcs lists the edges of g but its self-loops; if symmetric, only those from
// the lower node to the higher.
func (g *Graph) arcs(symmetric bool) []arc {
	list := make([]arc, 0, g.Edges())
	for v := range messages.NodeID(g.Nodes()) {
		for _, w := range g.Out(v) {
			if v < w || v > w && !symmetric {
				list = append(list, arc{v, w})
			}
		}
	}
	return list
}

// checkPatternSize refuses a pattern of more than maxEdges edges. edges is a
// float64 because it may be beyond any integer.
func checkPatternSize(name string, edges float64) error {
	if edges > maxEdges {
		return option.Errorf(name, "%.3g edges are too many, at most %d", edges, maxEdges)
	}
	return nil
}

// mostExpected is the largest expected number of edges of a random pattern. It
// leaves room for draws and for nodes that gather, so that none comes near
// maxEdges.
const mostExpected = maxEdges / 4

// checkExpectedSize refuses a random pattern of too many edges.
func checkExpectedSize(name string, edges float64) error {
	if edges > mostExpected {
		return option.Errorf(name, "%.3g edges are expected, at most %d", edges, mostExpected)
	}
	return nil
}
