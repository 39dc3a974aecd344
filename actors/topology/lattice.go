package topology

import (
	"fmt"
	"math/bits"

	"starling/actors/option"
	"starling/messages"
)

// Path is the line of nodes: each hears the one before it and, unless directed,
// the one after it. A pattern.
type Path struct {
	Nodes    int  // at least 2
	Directed bool `yaml:"directed" doc:"each node hears the one before it only"`
}

// Validate reports the first option that is out of range.
func (p Path) Validate() error { return checkNodesOption(p.Nodes, 2) }

// Sequence returns the path at every step.
func (p Path) Sequence() (Sequence, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	arcs := make([]arc, p.Nodes-1)
	for i := range arcs {
		arcs[i] = arc{messages.NodeID(i), messages.NodeID(i + 1)}
	}
	return Static(newPattern(p.Nodes, arcs, !p.Directed)), nil
}

// checkNodesOption refuses a number of nodes that a generator cannot have.
func checkNodesOption(nodes, smallest int) error {
	if err := atLeast("nodes", nodes, smallest); err != nil {
		return err
	}
	if err := checkNodes(nodes); err != nil {
		return option.Errorf("nodes", "%v", err)
	}
	return nil
}

// Torus is the grid with its opposite sides joined, of any dimension: each node
// hears its two neighbours along every dimension, or the one before it if
// directed. Nodes are numbered with the last coordinate running fastest. Along a
// side of length 2 both neighbours are the same node. A pattern.
type Torus struct {
	// Nodes is N, the product of the sides.
	Nodes    int
	Sides    []int `yaml:"sides,required" unit:"nodes" range:"at least 2 each" doc:"lengths of the sides; their product is the number of nodes"`
	Directed bool  `yaml:"directed" doc:"each node hears the one before it along every side only"`
}

// Validate reports the first option that is out of range.
func (t Torus) Validate() error {
	if err := checkNodesOption(t.Nodes, 2); err != nil {
		return err
	}
	if len(t.Sides) == 0 {
		return option.Errorf("sides", "no sides, want at least one")
	}
	product := 1
	for k, side := range t.Sides {
		if side < 2 {
			return option.Errorf(fmt.Sprintf("sides[%d]", k), "side %d is %d, want at least 2", k+1, side)
		}
		if side > t.Nodes/product {
			return option.Errorf("sides", "a torus of sides %v has more than %d nodes", t.Sides, t.Nodes)
		}
		product *= side
	}
	if product != t.Nodes {
		return option.Errorf("sides", "a torus of sides %v has %d nodes, want %d", t.Sides, product, t.Nodes)
	}
	return checkPatternSize("sides", 2*float64(t.Nodes)*float64(len(t.Sides)))
}

// Sequence returns the torus at every step.
func (t Torus) Sequence() (Sequence, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	arcs := make([]arc, 0, t.Nodes*len(t.Sides))
	stride := t.Nodes // between neighbours along the side at hand
	for _, side := range t.Sides {
		stride /= side
		for i := range t.Nodes {
			next := i + stride
			if i/stride%side == side-1 {
				next -= side * stride
			}
			arcs = append(arcs, arc{messages.NodeID(i), messages.NodeID(next)})
		}
	}
	return Static(newPattern(t.Nodes, arcs, !t.Directed)), nil
}

// Hypercube joins the nodes with numbers, from 0, that differ in one bit. It is undirected. A
// pattern.
type Hypercube struct {
	Nodes int // a power of two, at least 2
}

// Validate reports the first option that is out of range.
func (h Hypercube) Validate() error {
	if err := checkNodesOption(h.Nodes, 2); err != nil {
		return err
	}
	if err := checkPowerOfTwo(h.Nodes, "a hypercube"); err != nil {
		return err
	}
	return checkPatternSize("nodes", float64(h.Nodes)*float64(logCeil(h.Nodes)))
}

// Sequence returns the hypercube at every step.
func (h Hypercube) Sequence() (Sequence, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	var arcs []arc
	for bit := range logCeil(h.Nodes) {
		arcs = append(arcs, exchangeArcs(h.Nodes, bit)...)
	}
	return Static(newPattern(h.Nodes, arcs, true)), nil
}

