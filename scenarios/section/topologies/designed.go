package topologies

import (
	"math"

	"starling/actors/topology"
	"starling/scenarios/limits"
)

// Sections of graphs that have weights of their own.
type (
	// Ring is a directed ring.
	Ring struct {
		Common `yaml:",inline"`
	}
	// Complete is a graph in which every node hears every other.
	Complete struct {
		Common    `yaml:",inline"`
		SelfLoops bool `yaml:"self_loops" doc:"give weight to the node itself too; false gives it only to the others"`
	}
	// Circulant is a ring in which each node hears several before it.
	Circulant struct {
		Common `yaml:",inline"`
		Degree int `yaml:"degree,required" example:"4" min:"1" says:"degree is %v" unit:"nodes" doc:"from how many nodes before it each node hears; fewer than nodes"`
	}
	// Permutations are graphs made of permutations of the nodes.
	Permutations struct {
		Common `yaml:",inline"`
		Degree int `yaml:"degree,required" example:"4" min:"1" says:"degree is %v" unit:"nodes" doc:"from how many others each node hears; fewer than nodes"`
		Every  int `yaml:"every" min:"0" says:"every is %v" unit:"steps" doc:"steps between draws of a new graph; absent, one draw a run"`
	}
)

// Design implements Designed.
func (*Ring) Design(nodes int, _ uint64) Design {
	return Weighs(topology.Ring{Nodes: nodes}, limits.Product(2, nodes))
}

// Design implements Designed.
func (s *Complete) Design(nodes int, _ uint64) Design {
	return Weighs(topology.Complete{Nodes: nodes, SelfLoops: s.SelfLoops}, limits.Product(nodes, nodes))
}

// Design implements Designed.
func (s *Circulant) Design(nodes int, _ uint64) Design {
	return Weighs(topology.Circulant{Nodes: nodes, Degree: s.Degree}, limits.Product(nodes, s.Degree+1))
}

// Design implements Designed.
func (s *Permutations) Design(nodes int, seed uint64) Design {
	d := Draws(topology.Permutations{Nodes: nodes, Degree: s.Degree, Every: s.Every, Seed: seed}, limits.Product(nodes, s.Degree+1), s.Every, true)
	d.weighted, d.doubly, d.heard = true, true, true
	return d
}

// Sections of graphs that are not drawn, with the options of their generators.
type (
	// Path is the line of nodes.
	Path struct {
		Common `yaml:",inline"`
		Graph  topology.Path `yaml:",inline"`
	}
	// Torus is a grid with opposite sides joined.
	Torus struct {
		Common `yaml:",inline"`
		Graph  topology.Torus `yaml:",inline"`
	}
	// Hypercube joins nodes with numbers that differ in one bit.
	Hypercube struct {
		Common `yaml:",inline"`
	}
	// Exponential joins each node with those 1, 2, 4, ... away around the circle.
	Exponential struct {
		Common `yaml:",inline"`
		Graph  topology.Exponential `yaml:",inline"`
	}
	// Edgeless has no edges node.
	Edgeless struct {
		Common `yaml:",inline"`
	}
	// OnePeer has one distance of the exponential graph a step.
	OnePeer struct {
		Common `yaml:",inline"`
		Graph  topology.OnePeer `yaml:",inline"`
	}
)

// Design implements Designed.
func (s *Path) Design(nodes int, _ uint64) Design {
	g := s.Graph
	g.Nodes = nodes
	d := Stays(g, limits.Product(ways(g.Directed), nodes), g.Directed)
	d.heard = !g.Directed // nobody hears the last node of a line of one direction
	return d
}

// Design implements Designed.
func (*Edgeless) Design(nodes int, _ uint64) Design {
	d := Stays(topology.Edgeless{Nodes: nodes}, 0, false)
	d.heard = false
	return d
}

// Design implements Designed.
func (s *Torus) Design(nodes int, _ uint64) Design {
	g := s.Graph
	g.Nodes = nodes
	return Stays(g, limits.Product(ways(g.Directed), len(g.Sides), nodes), g.Directed)
}

