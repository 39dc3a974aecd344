package topologies

import (
	"errors"
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/limits"
)

type (
	// MatchingOptions are the options of pairs of nodes that are drawn anew.
	MatchingOptions struct {
		Redraw topology.Redraw `yaml:",inline"`
		Base   *document.Node  `yaml:"base" doc:"topology whose edges may be used; absent, all pairs may exchange"`
	}
	// MarkovOptions are the options of edges that come and go as Markov chains.
	MarkovOptions struct {
		Edges topology.MarkovEdges `yaml:",inline"`
		Base  *document.Node       `yaml:"base,required" doc:"topology whose edges come and go"`
	}
	// CycleOptions are the options of topologies that are shown in turn.
	CycleOptions struct {
		Every int              `yaml:"every,required" min:"1" says:"%v steps" unit:"steps" doc:"for how many steps a part is shown"`
		Parts []*document.Node `yaml:"parts,required" min:"1" says:"%v topologies" doc:"topologies, shown in turn: each goes on in the time of the whole, and is drawn under a seed of its own"`
	}
)

// base returns the graph of a topology inside another, under a seed, and about the number of
// its edges. The inner topology draws from a seed of its own, made from the seed of the whole,
// so that the two do not draw the same numbers. A topology that changes with time is an error
// when the graph is made.
func (at Site) base(section *document.Node) (graph func(seed uint64) (*topology.Graph, error), edges float64, err error) {
	plan, err := at.part(section, true)
	if err != nil {
		return nil, 0, err
	}
	graph = func(seed uint64) (*topology.Graph, error) {
		sequence, err := plan.Sequence(topology.PartSeed(seed, 0))
		if err != nil {
			return nil, err
		}
		if period, periodic := sequence.Period(); !periodic || period > 1 {
			return nil, section.Issuef("the graphs of this topology change with time; want one that stays")
		}
		return sequence.At(0), nil
	}
	return graph, plan.Edges + plan.Drawn, nil
}

// BuildMatching builds the plan of pairs of nodes that are drawn anew: at each draw every
// node has at most one partner, and with a base only a partner that it shares an edge with. An
// error has the place of every fault in the file.
func BuildMatching(at Site, section *document.Node) (*Plan, error) {
	s, err := decodeTopology[MatchingOptions](at, section)
	if err != nil {
		return nil, err
	}
	base, edges := func(uint64) (*topology.Graph, error) { return nil, nil }, 0.0
	if s.Options.Base != nil {
		if base, edges, err = at.base(s.Options.Base); err != nil {
			return nil, err
		}
	}
	return at.onBase(section, s.Common, base, edges, nil, func(base *topology.Graph, seed uint64) Design {
		g := topology.Matching{Nodes: at.Nodes, Redraw: s.Options.Redraw, Base: base}
		g.Redraw.Seed = seed
		return Draws(g, limits.Product(at.Nodes), g.Redraw.Every, false)
	})
}

// BuildMarkovEdges builds the plan of edges that come and go as Markov chains: each edge
// of the base is on or off, and changes from step to step on its own. An error has the
// place of every fault in the file.
func BuildMarkovEdges(at Site, section *document.Node) (*Plan, error) {
	s, err := decodeTopology[MarkovOptions](at, section)
	if err != nil {
		return nil, err
	}
	base, edges, err := at.base(s.Options.Base)
	if err != nil {
		return nil, err
	}
	anyBase, err := topology.FromEdges(1, nil)
	if err != nil {
		return nil, err
	}
	return at.onBase(section, s.Common, base, edges, anyBase, func(base *topology.Graph, seed uint64) Design {
		g := s.Options.Edges
		g.Base, g.Seed = base, seed
		return Draws(g, edges, 1, g.Directed)
	})
}

// onBase plans a generator that works on the graph of another topology, of about so many
// edges. That graph is checked under seed 0, for it is the same kind of graph under all seeds.
// Where it is too large to be made here, the run checks it, and the options are checked on the
// given graph, which suits any options.
func (at Site) onBase(section *document.Node, common topologyOptions, base func(seed uint64) (*topology.Graph, error), edges float64, graph *topology.Graph, designed func(base *topology.Graph, seed uint64) Design) (*Plan, error) {
	// Seed 0 stands for all: a base that changes with time, or has too few nodes, is a fault
	// under every seed.
	if size := edges + limits.Product(at.Nodes); at.Usage.Builds(size, size) {
		var err error
		if graph, err = base(0); err != nil {
			return nil, err
		}
	}
	d := designed(graph, 0)
	if err := checkGenerator(section, d.generator, d.edges); err != nil {
		return nil, err
	}
	plan, err := at.plan(section, common, d.generated(func(seed uint64) (topology.Sequence, error) {
		graph, err := base(seed)
		if err != nil {
			return nil, err
		}
		return designed(graph, seed).generator.Sequence()
	}))
	if err == nil {
		plan.Edges += edges // the base stays
	}
	return plan, err
}

// BuildCycle builds the plan of topologies that are shown in turn. The parts are read as
// sections of their own, all faults of all parts together. The time of a part goes on
// while others are shown. An error has the place of every fault in the file.
func BuildCycle(at Site, section *document.Node) (*Plan, error) {
	s, err := decodeTopology[CycleOptions](at, section)
	if err != nil {
		return nil, err
	}
	var errs []error
	var g generated
	var parts []*Plan
	for _, part := range s.Options.Parts {
		// Weights of the whole replace the weights of its parts.
		plan, err := at.part(part, at.pattern || s.Common.Weighting != nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parts = append(parts, plan)
		g.edges += plan.Edges
		g.drawn = max(g.drawn, plan.Drawn)
		g.redraws, g.seeded, g.refuses = g.redraws || plan.Redraws, g.seeded || plan.seeded, g.refuses || plan.refuses
		g.data = append(g.data, plan.Data...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	g.changes = true
	g.sequence = func(seed uint64) (topology.Sequence, error) {
		sequences := make([]topology.Sequence, len(parts))
		for k, part := range parts {
			if sequences[k], err = part.Sequence(topology.PartSeed(seed, k)); err != nil {
				return nil, err
			}
		}
		cycle, err := topology.NewCycle(s.Options.Every, sequences...)
		if err != nil {
			return nil, fmt.Errorf("cycle: %w", err)
		}
		return cycle, nil
	}
	return at.plan(section, s.Common, g)
}
