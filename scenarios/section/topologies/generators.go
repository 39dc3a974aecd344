package topologies

import (
	"math/bits"

	"starling/actors/topology"
	"starling/scenarios/document"
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
	// connected is true if every graph is connected, however it is drawn. heard is true if some
	// other node hears each node, if there are others.
	connected, heard bool
	// places returns the places of nodes; nil where nodes have none.
	places func(steps int) ([]float64, error)
}

// Stays returns the design of a generator that draws nothing.
func Stays(g Generator, edges float64, directed bool) Design {
	return Design{generator: g, edges: edges, directed: directed, heard: true}
}

// Draws returns the design of a generator that draws from the seed alone: a new graph after
// every so many steps, or one graph a run if every is 0.
func Draws(g Generator, edges float64, every int, directed bool) Design {
	return Design{generator: g, edges: edges, drawn: true, every: every, directed: directed}
}

// Weighs returns the design of a generator of weights that draws nothing.
func Weighs(g Generator, edges float64) Design {
	return Design{generator: g, edges: edges, weighted: true, heard: true}
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

// draw returns the graphs of a design.
func (at Site) draw(section *document.Node, s Designed) (generated, error) {
	d := s.Design(at.Nodes, 0)
	if err := checkGenerator(section, d.generator, d.edges); err != nil {
		return generated{}, err
	}
	g := d.generated(func(seed uint64) (topology.Sequence, error) {
		return s.Design(at.Nodes, seed).generator.Sequence()
	})
	if _, ok := d.generator.(topology.Arranged); ok {
		g.arrange = func(seed uint64, steps int) ([]float64, error) {
			return s.Design(at.Nodes, seed).generator.(topology.Arranged).Arrange(steps)
		}
	}
	if grouped, ok := d.generator.(topology.Grouped); ok {
		var err error
		if g.groups, g.group, err = grouped.Groups(); err != nil {
			return g, section.Resolve(err)
		}
	}
	if d.places != nil {
		g.places = func(seed uint64, steps int) ([]float64, error) {
			return s.Design(at.Nodes, seed).places(steps)
		}
	}
	return g, nil
}

// generated returns the generated topology of a design, with the function that makes its
// graphs.
func (d Design) generated(sequence func(seed uint64) (topology.Sequence, error)) generated {
	g := generated{sequence: sequence, seeded: d.drawn, redraws: d.drawn && d.every > 0, edges: d.edges, connected: d.connected, heard: d.heard || d.connected}
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
