package topology

import (
	"cmp"
	"slices"

	"starling/messages"
)

// WindowUnion returns the graph with every edge of the steps first .. first+length-1, where
// length is at least 1. The weight of an edge is the sum of its weights in these steps, without
// their signs, so that no edge cancels itself. Of a sequence with a period shorter than the
// window each graph is built once, and counted as often as it is shown.
func WindowUnion(seq Sequence, first, length int) (*Graph, error) {
	return Measures{}.WindowUnion(seq, first, length)
}

// WindowUnion is the function WindowUnion.
func (m Measures) WindowUnion(seq Sequence, first, length int) (*Graph, error) {
	if err := atLeast("first", first, 0); err != nil {
		return nil, err
	}
	if err := atLeast("length", length, 1); err != nil {
		return nil, err
	}
	distinct := length
	if period, periodic := seq.Period(); periodic {
		distinct = min(length, period)
	}
	union := overlay{nodes: seq.Nodes()}
	for k := 0; k < distinct; {
		if err := m.stopped(); err != nil {
			return nil, err
		}
		g, err := GraphAt(seq, first+k)
		if err != nil {
			return nil, err
		}
		shown := 0 // how often, in this and the following steps of equal epoch
		for epoch := seq.Epoch(first + k); k < distinct && seq.Epoch(first+k) == epoch; k++ {
			shown += (length - k + distinct - 1) / distinct
		}
		union.add(g, float64(shown))
		g.Recycle()
	}
	return union.graph(), nil
}

// overlay collects the edges of graphs. Entries before sorted are in the order of their edges,
// each edge once.
type overlay struct {
	nodes, sorted int
	entries       []overlaid
}

// overlaid is an edge with its weight so far; edges are ordered by receiver, then by sender.
type overlaid struct {
	edge   uint64
	weight float64
}

// leastOverlay is a number of entries that are not worth to be summed up yet.
const leastOverlay = 1 << 12

// add adds the edges of a graph that is shown some times. Once the entries have doubled, the
// entries of an edge become one, so that memory follows the union and not the window.
func (o *overlay) add(g *Graph, times float64) {
	for i := range messages.NodeID(g.Nodes()) {
		from, weights := g.In(i)
		for k, j := range from {
			o.entries = append(o.entries, overlaid{uint64(i)<<32 | uint64(j), max(weights[k], -weights[k]) * times})
		}
	}
	if len(o.entries) > 2*o.sorted+leastOverlay {
		o.sum()
	}
}

// sum leaves one entry of each edge. The sort is stable, so that weights are added in the order
// of the steps.
func (o *overlay) sum() {
	byEdge := func(a, b overlaid) int { return cmp.Compare(a.edge, b.edge) }
	if !slices.IsSortedFunc(o.entries, byEdge) { // of one graph they are
		slices.SortStableFunc(o.entries, byEdge)
	}
	kept := o.entries[:0]
	for _, e := range o.entries {
		if last := len(kept) - 1; last >= 0 && kept[last].edge == e.edge {
			kept[last].weight += e.weight
		} else {
			kept = append(kept, e)
		}
	}
	o.entries, o.sorted = kept, len(kept)
}

// graph returns the union.
func (o *overlay) graph() *Graph {
	o.sum()
	in := adjacency{make([]int32, o.nodes+1), make([]messages.NodeID, len(o.entries))}
	weights := make([]float64, len(o.entries))
	for k, e := range o.entries {
		in.start[e.edge>>32+1]++
		in.to[k], weights[k] = messages.NodeID(uint32(e.edge)), e.weight
	}
	for i := range o.nodes {
		in.start[i+1] += in.start[i]
	}
	return fromRows(in, weights)
}
