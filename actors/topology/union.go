package topology

import (
	"slices"

	"starling/actors/option"
	"starling/messages"
)

// Union has the edges of all of its parts, each of weight 1: a pattern. A node hears itself if
// it does in a part. Build it with NewUnion.
type Union struct {
	parts  []Sequence
	period int // 0 where there is none
}

// NewUnion returns the union of parts, of which there is at least one. All have as many nodes.
// Parts that are drawn are best given seeds of their own (PartSeed). The list is copied.
func NewUnion(parts ...Sequence) (*Union, error) {
	if len(parts) == 0 {
		return nil, option.Errorf("parts", "no parts, want at least one")
	}
	if err := sameNodes(parts); err != nil {
		return nil, err
	}
	u := &Union{parts: slices.Clone(parts)}
	u.period, _ = common(1, parts...)
	return u, nil
}

// Nodes implements Sequence.
func (u *Union) Nodes() int { return u.parts[0].Nodes() }

// Period implements Sequence: the least common multiple of the periods, if all parts have one
// and it is at most 2^31.
func (u *Union) Period() (int, bool) { return u.period, u.period > 0 }

// Epoch implements Sequence: the place in the period, or the step.
func (u *Union) Epoch(step int) int {
	if u.period > 0 {
		return step % u.period
	}
	return step
}

// At implements Sequence. It builds a graph on every call.
func (u *Union) At(step int) *Graph {
	g, err := u.GraphAt(step)
	if err != nil {
		panic("topology: a graph was asked for that was not checked: " + err.Error())
	}
	return g
}

// GraphAt implements Failing.
func (u *Union) GraphAt(step int) (*Graph, error) {
	graphs := make([]*Graph, len(u.parts))
	for k, p := range u.parts {
		var err error
		if graphs[k], err = GraphAt(p, step); err != nil {
			return nil, err
		}
	}
	n := u.Nodes()
	in := adjacency{start: make([]int32, 1, n+1)}
	for i := range messages.NodeID(n) {
		first := len(in.to)
		for _, g := range graphs {
			from, _ := g.In(i)
			in.to = append(in.to, from...)
		}
		row := in.to[first:]
		slices.Sort(row)
		in.to = in.to[:first+len(slices.Compact(row))]
		in.start = append(in.start, int32(len(in.to)))
	}
	weights := make([]float64, len(in.to))
	for k := range weights {
		weights[k] = 1
	}
	for _, g := range graphs {
		g.Recycle()
	}
	return fromRows(in, weights), nil
}

// Edgeless is the network without edges.
type Edgeless struct{ Nodes int }

// Validate returns an error for a number of nodes that no graph has.
func (e Edgeless) Validate() error { return checkNodes(e.Nodes) }

// Sequence returns the network, the same in every step.
func (e Edgeless) Sequence() (Sequence, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return Static(Empty(e.Nodes)), nil
}
