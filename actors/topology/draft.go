package topology

import (
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
)

// draft is the edges as a generator draws them, before there is a graph: arcs in any order, or
// rows of equal length. One draft serves all draws of a sequence, one after the other, so that
// drawing allocates the graph alone. A generator begins with one of pairs, arcsOf and rowsOf.
type draft struct {
	nodes int
	// symmetric means that nodes that hear a node are heard by it. Each arc stands for both
	// directions, and rows hold for both ends.
	symmetric bool
	// arcs join different nodes. No two are the same unless repeats says so.
	arcs    []arc
	order   arcOrder
	repeats bool
	// rows has width entries a node, all different, of which the node itself is one:
	// those that it hears or, if sent, those that hear it.
	rows  []messages.NodeID
	width int
	sent  bool
	// ascending means that each of the rows is.
	ascending bool
	// loops means that every node hears itself in the pattern, too. shared means that all
	// nodes in a row have equal weights there; else weights of a pattern are 1.
	loops, shared bool

	stream rng.Stream
	// Working memory of generators. Each has its own use for it.
	marks   []int32
	numbers []messages.NodeID
	sorted  []messages.NodeID
	// inverses has 1/k, shares a number for each sender, for weights by degree.
	inverses, shares []float64
	// starts and equal are offsets and weights that graphs of rows share.
	starts []int32
	equal  []float64
	// spare has the memory of graphs that are not read any more.
	spare chan *memory
}

// arcOrder is an order of arcs in which rows come out ascending by themselves.
type arcOrder int

const (
	// anyOrder is none: rows have to be sorted.
	anyOrder arcOrder = iota
	// byFrom is by sender and then by receiver; of a symmetric draft, where the sender
	// is the lower node, by the lower and then by the higher.
	byFrom
	// byHigher, of a symmetric draft, is by the receiver, which is the higher node, and
	// then by the lower.
	byHigher
)

// pairs begins a draft of arcs that stand for both directions.
func (d *draft) pairs(n int, order arcOrder) {
	d.nodes, d.symmetric, d.order, d.width = n, true, order, 0
	d.arcs = d.arcs[:0]
}

// arcsOf begins a draft of arcs.
func (d *draft) arcsOf(n int, order arcOrder) {
	d.pairs(n, order)
	d.symmetric = false
}

// rowsOf begins a draft of rows, and returns them to be filled: n times width entries.
func (d *draft) rowsOf(n, width int) []messages.NodeID {
	d.nodes, d.symmetric, d.width, d.sent, d.ascending = n, false, width, false, false
	d.rows = sized(d.rows, n*width)
	return d.rows
}

// marked returns n marks, all 0.
func (d *draft) marked(n int) []int32 {
	d.marks = sized(d.marks, n)
	clear(d.marks)
	return d.marks
}

// numbered returns the numbers 0 .. n-1, to be put in another order.
func (d *draft) numbered(n int) []messages.NodeID {
	d.numbers = sized(d.numbers, n)
	for k := range d.numbers {
		d.numbers[k] = messages.NodeID(k)
	}
	return d.numbers
}

// sized returns a slice of n entries of any value, s itself where it has room. A new slice has
// a little more room than that: a draw often has about as many as the one before.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/32)
	}
	return s[:n]
}

// pattern makes the graph of the draft with no other weights than its own.
func (d *draft) pattern() *Graph {
	if d.shared {
		g, _ := d.weighted(Weighting{Scheme: UniformIn}) // rows are never empty
		return g
	}
	m := d.build(d.loops)
	m.weights = sized(m.weights, m.graph.Edges())
	for k := range m.weights {
		m.weights[k] = 1
	}
	m.graph.weights = m.weights
	return &m.graph
}

