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
	// Base is the graph whose edges may be used, with as many nodes; nil is the
	// complete graph.
	Base *Graph
}

// Validate reports the first option that is out of range.
func (m Matching) Validate() error {
	if err := checkNodesOption(m.Nodes, 2); err != nil {
		return err
	}
	if m.Base != nil && m.Base.Nodes() != m.Nodes {
		return option.Errorf("base", "the base has %d nodes, want %d", m.Base.Nodes(), m.Nodes)
	}
	return m.Redraw.Validate()
}

// Sequence returns the draws.
func (m Matching) Sequence() (Sequence, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	draw := m.pairs
	if m.Base != nil {
		candidates := mutual(m.Base)
		draw = func(r *rng.Rand) *Graph { return matchGreedily(r, m.Nodes, candidates) }
	}
	return m.Redraw.sequence("matching", m.Nodes, draw), nil
}

// pairs matches neighbours in a random order of all nodes.
func (m Matching) pairs(r *rng.Rand) *Graph {
	order := r.Perm(m.Nodes)
	arcs := make([]arc, m.Nodes/2)
	for k := range arcs {
		arcs[k] = arc{messages.NodeID(order[2*k]), messages.NodeID(order[2*k+1])}
	}
	return newPattern(m.Nodes, arcs, true)
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
func matchGreedily(r *rng.Rand, n int, candidates []arc) *Graph {
	taken := make([]bool, n)
	var arcs []arc
	for _, k := range r.Perm(len(candidates)) {
		if e := candidates[k]; !taken[e.from] && !taken[e.to] {
			taken[e.from], taken[e.to] = true, true
			arcs = append(arcs, e)
		}
	}
	return newPattern(n, arcs, true)
}
