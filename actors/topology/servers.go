package topology

import (
	"fmt"
	"slices"

	"starling/messages"
)

// Servers are an edge server above each cluster of consecutive nodes, and a cloud above these. In
// some steps nodes exchange through them, and every node gets the mean of its cluster or of all:
//
//	of edge servers   node, edge server, node                      2 hops
//	of the cloud      node, edge server, cloud, edge server, node  4 hops
//	others            from node to node, by the graph              1 hop
//
// There are two graphs. A sequence of N nodes, such as Clusters, has the weights of the means. Links
// has the paths of messages. Its nodes are the N nodes, the edge servers from N on in the order of
// their clusters, and the cloud. Servers are immutable; build them with NewServers.
type Servers struct {
	first       []messages.NodeID // of each cluster, ascending, and N
	edge, cloud *Times            // nil is never
	within      *Times            // nil is always
	// apart and joined are the links of steps of edge servers and of the cloud.
	apart, joined *Graph
}

// NewServers returns the servers of clusters with so many nodes each, which they meet at the times of
// edge and cloud; nil is never. At times of both they meet at the cloud. In steps outside of within
// nobody sends; nil is none of these. It returns an error for sizes that CheckSizes refuses.
func NewServers(sizes []int, edge, cloud, within *Times) (*Servers, error) {
	s := &Servers{first: make([]messages.NodeID, 1, len(sizes)+1), edge: edge, cloud: cloud, within: within}
	err := CheckSizes(sizes, edge != nil)
	if err != nil {
		return nil, err
	}
	for k, size := range sizes {
		s.first = append(s.first, s.first[k]+messages.NodeID(size))
	}
	if s.apart, err = s.links(false); err != nil {
		return nil, err
	}
	s.joined, err = s.links(true)
	return s, err
}

// CheckSizes refuses a cluster without nodes, and one of a single node that would have nobody to average
// with: at an edge server, or as the only cluster.
func CheckSizes(sizes []int, edge bool) error {
	least := 1
	if edge || len(sizes) == 1 {
		least = 2
	}
	for k, size := range sizes {
		if err := atLeast(fmt.Sprintf("sizes[%d]", k), size, least); err != nil {
			return err
		}
	}
	return nil
}

// links returns the links of steps of edge servers, or of the cloud. A server gives those below it
// the weights of the mean of the nodes: 1/m for each of m nodes of a cluster, m/N for its edge
// server. A receiver from above gives weight 1.
func (s *Servers) links(joined bool) (*Graph, error) {
	var edges []Edge
	between := func(below, above messages.NodeID, weight float64) {
		edges = append(edges, Edge{From: below, To: above, Weight: weight}, Edge{From: above, To: below, Weight: 1})
	}
	nodes := s.Nodes()
	for k := range s.Clusters() {
		first, end := s.Cluster(k)
		size := int(end - first)
		for node := first; node < end; node++ {
			between(node, s.Edge(k), 1/float64(size))
		}
		if joined {
			between(s.Edge(k), s.Cloud(), float64(size)/float64(nodes))
		}
	}
	return FromEdges(s.Participants(), edges)
}

// Nodes is the number of nodes, N.
func (s *Servers) Nodes() int { return int(s.first[s.Clusters()]) }

// Clusters is the number of clusters.
func (s *Servers) Clusters() int { return len(s.first) - 1 }

// Participants is the number of nodes and servers.
func (s *Servers) Participants() int { return s.Nodes() + s.Clusters() + 1 }

// Cluster returns the nodes of a cluster, first .. end-1.
func (s *Servers) Cluster(k int) (first, end messages.NodeID) { return s.first[k], s.first[k+1] }

// Edge is the edge server of a cluster.
func (s *Servers) Edge(cluster int) messages.NodeID {
	return messages.NodeID(s.Nodes() + cluster)
}

// Cloud is the server above the edge servers.
func (s *Servers) Cloud() messages.NodeID { return messages.NodeID(s.Participants() - 1) }