// weighted makes the graph of the draft with the weights of a scheme: the result of Apply for
// the pattern, which is not made.
func (d *draft) weighted(w Weighting) (*Graph, error) {
	metropolis := w.Scheme == Metropolis || w.Scheme == LazyMetropolis
	if w.Scheme == Given || w.Scheme == Sinkhorn || metropolis && !d.symmetric {
		return w.Apply(d.pattern())
	}
	m := d.build(d.loops || metropolis || w.SelfLoops)
	g := &m.graph
	if d.width > 0 && (w.Scheme == UniformOut || w.Scheme != LazyMetropolis && !d.sent) {
		g.weights, g.even = d.equalWeights(g), !d.sent
		return g, nil
	}
	m.weights = sized(m.weights, g.Edges())
	g.weights = m.weights
	var err error
	switch w.Scheme {
	case UniformIn:
		err = fillUniformIn(g, m.weights)
	case UniformOut:
		d.shares, err = fillUniformOut(g, m.weights, d.shares)
	default:
		d.inverses = fillMetropolis(g, w.Scheme, m.weights, d.inverses)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// equalWeights are the weights of a graph with rows of one length: all graphs of the draft
// share them.
func (d *draft) equalWeights(g *Graph) []float64 {
	if n := g.Edges(); len(d.equal) != n {
		d.equal = make([]float64, n)
		for k := range d.equal {
			d.equal[k] = 1 / float64(n/d.nodes)
		}
	}
	return d.equal
}

// equalStarts are the offsets of rows of a width: all graphs of the draft share them.
func (d *draft) equalStarts(width int) []int32 {
	if len(d.starts) != d.nodes+1 || int(d.starts[1]) != width {
		d.starts = make([]int32, d.nodes+1)
		for v := range d.starts {
			d.starts[v] = int32(v * width)
		}
	}
	return d.starts
}

// build makes the two halves of the graph, ascending, with an entry of each node for
// itself or none.
func (d *draft) build(loops bool) *memory {
	m := d.memory()
	m.graph = Graph{memory: m}
	if loops {
		m.graph.selfLoops = d.nodes
	}
	if d.width > 0 {
		d.fillRows(m, loops)
	} else {
		d.fillArcs(m, loops)
	}
	d.complete(m)
	return m
}

// fillArcs puts the arcs into the rows of receivers, in the order of the arcs. Each node's own
// entry comes at its place if the arcs are in order.
func (d *draft) fillArcs(m *memory, loops bool) {
	n := d.nodes
	start := sized(m.in.start, n+1)
	d.countArcs(start, loops)
	to := sized(m.in.to, int(start[n]))
	next, after := messages.NodeID(0), messages.NodeID(0)
	if !loops {
		next = messages.NodeID(n)
	}
	if d.order == byFrom && d.symmetric {
		after = 1 // the arcs from a node go to higher ones
	}
	for _, e := range d.arcs {
		until := e.from + after
		if d.order == byHigher {
			until = e.to
		}
		for ; next < until; next++ {
			to[start[next]] = next
			start[next]++
		}
		to[start[e.to]] = e.from
		start[e.to]++
		if d.symmetric {
			to[start[e.from]] = e.to
			start[e.from]++
		}
	}
	for ; int(next) < n; next++ {
		to[start[next]] = next
		start[next]++
	}
	cursorsToOffsets(start)
	m.in = adjacency{start, to}
	m.graph.in = m.in
}

// countArcs sets start to the offsets of the rows of receivers.
func (d *draft) countArcs(start []int32, loops bool) {
	own := int32(0)
	if loops {
		own = 1
	}
	for v := range start {
		start[v] = own
	}
	start[d.nodes] = 0
	for _, e := range d.arcs {
		start[e.to]++
	}
	if d.symmetric {
		for _, e := range d.arcs {
			start[e.from]++
		}
	}
	countsToOffsets(start)
}

// fillRows takes the rows over as rows of receivers.
func (d *draft) fillRows(m *memory, loops bool) {
	width := d.width
	m.in.to, d.rows = d.rows, m.in.to
	if !loops {
		m.in.to = withoutOwn(m.in.to, width)
		width--
	}
	m.graph.in = adjacency{d.equalStarts(width), m.in.to}
}

// withoutOwn removes from rows of a width the entry of each node for itself.
func withoutOwn(rows []messages.NodeID, width int) []messages.NodeID {
	kept := 0
	for k := 0; k < len(rows); k += width {
		v := messages.NodeID(k / width)
		for _, w := range rows[k : k+width] {
			if w != v {
				rows[kept] = w
				kept++
			}
		}
	}
	return rows[:kept]
}

// crowded is the mean length from which on rows are sorted by counting. fewSorted is the
// greatest length of a row that is sorted by insertion.
const (
	crowded   = 48
	fewSorted = 32
)

// complete puts the rows in order and makes the other half. A transposition has its rows
// in order, whatever the order was: it sorts all rows at once, by counting.
func (d *draft) complete(m *memory) {
	g := &m.graph
	ascending := d.ascending || d.width == 0 && d.order != anyOrder
	count := !ascending && len(g.in.to) > crowded*d.nodes
	if !ascending && !count {
		g.in.sortRows()
	}
	if d.symmetric {
		if count {
			m.in, m.out = g.in.transposeTo(m.out), m.in
			g.in = m.in
		}
		if d.repeats {
			g.in.compactRows()
		}
		g.out = g.in
		return
	}
	m.out = g.in.transposeTo(m.out)
	g.out = m.out
	if count {
		m.in = g.out.transposeTo(m.in)
		g.in = m.in
	}
	if d.sent && d.width > 0 {
		g.in, g.out = g.out, g.in
	}
}

// sortRows puts the entries of each row in order.
func (a adjacency) sortRows() {
	for v := range a.nodes() {
		sortRow(a.to[a.start[v]:a.start[v+1]])
	}
}

// sortRow sorts a row, by insertion where it is short.
func sortRow(row []messages.NodeID) {
	if len(row) > fewSorted {
		slices.Sort(row)
		return
	}
	for k := 1; k < len(row); k++ {
		w, at := row[k], k
		for ; at > 0 && row[at-1] > w; at-- {
			row[at] = row[at-1]
		}
		row[at] = w
	}
}
