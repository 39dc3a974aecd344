package topology

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// SmallWorld is the graph of Watts and Strogatz (Nature 393, 1998): a circle on
// which every node is joined with the Neighbours nearest, half of them on either
// side, each edge then led elsewhere with probability Rewire: its far end moves
// to a node drawn at random among those that the near one is not joined with.
// Directed, each node hears the Neighbours nodes before it, and it is the sender
// that is drawn anew. A pattern.
type SmallWorld struct {
	Nodes      int     // at least 3
	Neighbours int     `yaml:"neighbours,required" unit:"nodes" range:"at least 1, fewer than nodes less one" doc:"how many neighbours a node begins with; even unless directed, fewer than nodes less one"`
	Rewire     float64 `yaml:"rewire,required" unit:"probability" range:"0 to 1" doc:"probability with which an edge is led elsewhere"`
	Directed   bool    `yaml:"directed" doc:"each node begins with the nodes before it only"`
	Redraw     Redraw  `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (s SmallWorld) Validate() error {
	if err := checkNodesOption(s.Nodes, 3); err != nil {
		return err
	}
	if s.Neighbours < 1 || s.Neighbours > s.Nodes-2 {
		return option.Errorf("neighbours", "neighbours is %d, want 1 to %d: the nodes less two", s.Neighbours, s.Nodes-2)
	}
	if !s.Directed && s.Neighbours%2 != 0 {
		return option.Errorf("neighbours", "neighbours is %d, want an even number unless directed", s.Neighbours)
	}
	if err := checkProbability("rewire", s.Rewire); err != nil {
		return err
	}
	if err := checkPatternSize("neighbours", float64(s.Nodes)*float64(s.Neighbours)); err != nil {
		return err
	}
	return s.Redraw.Validate()
}

// Sequence returns the draws.
func (s SmallWorld) Sequence() (Sequence, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.Redraw.sequence("small-world", s.Nodes, s.draw), nil
}

// draw joins the circle first and then goes through its edges once, in the order in which they
// were laid. Edge number i reach + shift-1 of the draft is that from node i-shift to node i,
// even after it was led elsewhere: the edges laid by two nodes show whether they are joined.
func (s SmallWorld) draw(r *rng.Rand, d *draft) {
	reach := s.Neighbours
	if !s.Directed {
		reach /= 2
	}
	d.pairs(s.Nodes, anyOrder)
	d.symmetric = !s.Directed
	d.arcs = sized(d.arcs, s.Nodes*reach)
	degree := d.marked(s.Nodes) // of those heard
	for i := range s.Nodes {
		degree[i] = int32(s.Neighbours)
		for shift := 1; shift <= reach; shift++ {
			d.arcs[i*reach+shift-1] = arc{messages.NodeID((i - shift + s.Nodes) % s.Nodes), messages.NodeID(i)}
		}
	}
	laid := func(from, to messages.NodeID) bool {
		for _, e := range d.arcs[int(to)*reach : (int(to)+1)*reach] {
			if e.from == from {
				return true
			}
		}
		return false
	}
	for shift := range reach {
		for i := range s.Nodes {
			e := &d.arcs[i*reach+shift]
			// A node that is joined with all others has nowhere to lead an edge.
			if r.Float64() >= s.Rewire || int(degree[e.to]) == s.Nodes-1 {
				continue
			}
			from := e.to
			for from == e.to || laid(from, e.to) || !s.Directed && laid(e.to, from) {
				from = messages.NodeID(r.IntN(s.Nodes - 1))
				if from >= e.to {
					from++
				}
			}
			if !s.Directed {
				degree[e.from]--
				degree[from]++
			}
			e.from = from
		}
	}
}

// PreferentialAttachment is the graph of Barabasi and Albert (Science 286,
// 1999): it begins with the complete graph on Edges+1 nodes, and every further
// node is joined with Edges different ones before it, drawn one after the other
// with probability in proportion to their degree before it came, those drawn
// already left out. Undirected and connected; directed it would lead from the
// late to the early and never back. A pattern.
type PreferentialAttachment struct {
	Nodes  int    // more than Edges
	Edges  int    `yaml:"edges,required" unit:"edges" range:"at least 1, fewer than nodes" doc:"with how many earlier nodes a new one is joined, fewer than nodes"`
	Redraw Redraw `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (p PreferentialAttachment) Validate() error {
	if err := checkNodesOption(p.Nodes, 2); err != nil {
		return err
	}
	if p.Edges < 1 || p.Edges > p.Nodes-1 {
		return option.Errorf("edges", "edges is %d, want 1 to %d: the nodes less one", p.Edges, p.Nodes-1)
	}
	if err := checkPatternSize("edges", 2*float64(p.Nodes)*float64(p.Edges)); err != nil {
		return err
	}
	return p.Redraw.Validate()
}

// Sequence returns the draws.
func (p PreferentialAttachment) Sequence() (Sequence, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p.Redraw.sequence("preferential-attachment", p.Nodes, p.draw), nil
}

// draw lets nodes come one after the other. A list of all edges suffices to draw by degree.
func (p PreferentialAttachment) draw(r *rng.Rand, d *draft) {
	d.pairs(p.Nodes, anyOrder)
	first, arcs := p.Edges+1, d.arcs
	for i := range first {
		for j := range i {
			arcs = append(arcs, arc{messages.NodeID(j), messages.NodeID(i)})
		}
	}
	joined := d.marked(p.Nodes) // the last node joined with it
	for v := first; v < p.Nodes; v++ {
		// An end of an edge drawn uniformly is a node drawn by its degree.
		ends := 2 * len(arcs)
		for drawn := 0; drawn < p.Edges; {
			e := arcs[r.IntN(ends)/2]
			u := e.from
			if r.Uint64()&1 == 1 {
				u = e.to
			}
			if joined[u] != int32(v) {
				joined[u] = int32(v)
				arcs = append(arcs, arc{u, messages.NodeID(v)})
				drawn++
			}
		}
	}
	d.arcs = arcs
}
