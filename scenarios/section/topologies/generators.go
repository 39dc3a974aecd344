package topologies

import (
	"math"
	"math/bits"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/limits"
)

// Design is a generator under a seed, with the facts that are known of its graphs before they
// are drawn.
type Design struct {
	// generator makes the graphs of one seed.
	generator Generator
	// edges is about the number of edges of a graph.
	edges float64
	// drawn is true if graphs are drawn at random.
	drawn bool
	// every is the number of steps between draws; 0 means one draw a run.
	every int
	// directed is true if graphs are directed. Directed graphs have no default weights: the
	// file has to name a rule.
	directed bool
	// weighted is true if the generator makes weights too. doubly is true if these are doubly
	// stochastic however graphs are drawn.
	weighted, doubly bool
	// connected is true if every graph is connected, however it is drawn.
	connected bool
	// places returns the places of nodes; nil where nodes have none.
	places func(steps int) ([]float64, error)
}

// Stays returns the design of a generator that draws nothing.
func Stays(g Generator, edges float64, directed bool) Design {
	return Design{generator: g, edges: edges, directed: directed}
}

// Draws returns the design of a generator that draws from the seed alone: a new graph after
// every so many steps, or one graph a run if every is 0.
func Draws(g Generator, edges float64, every int, directed bool) Design {
	return Design{generator: g, edges: edges, drawn: true, every: every, directed: directed}
}

// Weighs returns the design of a generator of weights that draws nothing.
func Weighs(g Generator, edges float64) Design {
	return Design{generator: g, edges: edges, weighted: true}
}

// kept returns the generated topology of a sequence that is the same for all seeds, weights
// included.
func kept(sequence topology.Sequence, edges float64) generated {
	period, periodic := sequence.Period()
	return generated{
		sequence: func(uint64) (topology.Sequence, error) { return sequence, nil },
		edges:    edges, changes: !periodic || period > mostCached,
	}
}

// Of returns the builder of a kind, given how its options make a generator for a
// number of nodes under a seed. Options are the keys of the kind beside the keys of every
// topology, as in Default.
func Of[O any](designed func(options O, nodes int, seed uint64) Design) Builder {
	return func(at Site, section *document.Node) (*Plan, error) {
		s, err := decodeTopology[O](at, section)
		if err != nil {
			return nil, err
		}
		d := designed(s.Options, at.Nodes, 0)
		if err := checkGenerator(section, d.generator, d.edges); err != nil {
			return nil, err
		}
		plan, err := at.plan(section, s.Common, d.generated(func(seed uint64) (topology.Sequence, error) {
			return designed(s.Options, at.Nodes, seed).generator.Sequence()
		}))
		if err == nil && d.places != nil {
			plan.Places = func(seed uint64, steps int) ([]float64, error) {
				return designed(s.Options, at.Nodes, seed).places(steps)
			}
		}
		return plan, err
	}
}

// generated returns the generated topology of a design, with the function that makes its
// graphs.
func (d Design) generated(sequence func(seed uint64) (topology.Sequence, error)) generated {
	g := generated{sequence: sequence, seeded: d.drawn, redraws: d.drawn && d.every > 0, edges: d.edges, connected: d.connected}
	if d.doubly {
		g.made = topology.Demand{Rows: true, Columns: true, Hearing: true}
	}
	if d.drawn {
		g.edges, g.drawn = 0, d.edges/float64(max(d.every, 1))
	}
	switch {
	case d.weighted:
	case d.directed:
		g.demand = demandDirected
	default:
		g.weights = &topology.Weighting{Scheme: topology.Metropolis}
	}
	return g
}

// ways returns the number of edges that join two nodes.
func ways(directed bool) int {
	if directed {
		return 1
	}
	return 2
}

// doublings returns ceil(log2 nodes), the number of doublings that cross a circle.
func doublings(nodes int) int { return bits.Len(uint(max(nodes, 1) - 1)) }

