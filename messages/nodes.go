package messages

import (
	"iter"
	"sort"
)

// Nodes is a set of participants in ascending order, such as the nodes of one part of a
// runtime. It is held as spans of consecutive nodes: a set of a few spans costs as
// little as one. The zero value is empty. Only Add changes a set.
type Nodes struct {
	spans []span
	count int
}

// span is consecutive nodes first .. end-1 of a set, with how many of the set come
// before them.
type span struct {
	first, end NodeID
	before     int
}

// Range is the set of the nodes first .. first+count-1.
func Range(first NodeID, count int) Nodes {
	if count == 0 {
		return Nodes{}
	}
	return Nodes{spans: []span{{first, first + NodeID(count), 0}}, count: count}
}

// Add adds a node that is above all in the set.
func (n *Nodes) Add(node NodeID) {
	if last := len(n.spans) - 1; last >= 0 && n.spans[last].end == node {
		n.spans[last].end++
	} else {
		n.spans = append(n.spans, span{node, node + 1, n.count})
	}
	n.count++
}

// Len is how many nodes are in the set.
func (n *Nodes) Len() int { return n.count }

// fewSpans is how many spans are looked through one after the other.
const fewSpans = 4

// Below returns how many nodes of the set are below a node, which need not be in it. For a
// node in the set it is the index of the node.
func (n *Nodes) Below(node NodeID) int {
	k := 0
	if len(n.spans) > fewSpans {
		k = sort.Search(len(n.spans), func(k int) bool { return node < n.spans[k].end })
	}
	for ; k < len(n.spans); k++ {
		if s := &n.spans[k]; node < s.end {
			return s.before + max(int(node-s.first), 0)
		}
	}
	return n.count
}

// Whole returns the first node of the set and the one after its last, and reports whether all
// between them are in it. It returns false for an empty set.
func (n *Nodes) Whole() (first, end NodeID, whole bool) {
	if len(n.spans) != 1 {
		return 0, 0, false
	}
	return n.spans[0].first, n.spans[0].end, true
}

// All goes through the set in order, each node with its index.
func (n *Nodes) All() iter.Seq2[int, NodeID] {
	return func(yield func(int, NodeID) bool) {
		for _, s := range n.spans {
			for node := s.first; node < s.end; node++ {
				if !yield(s.before+int(node-s.first), node) {
					return
				}
			}
		}
	}
}

// Spans goes through the spans of consecutive nodes of the set, ends excluded, in order.
func (n *Nodes) Spans() iter.Seq2[NodeID, NodeID] {
	return func(yield func(first, end NodeID) bool) {
		for _, s := range n.spans {
			if !yield(s.first, s.end) {
				return
			}
		}
	}
}

// Has reports whether a node is in the set.
func (n *Nodes) Has(node NodeID) bool {
	k := sort.Search(len(n.spans), func(k int) bool { return node < n.spans[k].end })
	return k < len(n.spans) && node >= n.spans[k].first
}
