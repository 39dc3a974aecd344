package scenarios

import (
	"errors"
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
)

type (
	matchingOptions struct {
		Redraw topology.Redraw `yaml:",inline"`
		Base   *document.Node  `yaml:"base" doc:"topology whose edges may be used; absent, all pairs may exchange"`
	}
	markovOptions struct {
		Edges topology.MarkovEdges `yaml:",inline"`
		Base  *document.Node       `yaml:"base,required" doc:"topology whose edges come and go"`
	}
	cycleOptions struct {
		Every int              `yaml:"every,required" doc:"for how many steps a part is shown"`
		Parts []*document.Node `yaml:"parts,required" doc:"topologies, shown in turn: each goes on in the time of the whole, and is drawn under a seed of its own"`
	}
)

// base is the graph of a topology inside another, which has to stay as it is.
func (at site) base(section *document.Node) (graph func(seed uint64) (*topology.Graph, error), edges float64, err error) {
	plan, err := at.part(section, true)
	if err != nil {
		return nil, 0, err
	}
	graph = func(seed uint64) (*topology.Graph, error) {
		sequence, err := plan.sequence(topology.PartSeed(seed, 0))
		if err != nil {
			return nil, err
		}
		if period, periodic := sequence.Period(); !periodic || period > 1 {
			return nil, section.Issuef("the graphs of this topology change with time; want one that stays")
		}
		return sequence.At(0), nil
	}
	return graph, plan.edges + plan.drawn, nil
}

func buildMatching(at site, section *document.Node) (*topologyPlan, error) {
	s, err := decodeTopology[matchingOptions](at, section)
	if err != nil {
		return nil, err
	}
	base, edges := func(uint64) (*topology.Graph, error) { return nil, nil }, 0.0
	if s.Options.Base != nil {
		if base, edges, err = at.base(s.Options.Base); err != nil {
			return nil, err
		}
	}
	return at.onBase(section, s.Common, base, edges, nil, func(base *topology.Graph, seed uint64) design {
		g := topology.Matching{Nodes: at.nodes, Redraw: s.Options.Redraw, Base: base}
		g.Redraw.Seed = seed
		return draws(g, product(at.nodes), g.Redraw.Every, false)
	})
}

func buildMarkovEdges(at site, section *document.Node) (*topologyPlan, error) {
	s, err := decodeTopology[markovOptions](at, section)
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
	return at.onBase(section, s.Common, base, edges, anyBase, func(base *topology.Graph, seed uint64) design {
		g := s.Options.Edges
		g.Base, g.Seed = base, seed
		return draws(g, edges, 1, g.Directed)
	})
}

// onBase plans a generator that works on the graph of another, of about so many
// edges. Whether that graph does is seen under seed 0, for it is the same kind of
// graph under all; where it is too large to be made here, the run sees, and the
// options are checked on another that any would do for.
func (at site) onBase(section *document.Node, common topologyOptions, base func(seed uint64) (*topology.Graph, error), edges float64, graph *topology.Graph, designed func(base *topology.Graph, seed uint64) design) (*topologyPlan, error) {
	if size := edges + product(at.nodes); at.usage.builds(size, size) {
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
		plan.edges += edges // the base stays
	}
	return plan, err
}

func buildCycle(at site, section *document.Node) (*topologyPlan, error) {
	s, err := decodeTopology[cycleOptions](at, section)
	if err != nil {
		return nil, err
	}
	var errs []error
	if s.Options.Every < 1 {
		errs = append(errs, section.Resolve(document.At("every", "%d steps; want at least 1", s.Options.Every)))
	}
	if len(s.Options.Parts) == 0 {
		errs = append(errs, section.Resolve(document.At("parts", "no topologies; want at least one")))
	}
	var g generated
	var parts []*topologyPlan
	for _, part := range s.Options.Parts {
		// Weights of the whole take the place of those of its parts.
		plan, err := at.part(part, at.pattern || s.Common.Weighting != nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parts = append(parts, plan)
		g.edges += plan.edges
		g.drawn = max(g.drawn, plan.drawn)
		g.redraws = g.redraws || plan.redraws
		g.data = append(g.data, plan.data...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	g.seeded = true // a part may be
	g.changes = true
	g.sequence = func(seed uint64) (topology.Sequence, error) {
		sequences := make([]topology.Sequence, len(parts))
		for k, part := range parts {
			if sequences[k], err = part.sequence(topology.PartSeed(seed, k)); err != nil {
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