type (
	// CompleteOptions are the options of a graph in which every node hears every other.
	CompleteOptions struct {
		SelfLoops bool `yaml:"self_loops" doc:"give weight to the node itself too; false gives it to the others alone"`
	}
	// CirculantOptions are the options of a ring in which each node hears several before it.
	CirculantOptions struct {
		Degree int `yaml:"degree,required" min:"1" says:"degree is %v" unit:"nodes" doc:"from how many nodes before it each node hears; fewer than nodes"`
	}
	// PermutationsOptions are the options of graphs made of permutations of the nodes.
	PermutationsOptions struct {
		Degree int `yaml:"degree,required" min:"1" says:"degree is %v" unit:"nodes" doc:"from how many others each node hears; fewer than nodes"`
		Every  int `yaml:"every" min:"0" says:"every is %v" unit:"steps" doc:"steps between draws of a new graph; absent, one draw a run"`
	}
)

// Kinds that have weights of their own.
var (
	BuildRing = Of(func(_ struct{}, nodes int, _ uint64) Design {
		return Weighs(topology.Ring{Nodes: nodes}, limits.Product(2, nodes))
	})
	BuildComplete = Of(func(o CompleteOptions, nodes int, _ uint64) Design {
		return Weighs(topology.Complete{Nodes: nodes, SelfLoops: o.SelfLoops}, limits.Product(nodes, nodes))
	})
	BuildCirculant = Of(func(o CirculantOptions, nodes int, _ uint64) Design {
		return Weighs(topology.Circulant{Nodes: nodes, Degree: o.Degree}, limits.Product(nodes, o.Degree+1))
	})
	BuildPermutations = Of(func(o PermutationsOptions, nodes int, seed uint64) Design {
		d := Draws(topology.Permutations{Nodes: nodes, Degree: o.Degree, Every: o.Every, Seed: seed}, limits.Product(nodes, o.Degree+1), o.Every, true)
		d.weighted, d.doubly = true, true
		return d
	})
)

// Kinds that draw nothing.
var (
	BuildPath = Of(func(g topology.Path, nodes int, _ uint64) Design {
		g.Nodes = nodes
		return Stays(g, limits.Product(ways(g.Directed), nodes), g.Directed)
	})
	BuildTorus = Of(func(g topology.Torus, nodes int, _ uint64) Design {
		g.Nodes = nodes
		return Stays(g, limits.Product(ways(g.Directed), len(g.Sides), nodes), g.Directed)
	})
	BuildHypercube = Of(func(_ struct{}, nodes int, _ uint64) Design {
		return Stays(topology.Hypercube{Nodes: nodes}, limits.Product(doublings(nodes), nodes), false)
	})
	BuildExponential = Of(func(g topology.Exponential, nodes int, _ uint64) Design {
		g.Nodes = nodes
		return Stays(g, limits.Product(ways(g.Directed), doublings(nodes), nodes), g.Directed)
	})
	BuildOnePeer = Of(func(g topology.OnePeer, nodes int, _ uint64) Design {
		g.Nodes = nodes
		return Stays(g, limits.Product(doublings(nodes), nodes), g.Directed) // over the period
	})
)

// Kinds that are drawn for each seed.
var (
	BuildErdosRenyi = Of(func(g topology.ErdosRenyi, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		return Draws(g, g.Probability*limits.Product(nodes, nodes-1), g.Redraw.Every, g.Directed)
	})
	BuildKOut = Of(func(g topology.KOut, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		return Draws(g, limits.Product(ways(g.Directed), nodes, g.Degree), g.Redraw.Every, g.Directed)
	})
	BuildRandomRegular = Of(func(g topology.RandomRegular, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		return Draws(g, limits.Product(nodes, g.Degree), g.Redraw.Every, g.Directed)
	})
	BuildSmallWorld = Of(func(g topology.SmallWorld, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		return Draws(g, limits.Product(nodes, g.Neighbours), g.Redraw.Every, g.Directed)
	})
	BuildPreferentialAttachment = Of(func(g topology.PreferentialAttachment, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		d := Draws(g, limits.Product(2, nodes, g.Edges), g.Redraw.Every, false)
		d.connected = true
		return d
	})
	BuildStochasticBlock = Of(func(g topology.StochasticBlock, nodes int, seed uint64) Design {
		g.Nodes, g.Redraw.Seed = nodes, seed
		share := 1 / float64(max(g.Blocks, 1))
		return Draws(g, limits.Product(nodes, nodes)*(float64(g.Within*share)+float64(g.Between*(1-share))), g.Redraw.Every, g.Directed)
	})
	BuildGeometric = Of(func(g topology.Geometric, nodes int, seed uint64) Design {
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
	})
)