// Above returns the servers above a node: its edge server, and the cloud.
func (s *Servers) Above(node messages.NodeID) []messages.NodeID {
	k, found := slices.BinarySearch(s.first, node)
	if !found {
		k--
	}
	return []messages.NodeID{s.Edge(k), s.Cloud()}
}

// Level is the level of a participant: 0 of the cloud, 1 of an edge server, 2 of a node.
func (s *Servers) Level(participant messages.NodeID) int {
	switch {
	case int(participant) < s.Nodes():
		return 2
	case participant < s.Cloud():
		return 1
	}
	return 0
}

// met are the links of a step of servers; nil in other steps.
func (s *Servers) met(step int) *Graph {
	if s.within != nil && !s.within.Sends(0, step) {
		return nil
	}
	return servedBy(s.edge, s.cloud, step, s.apart, s.joined)
}

// servedBy returns the graph of a step of edge servers, apart, or of the cloud, joined; nil in other
// steps.
func servedBy(edge, cloud *Times, step int, apart, joined *Graph) *Graph {
	switch {
	case cloud != nil && cloud.Sends(0, step):
		return joined
	case edge != nil && edge.Sends(0, step):
		return apart
	}
	return nil
}

// Meets reports whether servers of a level, as Level numbers them, hear anything in a step, from 0.
func (s *Servers) Meets(level, step int) bool {
	g := s.met(step)
	return g != nil && (level > 0 || g == s.joined)
}

// Hops is the number of hops of a step, from 0: Run.Hops of an algorithm's run.
func (s *Servers) Hops(step int) int {
	switch s.met(step) {
	case s.joined:
		return 4
	case s.apart:
		return 2
	}
	return 1
}

// Acts returns the participants that act in a hop of a step: Run.Acts of an algorithm's run.
func (s *Servers) Acts(_, hop int) (first, end messages.NodeID) {
	switch hop {
	case 0:
		return 0, messages.NodeID(s.Nodes())
	case 2:
		return s.Cloud(), s.Cloud() + 1
	}
	return s.Edge(0), s.Cloud()
}

// Links returns the sequence of the paths of messages. In steps without servers it has the graphs of
// weights, and servers beside the N nodes have no edges.
func (s *Servers) Links(weights Sequence) Sequence { return &linked{weights, s} }

// linked is the sequence of Servers.Links.
type linked struct {
	weights Sequence
	servers *Servers
}

// Nodes implements Sequence.
func (l *linked) Nodes() int { return l.servers.Participants() }

// At implements Sequence. It may build a graph.
func (l *linked) At(step int) *Graph {
	if g := l.servers.met(step); g != nil {
		return g
	}
	return l.weights.At(step).with(l.servers.Clusters() + 1)
}

// GraphAt implements Failing.
func (l *linked) GraphAt(step int) (*Graph, error) {
	if g := l.servers.met(step); g != nil {
		return g, nil
	}
	g, err := GraphAt(l.weights, step)
	if err != nil {
		return nil, err
	}
	return g.with(l.servers.Clusters() + 1), nil
}

// Period implements Sequence: the period of the weights, which is one of the times too.
func (l *linked) Period() (int, bool) { return l.weights.Period() }

// Epoch implements Sequence: 0 and 1 are the links of servers.
func (l *linked) Epoch(step int) int {
	switch l.servers.met(step) {
	case l.servers.joined:
		return 0
	case l.servers.apart:
		return 1
	}
	return 2 + l.weights.Epoch(step)
}

// with returns the graph with more nodes after its own, which have no edges. It shares the edges of
// g.
func (g *Graph) with(more int) *Graph {
	g.Keep()
	longer := func(a adjacency) adjacency {
		start := make([]int32, len(a.start)+more)
		for i := copy(start, a.start); i < len(start); i++ {
			start[i] = start[i-1]
		}
		return adjacency{start, a.to}
	}
	return &Graph{in: longer(g.in), weights: g.weights, out: longer(g.out), selfLoops: g.selfLoops}
}
