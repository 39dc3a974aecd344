package topology

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Matching is gossip between pairs: at each draw a random maximal matching, so
// that every node exchanges with at most one other. On the complete graph all
// pairings are equally likely and at most one node is left over; on a Base, its
// edges are looked at in random order and taken where both ends are free. An
// edge of the base counts if it leads both ways. A pattern.
type Matching struct {
	Nodes  int    // at least 2
	Redraw Redraw `yaml:",inline"`
	Ticks  Ticks  `yaml:",inline"`
	// Base is the graph of the edges that may be used, with as many nodes; nil is the complete
	// graph.
	Base *Graph
}

// Ticks has the option of exchanges one by one, in place of a maximal matching (Boyd et al. 2006).
type Ticks struct {
	Clocks []float64 `yaml:"clocks" min:"1" says:"%v rates" unit:"ticks a second" doc:"rates of Poisson clocks, one number a group of consecutive nodes of nearly equal size: a draw is the next tick of any clock, and one exchange, of the node whose clock ticks with a neighbour at random; absent, every node has a partner where one is left"`
}

// Validate reports the first option that is out of range.
func (m Matching) Validate() error {
	if err := checkNodesOption(m.Nodes, 2); err != nil {
		return err
	}
	if m.Base != nil && m.Base.Nodes() != m.Nodes {
		return option.Errorf("base", "the base has %d nodes, want %d", m.Base.Nodes(), m.Nodes)
	}
	if m.Ticks.Clocks != nil && m.Redraw.Every == 0 {
		return option.Errorf("every", "clocks tick in the course of a run; want every: 1, a tick a step")
	}
	if err := checkClocks(m.Ticks.Clocks, m.Nodes); err != nil {
		return err
	}
	return m.Redraw.Validate()
}

// Sequence returns the draws.
func (m Matching) Sequence() (Sequence, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	draw := m.pairs
	switch {
	case m.Ticks.Clocks != nil:
		draw = m.ticks()
	case m.Base != nil:
		candidates := mutual(m.Base)
		draw = func(r *rng.Rand, d *draft) { matchGreedily(r, d, m.Nodes, candidates) }
	}
	return m.Redraw.sequence("matching", m.Nodes, draw), nil
}

// ticks returns the draws of one exchange each.
func (m Matching) ticks() func(r *rng.Rand, d *draft) {
	of, partner := newClocks(m.Ticks.Clocks, m.Nodes), func(r *rng.Rand, node messages.NodeID) (messages.NodeID, bool) {
		return (node + 1 + messages.NodeID(r.IntN(m.Nodes-1))) % messages.NodeID(m.Nodes), true
	}
	if m.Base != nil {
		neighbours := make([][]messages.NodeID, m.Nodes)
		for _, e := range mutual(m.Base) {
			neighbours[e.from], neighbours[e.to] = append(neighbours[e.from], e.to), append(neighbours[e.to], e.from)
		}
		partner = func(r *rng.Rand, node messages.NodeID) (messages.NodeID, bool) {
			list := neighbours[node]
			if len(list) == 0 {
				return 0, false
			}
			return list[r.IntN(len(list))], true
		}
	}
	return func(r *rng.Rand, d *draft) {
		d.pairs(m.Nodes, anyOrder)
		node := of.node(r.Float64())
		if other, ok := partner(r, node); ok {
			d.arcs = append(d.arcs, arc{min(node, other), max(node, other)})
		}
	}
}

// pairs matches neighbours in a random order of all nodes.
func (m Matching) pairs(r *rng.Rand, d *draft) {
	d.pairs(m.Nodes, anyOrder)
	order := d.numbered(m.Nodes)
	shuffle(r, order)
	for k := 1; k < m.Nodes; k += 2 {
		d.arcs = append(d.arcs, arc{order[k-1], order[k]})
	}
}

// shuffle puts the entries in a random order, all of which are equally likely (Fisher
// and Yates).
func shuffle(r *rng.Rand, list []messages.NodeID) {
	for k := len(list) - 1; k > 0; k-- {
		j := r.IntN(k + 1)
		list[k], list[j] = list[j], list[k]
	}
}

// mutual lists the edges of g that lead both ways, from the lower node.
func mutual(g *Graph) []arc {
	var both []arc
	for _, e := range g.arcs(false) {
		if e.from < e.to && g.HasEdge(e.to, e.from) {
			both = append(both, e)
		}
	}
	return both
}

// matchGreedily takes the candidates in random order, those with both ends free.
func matchGreedily(r *rng.Rand, d *draft, n int, candidates []arc) {
	d.pairs(n, anyOrder)
	taken := d.marked(n)
	order := d.numbered(len(candidates))
	shuffle(r, order)
	for _, k := range order {
		if e := candidates[k]; taken[e.from]|taken[e.to] == 0 {
			taken[e.from], taken[e.to] = 1, 1
			d.arcs = append(d.arcs, e)
		}
	}
}
