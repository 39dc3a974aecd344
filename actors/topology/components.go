package topology

import "starling/messages"

// Components returns the strongly connected components of g: label[v] is the
// component of node v, 0 <= label[v] < count. A component is numbered before
// every other component that reaches it. Self-loops and weights do not matter.
// Time and memory are linear in nodes and edges.
func Components(g *Graph) (label []int32, count int) { return components(g.out) }

// tarjan is the state of Tarjan's depth-first search (SIAM Journal on Computing
// 1, 1972), with the recursion kept on a stack of its own: paths get as long as
// the graph.
type tarjan struct {
	graph adjacency
	order []int32           // of discovery, from 1; 0 is undiscovered
	low   []int32           // the earliest open node known to be reached
	next  []int32           // position in graph.to of the next edge to follow
	label []int32           // -1 until the node's component is closed
	path  []messages.NodeID // from the root to the node at hand
	open  []messages.NodeID // discovered, component not closed
	found int32             // nodes discovered
	count int               // components closed
}

// components labels the strongly connected components of a, as Components.
func components(a adjacency) (label []int32, count int) {
	n := a.nodes()
	t := &tarjan{
		graph: a,
		order: make([]int32, n),
		low:   make([]int32, n),
		next:  make([]int32, n),
		label: make([]int32, n),
		path:  make([]messages.NodeID, 0, n),
		open:  make([]messages.NodeID, 0, n),
	}
	for v := range t.label {
		t.label[v] = -1
	}
	for root := range n {
		if t.order[root] == 0 {
			t.search(messages.NodeID(root))
		}
	}
	return t.label, t.count
}

// search closes the component of root and all that it reaches.
func (t *tarjan) search(root messages.NodeID) {
	t.discover(root)
	for len(t.path) > 0 {
		v := t.path[len(t.path)-1]
		if t.next[v] < t.graph.start[v+1] {
			w := t.graph.to[t.next[v]]
			t.next[v]++
			if t.order[w] == 0 {
				t.discover(w)
			} else if t.label[w] < 0 {
				t.low[v] = min(t.low[v], t.order[w])
			}
			continue
		}
		t.path = t.path[:len(t.path)-1]
		if t.low[v] == t.order[v] {
			t.close(v)
		}
		if len(t.path) > 0 {
			parent := t.path[len(t.path)-1]
			t.low[parent] = min(t.low[parent], t.low[v])
		}
	}
}

// discover puts v at the end of the path.
func (t *tarjan) discover(v messages.NodeID) {
	t.found++
	t.order[v], t.low[v] = t.found, t.found
	t.next[v] = t.graph.start[v]
	t.path = append(t.path, v)
	t.open = append(t.open, v)
}

// close labels the component whose first node is v.
func (t *tarjan) close(v messages.NodeID) {
	for {
		w := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.label[w] = int32(t.count)
		if w == v {
			t.count++
			return
		}
	}
}
