package algorithm

import "starling/messages"

// vectorRing holds the vectors that a range of nodes sends, a slab for each of
// the last turns, so that sending allocates nothing once every slab exists. A
// slab is reused when no receiver can still read it.
type vectorRing struct {
	first   messages.NodeID
	count   int
	slabs   []slab
	current *slab
}

// slab is the vectors of one turn, their entries side by side.
type slab struct {
	length  int
	vectors []messages.Vector
}

func newVectorRing(first messages.NodeID, count, lifetime int) vectorRing {
	return vectorRing{first: first, count: count, slabs: make([]slab, lifetime)}
}

func (r *vectorRing) begin(turn int) { r.current = &r.slabs[turn%len(r.slabs)] }

// take returns the node's vector of the turn begun, at length d.
func (r *vectorRing) take(node messages.NodeID, d int) *messages.Vector {
	s := r.current
	if s.vectors == nil {
		s.length = d
		s.vectors = make([]messages.Vector, r.count)
		entries := make([]float64, r.count*d)
		for i := range s.vectors {
			s.vectors[i].Values = entries[i*d : (i+1)*d : (i+1)*d]
		}
	}
	v := &s.vectors[node-r.first]
	if cap(v.Values) < d {
		v.Values = make([]float64, d)
	}
	v.Values = v.Values[:d]
	v.Protected = false
	return v
}
