package topologies

import (
	"errors"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
)

type (
	// Matching is the section of pairs of nodes that are drawn anew: at each draw every node has at
	// most one partner, and with a base only a partner that it shares an edge with. With clocks one node and its
	// partner exchange.
	Matching struct {
		Common `yaml:",inline"`
		Redraw topology.Redraw `yaml:",inline"`
		Ticks  topology.Ticks  `yaml:",inline"`
		Base   *document.Node  `yaml:"base" doc:"topology whose edges may be used; absent, all pairs may exchange"`
	}
	// MarkovEdges is the section of edges that come and go as Markov chains: each edge of the base is on
	// or off, and changes from step to step on its own.
	MarkovEdges struct {
		Common `yaml:",inline"`
		Edges  topology.MarkovEdges `yaml:",inline"`
		Base   *document.Node       `yaml:"base,required" doc:"topology whose edges come and go"`
	}
	// Cycle is the section of topologies that are shown in turn. The time of a part goes on while
	// others are shown.
	Cycle struct {
		Common `yaml:",inline"`
		Every  int              `yaml:"every" min:"1" says:"%v steps" unit:"steps" doc:"for how many steps a part is shown; absent, phases say"`
		Phases []topology.Phase `yaml:"phases" min:"1" says:"%v phases" doc:"numbers of steps that change in the course of a run: from a step on, a part is shown for every steps, the first part first; absent, every says"`
		Parts  []*document.Node `yaml:"parts,required" min:"1" says:"%v topologies" doc:"topologies, shown in turn: each goes on in the time of the whole, and is drawn under a seed of its own"`
	}
	// Union is the section of topologies that are there together: a node hears those that it
	// hears in any part.
	Union struct {
		Common `yaml:",inline"`
		Parts  []*document.Node `yaml:"parts,required" min:"1" says:"%v topologies" doc:"topologies whose edges are there together, each with a schedule of its own; each is drawn under a seed of its own"`
	}
)

// foundation is the graph of a topology inside another, under a seed.
type foundation struct {
	graph func(seed uint64) (*topology.Graph, error)
	edges float64 // about how many
	// arrange returns places for pictures; nil where the topology has none.
	arrange problem.Places
}

// base returns the graph of a topology inside another. The inner topology draws from a seed of its own, made from the seed of the whole,
// so that the two do not draw the same numbers. A topology that changes with time is an error
// when the graph is made.
func (at Site) base(section *document.Node) (f foundation, err error) {
	plan, err := at.part(section, true)
	if err != nil {
		return f, err
	}
	f.edges, f.arrange = plan.Edges+plan.Drawn, plan.arrangePart(0)
	f.graph = func(seed uint64) (*topology.Graph, error) {
		sequence, err := plan.Sequence(topology.PartSeed(seed, 0))
		if err != nil {
			return nil, err
		}
		if period, periodic := sequence.Period(); !periodic || period > 1 {
			return nil, section.Issuef("the graphs of this topology change with time; want one that stays")
		}
		return sequence.At(0), nil
	}
	return f, nil
}

// arrangePart is the function Arrange of a plan that is part k of another; nil where it has none.
func (t *Plan) arrangePart(k int) problem.Places {
	if t.Arrange == nil {
		return nil
	}
	return func(seed uint64, steps int) ([]float64, error) { return t.Arrange(topology.PartSeed(seed, k), steps) }
}

// compose implements Composed.
func (s *Matching) compose(at Site, section *document.Node) (generated, error) {
	base := foundation{graph: func(uint64) (*topology.Graph, error) { return nil, nil }}
	if s.Base != nil {
		var err error
		if base, err = at.base(s.Base); err != nil {
			return generated{}, err
		}
	}
	g, err := at.onBase(section, base, nil, func(base *topology.Graph, seed uint64) Design {
		g := topology.Matching{Nodes: at.Nodes, Redraw: s.Redraw, Ticks: s.Ticks, Base: base}
		g.Redraw.Seed = seed
		return Draws(g, limits.Product(at.Nodes), g.Redraw.Every, false)
	})
	g.ticks = s.Ticks.Clocks
	return g, err
}

