package algorithm

import "starling/messages"

// Vectors is the memory of what some nodes send, a slab for each turn in which
// they send, so that sending allocates nothing once there are enough slabs. A slab is
// used again when no receiver can still read it. Several steppers may share one.
type Vectors struct {
	nodes    messages.Nodes
	lifetime int // turns after which nobody reads a slab
	// slabs is a channel with room for the one list there is: whoever has taken it out
	// owns it.
	slabs chan []*slab
}

// slab is the vectors of one turn, their entries side by side: as many a node as the
// first vector of the turn has.
type slab struct {
	turn    int // in which it was last used
	width   int
	entries []float64
	vectors []messages.Vector
}

// NewVectors returns the memory of nodes whose vectors nobody reads any more so many
// turns after that of their sending.
func NewVectors(nodes messages.Nodes, lifetime int) *Vectors {
	v := &Vectors{nodes: nodes, lifetime: lifetime, slabs: make(chan []*slab, 1)}
	v.slabs <- nil
	return v
}

// slab returns that of a turn, for vectors of length d if it is new.
func (m *Vectors) slab(turn, d int) *slab {
	list := <-m.slabs
	defer func() { m.slabs <- list }()
	var free *slab
	for _, s := range list {
		if s.turn == turn { // another stepper has begun it
			return s
		}
		if s.turn+m.lifetime <= turn {
			free = s
		}
	}
	if free == nil {
		free = &slab{vectors: make([]messages.Vector, m.nodes.Len())}
		list = append(list, free)
	}
	if free.turn = turn; free.width < d {
		free.width, free.entries = d, make([]float64, m.nodes.Len()*d)
	}
	return free
}

// row is the place of a node's entries; i counts from the first of the nodes.
func (s *slab) row(i int) []float64 { return s.entries[i*s.width : (i+1)*s.width : (i+1)*s.width] }

// vectorRing is what the nodes of one stepper take of the memory.
type vectorRing struct {
	memory  *Vectors
	turn    int   // begun
	current *slab // of the turn begun, nil until a vector is taken
	before  *slab // of the turn before, nil where none was taken in it
}

func (r *vectorRing) begin(turn int) {
	r.before = nil
	if r.turn == turn-1 {
		r.before = r.current
	}
	r.turn, r.current = turn, nil
}

// take returns the node's vector of the turn begun, at length d.
func (r *vectorRing) take(node messages.NodeID, d int) *messages.Vector {
	if r.current == nil {
		r.current = r.memory.slab(r.turn, d)
	}
	s, i := r.current, r.memory.nodes.Below(node)
	v := &s.vectors[i]
	switch {
	case d <= s.width:
		v.Values = s.row(i)[:d]
	case cap(v.Values) < d: // longer than what others send in the turn
		v.Values = make([]float64, d)
	default:
		v.Values = v.Values[:d]
	}
	v.Exposure = messages.Raw
	return v
}

// rows takes the vectors of count nodes in the turn begun, at length d, and returns their
// entries side by side; nil where they do not lie so.
func (r *vectorRing) rows(node messages.NodeID, count, d int) []float64 {
	if d == 0 {
		return nil
	}
	if r.current == nil {
		r.current = r.memory.slab(r.turn, d)
	}
	s, i := r.current, r.memory.nodes.Below(node)
	if s.width != d {
		return nil
	}
	for k := i; k < i+count; k++ {
		if v := &s.vectors[k]; len(v.Values) != d || &v.Values[0] != &s.entries[k*d] {
			v.Values = s.row(k)
		}
	}
	return s.entries[i*d : (i+count)*d]
}

// plainly tells whether all that is in a node's outbox of the turn begun is a broadcast
// of the vector it took, in its place and of the width of the others'.
func (r *vectorRing) plainly(node messages.NodeID, outbox *messages.Outbox) bool {
	s := r.current
	if s == nil || s.width == 0 || outbox.HasSingles() {
		return false
	}
	i := r.memory.nodes.Below(node)
	v, ok := outbox.Broadcast.(*messages.Vector)
	return ok && v == &s.vectors[i] && len(v.Values) == s.width && &v.Values[0] == &s.entries[i*s.width]
}
