package algorithm

import "starling/messages"

// vectorRing holds the vectors that a range of nodes sends, a slab for each turn
// in which they send, so that sending allocates nothing once there are enough
// slabs. A slab is reused when no receiver can still read it.
type vectorRing struct {
	first    messages.NodeID
	count    int
	lifetime int // turns after which nobody reads a slab
	turn     int // begun
	slabs    []*slab
	current  *slab // of the turn begun, nil until a vector is taken
}

// slab is the vectors of one turn, their entries side by side.
type slab struct {
	turn    int // in which it was last used
	vectors []messages.Vector
}

func newVectorRing(first messages.NodeID, count, lifetime int) vectorRing {
	return vectorRing{first: first, count: count, lifetime: lifetime}
}

func (r *vectorRing) begin(turn int) { r.turn, r.current = turn, nil }

// take returns the node's vector of the turn begun, at length d.
func (r *vectorRing) take(node messages.NodeID, d int) *messages.Vector {
	if r.current == nil {
		r.current = r.free(d)
	}
	v := &r.current.vectors[node-r.first]
	if cap(v.Values) < d {
		v.Values = make([]float64, d)
	}
	v.Values = v.Values[:d]
	v.Exposure = messages.Raw
	return v
}

// free returns a slab that nobody reads any more, a new one if there is none.
func (r *vectorRing) free(d int) *slab {
	for _, s := range r.slabs {
		if s.turn+r.lifetime <= r.turn {
			s.turn = r.turn
			return s
		}
	}
	s := &slab{turn: r.turn, vectors: make([]messages.Vector, r.count)}
	entries := make([]float64, r.count*d)
	for i := range s.vectors {
		s.vectors[i].Values = entries[i*d : (i+1)*d : (i+1)*d]
	}
	r.slabs = append(r.slabs, s)
	return s
}
