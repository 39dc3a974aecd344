package topology

import (
	"math"

	"starling/messages"
)

// Components returns the strongly connected components of g: label[v] is the
// component of node v, 0 <= label[v] < count. A component is numbered before
// every other component that reaches it. Self-loops and weights do not matter.
// Time and memory are linear in nodes and edges.
func Components(g *Graph) (label []int32, count int) {
	return halves{out: []adjacency{g.out}, in: []adjacency{g.in}}.components()
}

// tarjan is the state of Tarjan's depth-first search (SIAM Journal on Computing 1, 1972) in
// the form of Pearce (Information Processing Letters 116, 2016, PEA_FIND_SCC3): following an
// edge needs one number a node. The recursion is kept on a stack of its own, for paths get as
// long as the graph.
type tarjan struct {
	graph adjacency
	// mark is 0 for a node not discovered; the earliest open node, counted from 1, that an
	// open one is known to reach; and closed less the component for a node of a closed
	// component. That is more than any number of open nodes, so the least of marks passes
	// closed nodes over.
	mark  []int32
	path  []visit           // from the root to the node at hand
	open  []messages.NodeID // off the path, component not closed
	live  int32             // nodes on the path or open
	count int32             // components closed
}

// visit is a node on the path.
type visit struct {
	node      messages.NodeID
	next, end int32 // positions in graph.to of the edges still to follow
	first     bool  // no node discovered before is known to be reached
}

// closed is above the mark of any open node less the number of components: with
// c of them closed there are at most math.MaxInt32 - c open nodes.
const closed = math.MaxInt32

// components labels the strongly connected components of a, as Components.
func components(a adjacency) (label []int32, count int) {
	t := newTarjan(a)
	t.searchAll(nil)
	return t.labels()
}

// newTarjan returns a search of a in which no node is discovered.
func newTarjan(a adjacency) *tarjan { return &tarjan{graph: a, mark: make([]int32, a.nodes())} }

// searchAll closes the components of all nodes of a set, nil for all there are,
// and of all that they reach.
func (t *tarjan) searchAll(from nodeSet) {
	for root, mark := range t.mark {
		if mark == 0 && (from == nil || from.has(messages.NodeID(root))) {
			t.search(messages.NodeID(root))
		}
	}
}

// labels ends the search; every component is closed.
func (t *tarjan) labels() (label []int32, count int) {
	for v, mark := range t.mark {
		t.mark[v] = closed - mark
	}
	return t.mark, int(t.count)
}

// search closes the component of root and all that it reaches.
func (t *tarjan) search(root messages.NodeID) {
	t.discover(root)
	for len(t.path) > 0 {
		at := &t.path[len(t.path)-1]
		if at.next < at.end {
			w := t.graph.to[at.next]
			at.next++
			if t.mark[w] == 0 {
				t.discover(w)
			} else {
				at.reaches(t.mark, t.mark[w])
			}
			continue
		}
		left := *at
		t.path = t.path[:len(t.path)-1]
		if left.first {
			t.close(left.node)
		} else {
			t.open = append(t.open, left.node)
		}
		if len(t.path) > 0 {
			t.path[len(t.path)-1].reaches(t.mark, t.mark[left.node])
		}
	}
}

// discover puts v at the end of the path.
func (t *tarjan) discover(v messages.NodeID) {
	t.live++
	t.mark[v] = t.live
	t.path = append(t.path, visit{node: v, next: t.graph.start[v], end: t.graph.start[v+1], first: true})
}

// reaches notes that the node reaches one of the given mark.
func (v *visit) reaches(marks []int32, mark int32) {
	if mark < marks[v.node] {
		marks[v.node] = mark
		v.first = false
	}
}

// close labels the component with the first node v: v and the open nodes that were discovered
// after it.
func (t *tarjan) close(v messages.NodeID) {
	first, label := t.mark[v], closed-t.count
	t.mark[v] = label
	t.live--
	for len(t.open) > 0 {
		w := t.open[len(t.open)-1]
		if t.mark[w] < first {
			break
		}
		t.open = t.open[:len(t.open)-1]
		t.mark[w] = label
		t.live--
	}
	t.count++
}
