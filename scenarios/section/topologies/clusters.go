package topologies

import (
	"errors"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
)

// Clusters is the section of groups of nodes with a topology each, which edge servers and a cloud join
// in some steps.
type Clusters struct {
	Common `yaml:",inline"`
	Number int                `yaml:"clusters,required" min:"1" says:"%v clusters" unit:"clusters" doc:"number of clusters, of consecutive nodes, as many in each; it divides nodes"`
	Inside *document.Node     `yaml:"inside,required" doc:"topology of the nodes of a cluster, by its own weights; each cluster draws it under a seed of its own"`
	Edge   *topology.Schedule `yaml:"edge" doc:"steps in which the nodes of a cluster take the mean of the cluster, as through an edge server; absent, none"`
	Cloud  *topology.Schedule `yaml:"cloud,required" doc:"steps in which all nodes take the mean of all, as through edge servers and a server above them"`
}

// compose implements Composed.
func (s *Clusters) compose(at Site, section *document.Node) (generated, error) {
	var errs []error
	for _, of := range []struct {
		schedule *topology.Schedule
		key      string
	}{{s.Edge, "edge"}, {s.Cloud, "cloud"}} {
		if of.schedule != nil {
			errs = append(errs, section.Resolve(checkLevel(of.schedule, of.key)))
		}
	}
	size := at.Nodes / s.Number
	if at.Nodes%s.Number != 0 {
		errs = append(errs, section.Resolve(document.At("clusters", "%d clusters of equal size have no %d nodes together", s.Number, at.Nodes)))
	}
	all, own := limits.Product(at.Nodes, at.Nodes), limits.Product(at.Nodes, size)
	if all > limits.Edges {
		errs = append(errs, section.Issuef("an exchange of all nodes is a graph of %.3g edges; want at most %d", all, limits.Edges))
	}
	if err := errors.Join(errs...); err != nil { // its own keys are checked in any case
		_, other := kind.AsAny(at.Kinds, s.Inside, TakesEquals, at.Whom)
		return generated{}, errors.Join(err, other)
	}
	within := at
	within.Nodes = size
	// Weights of the whole replace the weights inside.
	inside, err := within.part(s.Inside, at.pattern || s.Weighting != nil)
	if err != nil {
		return generated{}, err
	}
	number := limits.Product(s.Number)
	g := generated{
		sequence: func(seed uint64) (topology.Sequence, error) { return s.sequence(section, inside, size, seed) },
		seeded:   inside.seeded || s.Cloud.Drawn() || s.Edge != nil && s.Edge.Drawn(),
		redraws:  inside.Redraws, changes: true, refuses: inside.refuses,
		edges: all + number*inside.Edges, drawn: number * inside.Drawn, heard: inside.heard, data: inside.Data,
	}
	g.joins = []Join{{"cloud", s.Cloud}}
	if s.Edge != nil {
		g.edges += own
		g.joins = append(g.joins, Join{"edge", s.Edge})
	}
	if !at.pattern && s.Weighting == nil {
		g.made = inside.made
	}
	return g, nil
}

// sequence makes the graphs under a seed.
func (s *Clusters) sequence(section *document.Node, inside *Plan, size int, seed uint64) (topology.Sequence, error) {
	parts := make([]topology.Sequence, s.Number)
	for k := range parts {
		var err error
		if parts[k], err = inside.Sequence(topology.PartSeed(seed, k)); err != nil {
			return nil, err
		}
	}
	var edge *topology.Times
	if s.Edge != nil {
		edge = s.Edge.Times(size*s.Number, topology.PartSeed(seed, s.Number))
	}
	clusters, err := topology.NewClusters(edge, s.Cloud.Times(size*s.Number, topology.PartSeed(seed, s.Number+1)), parts...)
	if err != nil {
		return nil, section.Resolve(err)
	}
	return clusters, nil
}