// Design implements Designed.
func (*Hypercube) Design(nodes int, _ uint64) Design {
	return Stays(topology.Hypercube{Nodes: nodes}, limits.Product(doublings(nodes), nodes), false)
}

// Design implements Designed.
func (s *Exponential) Design(nodes int, _ uint64) Design {
	g := s.Graph
	g.Nodes = nodes
	return Stays(g, limits.Product(ways(g.Directed), doublings(nodes), nodes), g.Directed)
}

// Design implements Designed.
func (s *OnePeer) Design(nodes int, _ uint64) Design {
	g := s.Graph
	g.Nodes = nodes
	return Stays(g, limits.Product(doublings(nodes), nodes), g.Directed) // over the period
}

// Sections of graphs that are drawn for each seed, with the options of their generators.
type (
	// ErdosRenyi has every edge with the same probability.
	ErdosRenyi struct {
		Common `yaml:",inline"`
		Graph  topology.ErdosRenyi `yaml:",inline"`
	}
	// KOut has nodes that choose as many others.
	KOut struct {
		Common `yaml:",inline"`
		Graph  topology.KOut `yaml:",inline"`
	}
	// RandomRegular is a random graph of equal degrees.
	RandomRegular struct {
		Common `yaml:",inline"`
		Graph  topology.RandomRegular `yaml:",inline"`
	}
	// SmallWorld is a circle with some of its edges led elsewhere.
	SmallWorld struct {
		Common `yaml:",inline"`
		Graph  topology.SmallWorld `yaml:",inline"`
	}
	// PreferentialAttachment has nodes that join those with many neighbours.
	PreferentialAttachment struct {
		Common `yaml:",inline"`
		Graph  topology.PreferentialAttachment `yaml:",inline"`
	}
	// StochasticBlock has edges inside blocks and between them.
	StochasticBlock struct {
		Common `yaml:",inline"`
		Graph  topology.StochasticBlock `yaml:",inline"`
	}
	// Geometric joins nodes in a box that are near each other.
	Geometric struct {
		Common `yaml:",inline"`
		Graph  topology.Geometric `yaml:",inline"`
	}
)

// Design implements Designed.
func (s *ErdosRenyi) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	return Draws(g, g.Probability*limits.Product(nodes, nodes-1), g.Redraw.Every, g.Directed)
}

// Design implements Designed.
func (s *KOut) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	d := Draws(g, limits.Product(ways(g.Directed), nodes, g.Degree), g.Redraw.Every, g.Directed)
	d.heard = !g.Directed
	return d
}

// Design implements Designed.
func (s *RandomRegular) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	d := Draws(g, limits.Product(nodes, g.Degree), g.Redraw.Every, g.Directed)
	d.heard = true
	return d
}

// Design implements Designed.
func (s *SmallWorld) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	d := Draws(g, limits.Product(nodes, g.Neighbours), g.Redraw.Every, g.Directed)
	d.heard = !g.Directed
	return d
}

// Design implements Designed.
func (s *PreferentialAttachment) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	d := Draws(g, limits.Product(2, nodes, g.Edges), g.Redraw.Every, false)
	d.connected = true
	return d
}

// Design implements Designed.
func (s *StochasticBlock) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Redraw.Seed = nodes, seed
	share := 1 / float64(max(g.Blocks, 1))
	return Draws(g, limits.Product(nodes, nodes)*(float64(g.Within*share)+float64(g.Between*(1-share))), g.Redraw.Every, g.Directed)
}

// Design implements Designed.
func (s *Geometric) Design(nodes int, seed uint64) Design {
	g := s.Graph
	g.Nodes, g.Seed = nodes, seed
	every := 0
	if g.SpeedMax > 0 {
		every = 1
	}
	// With a spread s the mean of the squared range is r^2 (1 + s^2/3).
	covered := math.Pi * g.Radius * g.Radius * (1 + g.Spread*g.Spread/3)
	d := Draws(g, min(covered, 1)*limits.Product(nodes, nodes), every, g.Spread > 0)
	d.places = g.Places
	return d
}