// compose implements Composed.
func (s *MarkovEdges) compose(at Site, section *document.Node) (generated, error) {
	base, err := at.base(s.Base)
	if err != nil {
		return generated{}, err
	}
	anyBase, err := topology.FromEdges(1, nil)
	if err != nil {
		return generated{}, err
	}
	return at.onBase(section, base, anyBase, func(graph *topology.Graph, seed uint64) Design {
		g := s.Edges
		g.Base, g.Seed = graph, seed
		return Draws(g, base.edges, 1, g.Directed)
	})
}

// onBase returns the graphs of a generator that works on the graph of another topology. That graph is checked under seed 0, for it is the same kind of graph
// under all seeds. Where it is too large to be made here, the run checks it, and the options
// are checked on the given graph, which suits any options.
func (at Site) onBase(section *document.Node, base foundation, graph *topology.Graph, designed func(base *topology.Graph, seed uint64) Design) (generated, error) {
	// Seed 0 stands for all: a base that changes with time, or has too few nodes, is a fault
	// under every seed.
	if size := base.edges + limits.Product(at.Nodes); at.Usage.Builds(size, size) {
		var err error
		if graph, err = base.graph(0); err != nil {
			return generated{}, err
		}
	}
	d := designed(graph, 0)
	if err := checkGenerator(section, d.generator, d.edges); err != nil {
		return generated{}, err
	}
	g := d.generated(func(seed uint64) (topology.Sequence, error) {
		graph, err := base.graph(seed)
		if err != nil {
			return nil, err
		}
		return designed(graph, seed).generator.Sequence()
	})
	g.base, g.arrange = base.edges, base.arrange
	return g, nil
}

// compose implements Composed.
func (s *Cycle) compose(at Site, section *document.Node) (generated, error) {
	phases := s.Phases
	switch {
	case (s.Every > 0) == (phases != nil):
		return generated{}, section.Issuef("every and phases: want one of them")
	case s.Every > 0:
		phases = []topology.Phase{{From: 1, Every: s.Every}}
	}
	if _, err := topology.NewPhasedCycle(phases, topology.Static(topology.Empty(1))); err != nil {
		return generated{}, section.Resolve(err)
	}
	// Weights of the whole replace the weights of its parts.
	g, err := at.composed(section, s.Parts, at.pattern || s.Common.Weighting != nil, func(parts []topology.Sequence) (topology.Sequence, error) {
		return topology.NewPhasedCycle(phases, parts...)
	})
	g.changes = true
	return g, err
}

// compose implements Composed.
func (s *Union) compose(at Site, section *document.Node) (generated, error) {
	g, err := at.composed(section, s.Parts, true, func(parts []topology.Sequence) (topology.Sequence, error) {
		return topology.NewUnion(parts...)
	})
	g.demand = demandUnion
	return g, err
}

// composed returns the topology that joins the sequences of parts. pattern is true if only their
// edges are used. All faults of all parts are told together.
func (at Site) composed(section *document.Node, sections []*document.Node, pattern bool, join func([]topology.Sequence) (topology.Sequence, error)) (generated, error) {
	var errs []error
	var g generated
	var parts []*Plan
	for _, part := range sections {
		plan, err := at.part(part, pattern)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parts = append(parts, plan)
		g.heard = plan.heard && (g.heard || len(parts) == 1)
		g.edges += plan.Edges
		g.drawn = max(g.drawn, plan.Drawn)
		g.redraws, g.seeded, g.refuses = g.redraws || plan.Redraws, g.seeded || plan.seeded, g.refuses || plan.refuses
		g.changes = g.changes || plan.changes
		g.data = append(g.data, plan.Data...)
		if g.arrange == nil {
			g.arrange = plan.arrangePart(len(parts) - 1)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return generated{}, err
	}
	g.sequence = func(seed uint64) (topology.Sequence, error) {
		sequences := make([]topology.Sequence, len(parts))
		for k, part := range parts {
			var err error
			if sequences[k], err = part.Sequence(topology.PartSeed(seed, k)); err != nil {
				return nil, err
			}
		}
		joined, err := join(sequences)
		if err != nil {
			return nil, section.Resolve(err)
		}
		return joined, nil
	}
	return g, nil
}