// exchangeArcs joins the nodes that differ in one bit, from the lower.
func exchangeArcs(nodes, bit int) []arc {
	arcs := make([]arc, 0, nodes/2)
	for i := range nodes {
		if j := i ^ 1<<bit; i < j {
			arcs = append(arcs, arc{messages.NodeID(i), messages.NodeID(j)})
		}
	}
	return arcs
}

// checkPowerOfTwo refuses other numbers of nodes; what names the graph that demands it.
func checkPowerOfTwo(nodes int, what string) error {
	if nodes&(nodes-1) != 0 {
		return option.Errorf("nodes", "nodes is %d, want a power of two for %s", nodes, what)
	}
	return nil
}

// logCeil returns the least k with 2^k >= n, n >= 1.
func logCeil(n int) int { return bits.Len(uint(n - 1)) }

// Exponential is the static exponential graph (Ying, Yuan, Chen, Hu, Pan and
// Yin, Exponential Graph is Provably Efficient for Decentralized Deep Training,
// 2021): node i hears the nodes i-1, i-2, i-4, ... around the circle,
// ceil(log2 N) of them; unless directed, i+1, i+2, i+4, ... too. With weights
// uniform over these and itself it is doubly stochastic. A pattern.
type Exponential struct {
	Nodes    int  // at least 2
	Directed bool `yaml:"directed" doc:"each node hears nodes before it only, as in the paper; otherwise as many after it too"`
}

// Validate reports the first option that is out of range.
func (e Exponential) Validate() error {
	if err := checkNodesOption(e.Nodes, 2); err != nil {
		return err
	}
	return checkPatternSize("nodes", 2*float64(e.Nodes)*float64(logCeil(e.Nodes)))
}

// Sequence returns the exponential graph at every step.
func (e Exponential) Sequence() (Sequence, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	var arcs []arc
	for k := range logCeil(e.Nodes) {
		arcs = append(arcs, shiftArcs(e.Nodes, 1<<k)...)
	}
	return Static(newPattern(e.Nodes, arcs, !e.Directed)), nil
}

// shiftArcs leads from every node to the one shift after it on the circle.
func shiftArcs(nodes, shift int) []arc {
	arcs := make([]arc, nodes)
	for i := range arcs {
		arcs[i] = arc{messages.NodeID(i), messages.NodeID((i + shift) % nodes)}
	}
	return arcs
}

// OnePeer is the one-peer exponential graph (Ying et al., 2021): with
// tau = ceil(log2 N), node i hears at step t the one node 2^(t mod tau) before
// it on the circle. If N is a power of two and each node gives the two it hears,
// itself counted, 1/2, the product over tau steps is exact averaging (Lemma 1
// there). Undirected it is the one-peer hypercube: i exchanges with the node that
// differs from it in bit t mod tau, which needs N to be a power of two and
// averages as exactly. A pattern of period tau.
type OnePeer struct {
	Nodes    int  // at least 2; a power of two unless directed
	Directed bool `yaml:"directed" doc:"each node hears the node 2^k before it, as in the paper; otherwise pairs exchange, and the number of nodes is a power of two"`
}

// Validate reports the first option that is out of range.
func (o OnePeer) Validate() error {
	if err := checkNodesOption(o.Nodes, 2); err != nil {
		return err
	}
	if !o.Directed {
		return checkPowerOfTwo(o.Nodes, "pairs that exchange")
	}
	return nil
}

// Sequence returns the tau graphs in turn.
func (o OnePeer) Sequence() (Sequence, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	var graphs []*Graph
	for k := range logCeil(o.Nodes) {
		if o.Directed {
			graphs = append(graphs, newPattern(o.Nodes, shiftArcs(o.Nodes, 1<<k), false))
		} else {
			graphs = append(graphs, newPattern(o.Nodes, exchangeArcs(o.Nodes, k), true))
		}
	}
	return NewPeriodic(graphs...)
}
