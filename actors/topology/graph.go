package topology

import (
	"slices"

	"starling/messages"
)

// Graph is an immutable directed weighted graph on the nodes 0 .. N-1, held in
// compressed sparse rows. It is safe for concurrent use. Build one with
// FromDense, FromEdges or a generator; the zero value has no nodes.
type Graph struct {
	// in has as row i the senders that i hears, ascending. Inboxes are built from it.
	in adjacency
	// weights is parallel to in.to and has a_ij.
	weights []float64
	// out has as row j the receivers that hear j, ascending. It is the transpose of in.
	out       adjacency
	selfLoops int
	// even means that rows of in are of one length and all weights are the same.
	even bool
	// memory is the memory of the graph, if it may be used again; see Recycle.
	memory *memory
}

// Nodes returns N.
func (g *Graph) Nodes() int { return g.in.nodes() }

// Edges returns the number of edges, self-loops included.
func (g *Graph) Edges() int { return len(g.in.to) }

// SelfLoops returns the number of nodes that hear themselves.
func (g *Graph) SelfLoops() int { return g.selfLoops }

// In returns the nodes that i hears, ascending, and the weights a_ij it gives
// them, of equal length. Both slices are shared with the graph and read only.
func (g *Graph) In(i messages.NodeID) (from []messages.NodeID, weights []float64) {
	lo, hi := g.in.start[i], g.in.start[i+1]
	return g.in.to[lo:hi:hi], g.weights[lo:hi:hi]
}

// Rows returns In of the nodes first .. end-1, all rows of the graph one after the other: the
// row of node first+k has the entries start[k] to start[k+1]. All three are shared with the
// graph and read only.
func (g *Graph) Rows(first, end messages.NodeID) (start []int32, from []messages.NodeID, weights []float64) {
	return g.in.start[first : end+1], g.in.to, g.weights
}

// Even reports whether the graph was made with as many senders for each node, all of the same
// weight. A property of one row of weights then holds for all rows.
func (g *Graph) Even() bool { return g.even }

// Out returns the nodes that hear j, ascending. The slice is shared with the
// graph and read only.
func (g *Graph) Out(j messages.NodeID) []messages.NodeID { return g.out.row(j) }

// Weight returns a_ij, the weight receiver i gives sender j, and 0 if there is
// no edge from j to i. It takes time logarithmic in the in-degree of i.
func (g *Graph) Weight(i, j messages.NodeID) float64 {
	from, weights := g.In(i)
	if k, found := slices.BinarySearch(from, j); found {
		return weights[k]
	}
	return 0
}

// HasEdge reports whether messages of from reach to.
func (g *Graph) HasEdge(from, to messages.NodeID) bool {
	_, found := slices.BinarySearch(g.in.row(to), from)
	return found
}

// View returns the view of node i, 0 <= i < Nodes(), of the graph.
func (g *Graph) View(i messages.NodeID) View { return View{graph: g, self: i} }

// View is the part of the graph of one turn that one node knows: the nodes that hear it and
// the nodes that it hears. It is a value of two words, made without allocation; only those
// that Graph.View returns are of use.
type View struct {
	graph *Graph
	self  messages.NodeID
}

// Self returns the node that the view belongs to.
func (v View) Self() messages.NodeID { return v.self }

// Out returns the nodes that Self may send to, ascending; shared, read only.
func (v View) Out() []messages.NodeID { return v.graph.Out(v.self) }

// Weight is the weight with which another node hears Self; 0 without an edge.
func (v View) Weight(to messages.NodeID) float64 { return v.graph.Weight(to, v.self) }

// In returns the nodes that Self hears, ascending, and the weights it gives
// them; shared, read only.
func (v View) In() (from []messages.NodeID, weights []float64) { return v.graph.In(v.self) }

// Others returns how many nodes other than Self may be sent to.
func (v View) Others() int {
	start, g := v.graph.out.start, v.graph
	n := int(start[v.self+1] - start[v.self])
	switch {
	case g.selfLoops == 0:
		return n
	case g.selfLoops == g.Nodes() || v.CanSend(v.self):
		return n - 1
	}
	return n
}

// Others adds up View.Others of the nodes first .. end-1, and reports whether it is above 0
// for each.
func (g *Graph) Others(first, end messages.NodeID) (sum int, each bool) {
	own := int32(0)
	switch g.selfLoops {
	case 0:
	case g.Nodes():
		own = 1
	default:
		each = true
		for i := first; i < end; i++ {
			others := g.View(i).Others()
			sum, each = sum+others, each && others > 0
		}
		return sum, each
	}
	least, start := own+1, g.out.start[first:end+1]
	for i, at := range start[1:] {
		least = min(least, at-start[i])
	}
	return int(start[len(start)-1] - start[0] - own*int32(end-first)), least > own
}

// CanSend reports whether Self may send to the node.
func (v View) CanSend(to messages.NodeID) bool {
	out := v.Out()
	if len(out) <= fewReceivers { // a search would take longer
		return slices.Contains(out, to)
	}
	_, found := slices.BinarySearch(out, to)
	return found
}

// fewReceivers is how many receivers are looked through one after the other.
const fewReceivers = 8

// adjacency is one half of a graph: row v is to[start[v]:start[v+1]]. The offsets have 32
// bits, which limits a graph to maxEdges.
type adjacency struct {
	// start has the offset of each row in to, and the end of the last: len N+1.
	start []int32
	// to has all rows, one after the other.
	to []messages.NodeID
}

// nodes returns the number of rows.
func (a adjacency) nodes() int { return max(len(a.start)-1, 0) }

// row returns row v, shared and read only; its capacity is clipped, so that an
// append to it cannot reach the next row.
func (a adjacency) row(v messages.NodeID) []messages.NodeID {
	lo, hi := a.start[v], a.start[v+1]
	return a.to[lo:hi:hi]
}

// transpose returns the reversed adjacency, its rows ascending for every order of the rows of
// a.
func (a adjacency) transpose() adjacency { return a.transposeTo(adjacency{}) }

// transposeTo is transpose in the memory of t, as far as that goes.
func (a adjacency) transposeTo(t adjacency) adjacency {
	n := a.nodes()
	t = adjacency{sized(t.start, n+1), sized(t.to, len(a.to))}
	clear(t.start)
	for _, w := range a.to {
		t.start[w]++
	}
	countsToOffsets(t.start)
	for v := range n {
		for _, w := range a.row(messages.NodeID(v)) {
			t.to[t.start[w]] = messages.NodeID(v)
			t.start[w]++
		}
	}
	cursorsToOffsets(t.start)
	return t
}

// countsToOffsets turns start[v] = length of row v, with a spare last entry of
// 0, into the offset of row v.
func countsToOffsets(start []int32) {
	var sum int32
	for v, count := range start {
		start[v] = sum
		sum += count
	}
}

// cursorsToOffsets undoes the effect of filling on the offsets: each start[v] was moved to the
// end of its row, which is the offset of the next.
func cursorsToOffsets(start []int32) {
	copy(start[1:], start)
	start[0] = 0
}
