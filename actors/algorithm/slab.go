package algorithm

import "starling/messages"

// Memory is the memory of the vectors of some nodes, a slab for each turn in which they send,
// so that sending allocates nothing once there are enough slabs. A slab is used again when no
// receiver can still read it. Several steppers may share one.
type Memory struct {
	nodes    messages.Nodes
	lifetime int // turns after which no receiver reads a slab
	// slabs is a channel with room for the one list there is: the goroutine that has taken it
	// out owns it.
	slabs chan []*slab
}

// slab holds the vectors of one turn, their entries side by side. Each node has as many
// entries as the first vector of the turn. Others only read it.
type slab struct {
	// Width is how many entries a node has, and Entries has the entries of all nodes.
	Width   int
	Entries []float64
	turn    int // in which it was last used
	free    int // the turn from which on no receiver reads it
	vectors []messages.Vector
}

// NewMemory returns the memory of nodes. Their vectors are read for at most lifetime turns
// after the turn of their sending.
func NewMemory(nodes messages.Nodes, lifetime int) *Memory {
	m := &Memory{nodes: nodes, lifetime: lifetime, slabs: make(chan []*slab, 1)}
	m.slabs <- nil
	return m
}

// slab returns the slab of a turn. A new one is for vectors of length d, which are read for at
// most lifetime turns.
func (m *Memory) slab(turn, d, lifetime int) *slab {
	list := <-m.slabs
	defer func() { m.slabs <- list }()
	var free *slab
	for _, s := range list {
		if s.turn == turn { // another stepper has begun it
			return s
		}
		if s.free <= turn {
			free = s
		}
	}
	if free == nil {
		free = &slab{vectors: make([]messages.Vector, m.nodes.Len())}
		list = append(list, free)
	}
	if free.turn, free.free = turn, turn+lifetime; free.Width < d {
		free.Width, free.Entries = d, make([]float64, m.nodes.Len()*d)
	}
	return free
}

// row is the place of a node's entries; i counts from the first of the nodes.
func (s *slab) row(i int) []float64 { return s.Entries[i*s.Width : (i+1)*s.Width : (i+1)*s.Width] }

// Put is vectorRing.Take for the vector that a node of another process sends in a turn. whole is
// true if the vector is as wide as others, and so in its place.
func (m *Memory) Put(turn int, node messages.NodeID, values []float64) (v *messages.Vector, whole bool) {
	s, i := m.slab(turn, len(values), m.lifetime), m.nodes.Below(node)
	v = &s.vectors[i]
	if v.Values = values; len(values) == s.Width {
		v.Values, whole = append(s.row(i)[:0], values...), true
	}
	return v, whole
}

// vectorRing is the part of the memory that the nodes of one part of a runtime take. It is not safe
// for concurrent use; several rings may share a memory.
type vectorRing struct {
	Memory  *Memory
	Before  *slab // of the turn before, nil where none was taken in it
	turn    int   // begun
	life    int   // turns after which no vector sent in it is read
	current *slab // of the turn begun, nil until a vector is taken
}

// Begin begins a turn.
func (r *vectorRing) Begin(turn int) {
	r.Before = nil
	if r.turn == turn-1 {
		r.Before = r.current
	}
	r.turn, r.life, r.current = turn, r.Memory.lifetime, nil
}

// Stays declares that vectors taken in the turn begun are read in the next turn at the latest.
// The memory must not be shared.
func (r *vectorRing) Stays() { r.life = 2 }

// Take returns the node's vector of the turn begun, at length d.
func (r *vectorRing) Take(node messages.NodeID, d int) *messages.Vector {
	if r.current == nil {
		r.current = r.Memory.slab(r.turn, d, r.life)
	}
	s, i := r.current, r.Memory.nodes.Below(node)
	v := &s.vectors[i]
	switch {
	case d <= s.Width:
		v.Values = s.row(i)[:d]
	case cap(v.Values) < d: // longer than others' vectors in the turn
		v.Values = make([]float64, d)
	default:
		v.Values = v.Values[:d]
	}
	v.Exposure, v.Float32 = messages.Raw, false
	v.Encoded.Clear()
	return v
}

// Join takes up the slab that another ring of the same memory has begun in the same turn.
func (r *vectorRing) Join(other *vectorRing) {
	if r.current == nil {
		r.current = other.current
	}
}

// Rows takes the vectors of count nodes in the turn begun, at length d, and returns their
// entries side by side; nil where they do not lie side by side.
func (r *vectorRing) Rows(node messages.NodeID, count, d int) []float64 {
	if d == 0 {
		return nil
	}
	if r.current == nil {
		r.current = r.Memory.slab(r.turn, d, r.life)
	}
	s, i := r.current, r.Memory.nodes.Below(node)
	if s.Width != d {
		return nil
	}
	for k := i; k < i+count; k++ {
		if v := &s.vectors[k]; len(v.Values) != d || &v.Values[0] != &s.Entries[k*d] {
			v.Values = s.row(k)
		}
	}
	return s.Entries[i*d : (i+count)*d]
}

// Taken returns the vectors of a node and of the nodes after it in the turn begun, in which
// some vectors were taken.
func (r *vectorRing) Taken(node messages.NodeID) []messages.Vector {
	return r.current.vectors[r.Memory.nodes.Below(node):]
}

// Heard is the vector of a node in the turn before.
func (r *vectorRing) Heard(node messages.NodeID) *messages.Vector {
	return &r.Before.vectors[r.Memory.nodes.Below(node)]
}

// Plain reports whether a node's outbox of the turn begun holds nothing but a broadcast of the
// vector that the node took, in its place and of the width of the others'.
func (r *vectorRing) Plain(node messages.NodeID, outbox *messages.Outbox) bool {
	s := r.current
	if s == nil || s.Width == 0 || outbox.HasSingles() {
		return false
	}
	i := r.Memory.nodes.Below(node)
	v, ok := outbox.Broadcast.(*messages.Vector)
	return ok && v == &s.vectors[i] && len(v.Values) == s.Width && &v.Values[0] == &s.Entries[i*s.Width]
}
