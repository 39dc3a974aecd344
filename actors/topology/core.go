package topology

import (
	"math/bits"

	"starling/messages"
)

// halves are the edges of some graphs on the same nodes, taken together, seen from both ends.
// They are never merged: to search them apart is cheaper.
type halves struct{ out, in []adjacency }

// halvesOf takes graphs together; one that follows itself counts once.
func halvesOf(graphs []*Graph) (h halves) {
	for k, g := range graphs {
		if k == 0 || g != graphs[k-1] {
			h.out, h.in = append(h.out, g.out), append(h.in, g.in)
		}
	}
	return h
}

// components labels the strongly connected components of the union, as Components. Most
// networks have one component that holds nearly all nodes: those that a central node reaches
// and is reached from. Two breadth-first searches, which look at each node in a set of a bit
// each, find it several times faster than a depth-first search does, and leave to that one the
// few other nodes.
func (h halves) components() (label []int32, count int) {
	n := h.out[0].nodes()
	if n == 0 {
		return nil, 0
	}
	root := h.central()
	reached, reaching := reachable(h.out, root), reachable(h.in, root)
	core := reached.and(reaching)
	if core.count() == n {
		return make([]int32, n), 1
	}
	// The nodes that the core reaches are numbered before it. None of them leads back to it,
	// so the search does not meet it before it is closed.
	t := newTarjan(rowsOutside(h.out, core))
	t.searchAll(reached.without(core))
	for v := range t.mark {
		if core.has(messages.NodeID(v)) {
			t.mark[v] = closed - t.count
		}
	}
	t.count++
	t.searchAll(nil)
	return t.labels()
}

// central returns the node with the most pairs of an edge to it and one from it:
// likely one of the largest component.
func (h halves) central() (root messages.NodeID) {
	best := -1
	for v := range messages.NodeID(h.out[0].nodes()) {
		out, in := 0, 0
		for k := range h.out {
			out += len(h.out[k].row(v))
			in += len(h.in[k].row(v))
		}
		if out*in > best {
			best, root = out*in, v
		}
	}
	return root
}

// rowsOutside returns the rows of the union of all nodes that are not in the core. For one
// graph it returns all rows as they are; rows of the core are not read.
func rowsOutside(lists []adjacency, core nodeSet) adjacency {
	if len(lists) == 1 {
		return lists[0]
	}
	n := lists[0].nodes()
	rows := adjacency{start: make([]int32, 1, n+1)}
	for v := range messages.NodeID(n) {
		if !core.has(v) {
			for _, a := range lists {
				rows.to = append(rows.to, a.row(v)...)
			}
		}
		rows.start = append(rows.start, int32(len(rows.to)))
	}
	return rows
}

// reachable returns the nodes that a path of the union leads to from root, itself
// included. It ends early when these are all.
func reachable(lists []adjacency, root messages.NodeID) nodeSet {
	n := lists[0].nodes()
	seen := newNodeSet(n)
	seen.add(root)
	queue := make([]messages.NodeID, 1, n)
	queue[0] = root
	for at := 0; at < len(queue) && len(queue) < n; at++ {
		for _, a := range lists {
			for _, w := range a.row(queue[at]) {
				if !seen.has(w) {
					seen.add(w)
					queue = append(queue, w)
				}
			}
		}
	}
	return seen
}

// nodeSet is a set of nodes, a bit each.
type nodeSet []uint64

func newNodeSet(n int) nodeSet { return make(nodeSet, (n+63)/64) }

func (s nodeSet) has(v messages.NodeID) bool { return s[uint32(v)/64]>>(uint32(v)%64)&1 == 1 }

func (s nodeSet) add(v messages.NodeID) { s[uint32(v)/64] |= 1 << (uint32(v) % 64) }

// and returns the nodes in both sets.
func (s nodeSet) and(other nodeSet) nodeSet {
	both := make(nodeSet, len(s))
	for k := range s {
		both[k] = s[k] & other[k]
	}
	return both
}

// without returns the nodes that are not in the other set.
func (s nodeSet) without(other nodeSet) nodeSet {
	rest := make(nodeSet, len(s))
	for k := range s {
		rest[k] = s[k] &^ other[k]
	}
	return rest
}

func (s nodeSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
