package topology

import (
	"fmt"

	"starling/actors/option"
	"starling/messages"
)

// Ring is the directed ring: node i gives weight 1/2 to itself and 1/2 to its
// predecessor, the last node before the first. With 6 nodes it is the A1 of
// DPDO-NC, Section 5. Doubly stochastic.
type Ring struct {
	// Nodes is N, at least 2.
	Nodes int
}

// Validate reports the first option that is out of range.
func (r Ring) Validate() error {
	return Circulant{Nodes: r.Nodes, Degree: 1}.Validate()
}

// Sequence returns the ring at every step.
func (r Ring) Sequence() (Sequence, error) {
	return Circulant{Nodes: r.Nodes, Degree: 1}.Sequence()
}

// Circulant is the ring with longer reach: node i gives weight 1/(Degree+1) to
// itself and to each of the Degree nodes before it, counted around the circle.
// Doubly stochastic.
type Circulant struct {
	// Nodes is N, at least 2.
	Nodes int
	// Degree is how many others a node hears, 1 to Nodes-1. With Nodes-1 it is the
	// complete graph with self-loops.
	Degree int
}

// Validate reports the first option that is out of range.
func (c Circulant) Validate() error {
	return checkRegular(c.Nodes, c.Degree)
}

// Sequence returns the circulant graph at every step.
func (c Circulant) Sequence() (Sequence, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	senders := make([]messages.NodeID, 0, c.Nodes*(c.Degree+1))
	for i := range c.Nodes {
		for shift := range c.Degree + 1 {
			senders = append(senders, messages.NodeID((i-shift+c.Nodes)%c.Nodes))
		}
	}
	return Static(fromRegularRows(senders, c.Degree+1)), nil
}

// checkRegular refuses sizes that no regular graph with self-loops can have.
func checkRegular(nodes, degree int) error {
	if err := atLeast("nodes", nodes, 2); err != nil {
		return err
	}
	if degree < 1 || degree > nodes-1 {
		return option.Errorf("degree", "degree is %d, want 1 to %d: the nodes less one", degree, nodes-1)
	}
	if nodes > maxEdges/(degree+1) {
		return option.Errorf("degree", "%d nodes of degree %d need more than %d edges", nodes, degree, maxEdges)
	}
	return nil
}

// atLeast refuses an option below its smallest value.
func atLeast(name string, value, smallest int) error {
	if value < smallest {
		return option.Errorf(name, "%s is %d, want at least %d", name, value, smallest)
	}
	return nil
}

// Complete joins every node to every other with equal weights: 1/N each with
// self-loops, 1/(N-1) each without. Without them and with 6 nodes it is the A2
// of DPDO-NC, Section 5. Doubly stochastic.
type Complete struct {
	// Nodes is N, at least 2, or 1 with self-loops. The graph has about N^2 edges: 10,000
	// nodes take 100 million.
	Nodes int
	// SelfLoops lets a node also hear itself, with the weight of the others.
	SelfLoops bool
}

// Validate reports the first option that is out of range.
func (c Complete) Validate() error {
	smallest := 2
	if c.SelfLoops {
		smallest = 1
	}
	if err := atLeast("nodes", c.Nodes, smallest); err != nil {
		return err
	}
	if c.Nodes > maxEdges/c.degree() {
		return fmt.Errorf("the complete graph of %d nodes needs more than %d edges", c.Nodes, maxEdges)
	}
	return nil
}

// degree returns the in-degree of every node, self-loops counted.
func (c Complete) degree() int {
	if c.SelfLoops {
		return c.Nodes
	}
	return c.Nodes - 1
}

// Sequence returns the complete graph at every step.
func (c Complete) Sequence() (Sequence, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	senders := make([]messages.NodeID, 0, c.Nodes*c.degree())
	for i := range c.Nodes {
		for j := range c.Nodes {
			if i != j || c.SelfLoops {
				senders = append(senders, messages.NodeID(j))
			}
		}
	}
	return Static(fromRegularRows(senders, c.degree())), nil
}

// Star is the server and its clients: node 0 is the server, nodes 1 .. Leaves
// are the clients, with an edge of weight 1 each way and no self-loops. Its
// weights are not stochastic and are not meant for averaging.
type Star struct {
	// Leaves is the number of clients, at least 1.
	Leaves int
}

// Validate reports the first option that is out of range.
func (s Star) Validate() error {
	if err := atLeast("leaves", s.Leaves, 1); err != nil {
		return err
	}
	if s.Leaves > maxEdges/2 {
		return fmt.Errorf("a star of %d leaves needs more than %d edges", s.Leaves, maxEdges)
	}
	return nil
}

// Sequence returns the star at every step.
func (s Star) Sequence() (Sequence, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	edges := make([]Edge, 0, 2*s.Leaves)
	for leaf := messages.NodeID(1); int(leaf) <= s.Leaves; leaf++ {
		edges = append(edges, Edge{From: 0, To: leaf, Weight: 1}, Edge{From: leaf, To: 0, Weight: 1})
	}
	g, err := FromEdges(s.Leaves+1, edges)
	if err != nil {
		return nil, err
	}
	return Static(g), nil
}
