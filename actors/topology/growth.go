package topology

import (
	"slices"

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

// draw joins the circle first and then goes through its edges once, in the order in which
// they were laid.
func (s SmallWorld) draw(r *rng.Rand) *Graph {
	reach := s.Neighbours
	if !s.Directed {
		reach /= 2
	}
	normal := func(e arc) arc { // what two names of one edge have in common
		if s.Directed {
			return e
		}
		return e.ordered()
	}
	arcs := make([]arc, 0, s.Nodes*reach)
	present := make(map[arc]struct{}, s.Nodes*reach)
	for shift := 1; shift <= reach; shift++ {
		for i := range s.Nodes {
			e := arc{messages.NodeID((i - shift + s.Nodes) % s.Nodes), messages.NodeID(i)}
			arcs = append(arcs, e)
			present[normal(e)] = struct{}{}
		}
	}
	degree := slices.Repeat([]int{s.Neighbours}, s.Nodes) // of those heard
	for k, e := range arcs {
		// A node that is joined with all others has nowhere to lead an edge.
		if r.Float64() >= s.Rewire || degree[e.to] == s.Nodes-1 {
			continue
		}
		moved := e
		for taken := true; taken; _, taken = present[normal(moved)] {
			moved.from = messages.NodeID(r.IntN(s.Nodes - 1))
			if moved.from >= e.to {
				moved.from++
			}
		}
		delete(present, normal(e))
		present[normal(moved)] = struct{}{}
		arcs[k] = moved
		if !s.Directed {
			degree[e.from]--
			degree[moved.from]++
		}
	}
	return newPattern(s.Nodes, arcs, !s.Directed)
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

// draw lets nodes come one after the other. A list of all edges is all that is needed to
// draw by degree.
func (p PreferentialAttachment) draw(r *rng.Rand) *Graph {
	first := p.Edges + 1
	arcs := make([]arc, 0, first*p.Edges/2+(p.Nodes-first)*p.Edges)
	for i := range first {
		for j := range i {
			arcs = append(arcs, arc{messages.NodeID(j), messages.NodeID(i)})
		}
	}
	joined := make([]messages.NodeID, p.Nodes) // the last node joined with it
	for v := first; v < p.Nodes; v++ {
		// An end of an edge drawn uniformly is a node drawn by its degree.
		ends := 2 * len(arcs)
		for drawn := 0; drawn < p.Edges; {
			e := arcs[r.IntN(ends)/2]
			u := e.from
			if r.Uint64()&1 == 1 {
				u = e.to
			}
			if joined[u] != messages.NodeID(v) {
				joined[u] = messages.NodeID(v)
				arcs = append(arcs, arc{u, messages.NodeID(v)})
				drawn++
			}
		}
	}
	return newPattern(p.Nodes, arcs, true)
}
