package topology

import (
	"slices"

	"starling/actors/option"
	"starling/messages"
)

// Clusters are groups of consecutive nodes with a topology each, below edge servers and a cloud:
// semi-decentralised federated learning (Lin, Hosseinalipour, Azam, Brinton, Michelusi, IEEE JSAC
// 2021). Build it with NewClusters. In a step
//
//	of the cloud      every node averages all nodes, itself among them, with weight 1/N
//	of edge servers   every node averages the nodes of its cluster, of size m, with weight 1/m
//	else              every node averages those that it hears in the topology of its cluster
//
// The sequence has the weights of these means, and no servers. Servers has the links over which
// messages go. The mean of N nodes has N^2 weights: NewLooseClusters is for more than memory holds.
type Clusters struct {
	parts       []Sequence
	edge, cloud *Times // nil is never
	// apart and joined are the graphs of steps of edge servers and of the cloud.
	apart, joined *Graph
	inside        int      // period of the parts together; 0 where there is none
	kept          []*Graph // of the parts by the place in their period; nil where they are too many
}

// NewClusters returns the sequence of parts, one for each cluster. edge and cloud are the times of
// exchanges through servers; nil is never. Parts that are drawn are best given seeds of their own
// (PartSeed). The list is copied.
func NewClusters(edge, cloud *Times, parts ...Sequence) (*Clusters, error) {
	return newClusters(edge, cloud, parts, func(nodes int) (*Graph, error) {
		mean, err := Complete{Nodes: nodes, SelfLoops: true}.Sequence()
		if err != nil {
			return nil, err
		}
		return mean.At(0), nil
	})
}

// NewLooseClusters is NewClusters with a ring in place of each mean: a node averages itself and the
// node before it, with weight 1/2 each, in 2 N weights. Rings are no means. Where servers make the means,
// a run asks nothing of the graph that a ring has not in common with it: the strong components,
// and so windows, of any union with other graphs; sums of 1 of rows and columns; and nodes that
// others hear. Contraction, degrees and neighbours differ.
func NewLooseClusters(edge, cloud *Times, parts ...Sequence) (*Clusters, error) {
	return newClusters(edge, cloud, parts, looseMean)
}

// looseMean is the ring of NewLooseClusters.
func looseMean(nodes int) (*Graph, error) {
	if nodes == 1 {
		return Alone(1), nil
	}
	edges := make([]Edge, 0, 2*nodes)
	for i := range messages.NodeID(nodes) {
		before := (i + messages.NodeID(nodes) - 1) % messages.NodeID(nodes)
		edges = append(edges, Edge{From: i, To: i, Weight: 0.5}, Edge{From: before, To: i, Weight: 0.5})
	}
	return FromEdges(nodes, edges)
}

// newClusters returns the clusters, of which mean returns the graph of a mean of so many nodes.
func newClusters(edge, cloud *Times, parts []Sequence, mean func(nodes int) (*Graph, error)) (*Clusters, error) {
	if len(parts) == 0 {
		return nil, option.Errorf("parts", "no clusters, want at least one")
	}
	c := &Clusters{parts: slices.Clone(parts), edge: edge, cloud: cloud}
	c.inside, _ = common(1, parts...)
	nodes, bySize := 0, map[int]*Graph{}
	own := make([]*Graph, len(parts))
	for k, part := range parts {
		size := part.Nodes()
		nodes += size
		if bySize[size] == nil {
			var err error
			if bySize[size], err = mean(size); err != nil {
				return nil, err
			}
		}
		own[k] = bySize[size]
	}
	var err error
	if c.joined, err = mean(nodes); err != nil {
		return nil, err
	}
	c.apart = beside(own)
	c.joined.Keep()
	c.apart.Keep()
	return c, c.keep()
}

// keep makes the graphs of the parts, if they have a short period and few edges.
func (c *Clusters) keep() error {
	if c.inside == 0 || c.inside > mostKept {
		return nil
	}
	var kept []*Graph
	for step, edges := 0, 0; step < c.inside; step++ {
		g, err := c.below(step)
		if err != nil {
			return err
		}
		if edges += g.Edges(); edges > mostKeptEdges && c.inside > 1 {
			return nil
		}
		g.Keep()
		kept = append(kept, g)
	}
	c.kept = kept
	return nil
}

// beside returns the graph of graphs that lie beside each other: the nodes of the first come first,
// and each keeps its own edges and weights.
func beside(graphs []*Graph) *Graph {
	edges, nodes := 0, 0
	for _, g := range graphs {
		edges, nodes = edges+g.Edges(), nodes+g.Nodes()
	}
	in := adjacency{start: make([]int32, 1, nodes+1), to: make([]messages.NodeID, 0, edges)}
	weights := make([]float64, 0, edges)
	before := messages.NodeID(0) // nodes of earlier graphs
	for _, g := range graphs {
		for i := range messages.NodeID(g.Nodes()) {
			from, row := g.In(i)
			for _, j := range from {
				in.to = append(in.to, j+before)
			}
			weights = append(weights, row...)
			in.start = append(in.start, int32(len(in.to)))
		}
		before += messages.NodeID(g.Nodes())
	}
	return fromRows(in, weights)
}

// below returns the graph of the parts in a step.
func (c *Clusters) below(step int) (*Graph, error) {
	if c.kept != nil {
		return c.kept[step%c.inside], nil
	}
	graphs := make([]*Graph, len(c.parts))
	for k, p := range c.parts {
		var err error
		if graphs[k], err = GraphAt(p, step); err != nil {
			return nil, err
		}
	}
	whole := beside(graphs)
	for _, g := range graphs {
		g.Recycle()
	}
	return whole, nil
}

// served returns the weights of a step of servers; nil in other steps.
func (c *Clusters) served(step int) *Graph { return servedBy(c.edge, c.cloud, step, c.apart, c.joined) }

// Nodes implements Sequence.
func (c *Clusters) Nodes() int { return c.joined.Nodes() }

// At implements Sequence. It may build a graph.
func (c *Clusters) At(step int) *Graph {
	g, err := c.GraphAt(step)
	if err != nil {
		panic("topology: a graph was asked for that was not checked: " + err.Error())
	}
	return g
}

// GraphAt implements Failing.
func (c *Clusters) GraphAt(step int) (*Graph, error) {
	if g := c.served(step); g != nil {
		return g, nil
	}
	return c.below(step)
}

// Epoch implements Sequence: 0 and 1 are the graphs of servers.
func (c *Clusters) Epoch(step int) int {
	switch g := c.served(step); {
	case g == nil && c.inside > 0:
		return 2 + step%c.inside
	case g == nil:
		return 2 + step
	case g == c.joined:
		return 0
	}
	return 1
}

// Period implements Sequence: the least common multiple of the periods of the parts and of the times,
// if all have one and it is at most 2^31.
func (c *Clusters) Period() (period int, ok bool) {
	if period = c.inside; period == 0 {
		return 0, false
	}
	for _, times := range []*Times{c.edge, c.cloud} {
		if times == nil {
			continue
		}
		every, repeats := times.period()
		if !repeats {
			return 0, false
		}
		if period, ok = longer(period/gcd(period, every), every); !ok {
			return 0, false
		}
	}
	return period, true
}
