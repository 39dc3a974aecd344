package topology

import (
	"fmt"

	"starling/messages"
)

// SupportError is the reason why a digraph has no doubly stochastic weights that are positive
// on every edge: an edge lies in no perfect matching, a choice of one edge into and one out of
// every node.
type SupportError struct {
	// From and To are the edge; -1 if there is none at all.
	From, To messages.NodeID
	// Perfect says whether there is a perfect matching without the edge. If not, no edge is in
	// one, and Unmatched hears no node that is left to it.
	Perfect   bool
	Unmatched messages.NodeID
}

// Error numbers nodes from 1.
func (e *SupportError) Error() string {
	const which = "no choice of one edge into and one out of every node"
	if e.Perfect {
		return fmt.Sprintf("no doubly stochastic weights: the edge from node %d to node %d is in %s", number(e.From), number(e.To), which)
	}
	if e.From < 0 {
		return fmt.Sprintf("no doubly stochastic weights: there is %s, for there are no edges", which)
	}
	return fmt.Sprintf("no doubly stochastic weights: there is %s; node %d is left over, and the edge from node %d to node %d is in none",
		which, number(e.Unmatched), number(e.From), number(e.To))
}

// CheckSupport returns a *SupportError unless the pattern of g has total support: exactly then
// there are doubly stochastic weights that are positive on every edge (Sinkhorn and Knopp,
// 1967). Given one perfect matching, an edge is in some perfect matching exactly if it closes
// a cycle of edges that alternate with the matching's, which is a matter of strongly connected
// components. It takes time sqrt(nodes) times edges at most.
func CheckSupport(g *Graph) error {
	m := match(g)
	for i, j := range m.sender {
		if j >= 0 {
			continue
		}
		err := &SupportError{From: -1, To: -1, Unmatched: messages.NodeID(i)}
		for v := range messages.NodeID(g.Nodes()) {
			if from, _ := g.In(v); len(from) > 0 {
				err.From, err.To = from[0], v
				break
			}
		}
		return err
	}
	// Receiver i leads to the receiver that each j it hears is matched with.
	turns := adjacency{g.in.start, make([]messages.NodeID, g.Edges())}
	for k, j := range g.in.to {
		turns.to[k] = m.receiver[j]
	}
	label, _ := components(turns)
	for i := range messages.NodeID(g.Nodes()) {
		for _, j := range g.in.row(i) {
			if label[i] != label[m.receiver[j]] {
				return &SupportError{From: j, To: i, Perfect: true}
			}
		}
	}
	return nil
}

// matching pairs receivers with senders along edges: -1 is none.
type matching struct {
	graph    *Graph
	sender   []messages.NodeID // of a receiver
	receiver []messages.NodeID // of a sender
	layer    []int32           // of a receiver in the search at hand; -1 is none
	next     []int32           // position of the next edge of a receiver to try
	queue    []messages.NodeID
	path     []messages.NodeID
}

// match returns a matching of the greatest size (Hopcroft and Karp, SIAM Journal
// on Computing 2, 1973). It begins with the self-loops.
func match(g *Graph) *matching {
	n := g.Nodes()
	m := &matching{
		graph:  g,
		sender: make([]messages.NodeID, n), receiver: make([]messages.NodeID, n),
		layer: make([]int32, n), next: make([]int32, n),
	}
	for v := range messages.NodeID(n) {
		m.sender[v], m.receiver[v] = -1, -1
		if g.HasEdge(v, v) {
			m.sender[v], m.receiver[v] = v, v
		}
	}
	for m.layers() {
		copy(m.next, g.in.start)
		for i, j := range m.sender {
			if j < 0 {
				m.augment(messages.NodeID(i))
			}
		}
	}
	return m
}

// layers numbers the receivers by their distance from those left over, and
// reports whether a sender left over is within reach.
func (m *matching) layers() (found bool) {
	m.queue = m.queue[:0]
	for i, j := range m.sender {
		m.layer[i] = -1
		if j < 0 {
			m.layer[i] = 0
			m.queue = append(m.queue, messages.NodeID(i))
		}
	}
	for k := 0; k < len(m.queue); k++ {
		i := m.queue[k]
		for _, j := range m.graph.in.row(i) {
			r := m.receiver[j]
			if r < 0 {
				found = true
			} else if m.layer[r] < 0 {
				m.layer[r] = m.layer[i] + 1
				m.queue = append(m.queue, r)
			}
		}
	}
	return found
}

// augment looks for a path from the receiver root, left over, to a sender left
// over, from layer to layer, and changes partners along it. Edges that lead
// nowhere are not tried again.
func (m *matching) augment(root messages.NodeID) {
	m.path = append(m.path[:0], root)
	for len(m.path) > 0 {
		i := m.path[len(m.path)-1]
		if m.next[i] == m.graph.in.start[i+1] {
			m.path = m.path[:len(m.path)-1]
			if len(m.path) > 0 {
				m.next[m.path[len(m.path)-1]]++
			}
			continue
		}
		j := m.graph.in.to[m.next[i]]
		r := m.receiver[j]
		if r < 0 {
			for _, v := range m.path {
				// The edge that v is at leads to the sender of the next on the path.
				w := m.graph.in.to[m.next[v]]
				m.sender[v], m.receiver[w] = w, v
				m.next[v]++
			}
			return
		}
		if m.layer[r] == m.layer[i]+1 {
			m.path = append(m.path, r)
			continue
		}
		m.next[i]++
	}
}
