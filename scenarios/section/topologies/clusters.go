package topologies

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
)

// Clusters is the section of groups of nodes with a topology each, which average through edge servers
// and a cloud in some steps.
type Clusters struct {
	Common `yaml:",inline"`
	Number int                `yaml:"clusters" min:"1" says:"%v clusters" unit:"clusters" doc:"number of clusters, of consecutive nodes, as many in each; it divides nodes; absent, sizes says"`
	Sizes  []int              `yaml:"sizes" min:"1" says:"%v clusters" unit:"nodes" doc:"number of nodes in each cluster, of consecutive nodes, which sum to nodes; absent, clusters says"`
	Inside *document.Node     `yaml:"inside,required" doc:"topology of the nodes of a cluster, by its own weights; each cluster draws it under a seed of its own"`
	Edge   *topology.Schedule `yaml:"edge" doc:"steps in which the nodes of a cluster send their vectors to its edge server, which returns the mean; absent, none"`
	Cloud  *topology.Schedule `yaml:"cloud,required" doc:"steps in which all nodes get the mean of all, by way of edge servers and a cloud above them"`
}

// mostWeights is the largest number of weights of a mean of all nodes that are kept, 8,192^2. The
// graphs of more nodes are loose.
const mostWeights = limits.Edges

// clustersOf makes clusters of parts.
type clustersOf func(edge, cloud *topology.Times, parts ...topology.Sequence) (*topology.Clusters, error)

// ClusterLevels are the names of the levels above and of nodes, from the top.
var ClusterLevels = []string{"cloud", "edge", "node"}

// Serves reports whether nodes average through servers. It is false for nil.
func (t *Plan) Serves() bool { return t != nil && t.Above > 0 }

// Served describes the servers that nodes average through, for people; empty where there are none.
func (t *Plan) Served() string {
	if !t.Serves() {
		return ""
	}
	text := fmt.Sprintf("%s and a cloud; ", document.Counted(t.Above-1, "edge server"))
	if len(t.Joins) > 1 {
		text += fmt.Sprintf("%d messages in a step of edge servers, ", 2*t.nodes)
	}
	return text + fmt.Sprintf("%d in a step of the cloud", 2*(t.nodes+t.Above-1))
}

// overseen is implemented by sections of topologies with servers above the nodes.
type overseen interface {
	// serversAbove returns how many there are above so many nodes, as far as the section says.
	serversAbove(nodes int) int
}

// ServersAbove returns the number of servers above so many nodes in the topology of a section, which
// may be nil or have faults; 0 is none.
func ServersAbove(kinds []kind.Kind, section *document.Node, nodes int) int {
	if section == nil {
		return 0
	}
	s, err := kind.As[overseen](kinds, section, "a network")
	if err != nil {
		return 0
	}
	return s.serversAbove(nodes)
}

// serversAbove implements overseen.
func (s *Clusters) serversAbove(nodes int) int {
	if s.Sizes != nil {
		return len(s.Sizes) + 1
	}
	return min(s.Number, nodes) + 1
}

// compose implements Composed.
func (s *Clusters) compose(at Site, section *document.Node) (generated, error) {
	sizes, errs := s.check(at, section)
	if err := errors.Join(errs...); err != nil { // its own keys are checked in any case
		_, other := kind.AsAny(at.Kinds, s.Inside, TakesEquals, at.Whom)
		return generated{}, errors.Join(err, other)
	}
	parts, g, err := s.inside(at, sizes)
	if err != nil {
		return generated{}, err
	}
	all, own := limits.Product(at.Nodes, at.Nodes), 0.0
	for _, size := range sizes {
		own += limits.Product(size, size)
	}
	if g.loose = all > mostWeights; g.loose {
		all, own = limits.Product(2, at.Nodes), limits.Product(2, at.Nodes)
	}
	of := topology.NewClusters
	if g.loose {
		of = topology.NewLooseClusters
	}
	g.sequence = func(seed uint64) (topology.Sequence, error) { return s.sequence(at, section, parts, seed, of) }
	g.servers = func(seed uint64) (*topology.Servers, error) { return s.servers(at, section, sizes, seed) }
	g.seeded, g.changes, g.above = g.seeded || s.Cloud.Drawn() || s.Edge != nil && s.Edge.Drawn(), true, len(sizes)+1
	g.arrange = func(uint64, int) ([]float64, error) { return topology.Blocks(sizes), nil }
	g.groups, g.group = sizes, "cluster"
	g.joins = []Join{{"cloud", s.Cloud}}
	if g.edges += all; s.Edge != nil {
		g.edges += own
		g.joins = append(g.joins, Join{"edge", s.Edge})
	}
	if at.pattern || s.Weighting != nil {
		g.made = topology.Demand{}
	}
	return g, nil
}

// check returns the sizes of clusters, and the faults of the keys.
func (s *Clusters) check(at Site, section *document.Node) (sizes []int, errs []error) {
	refuse := func(key, format string, args ...any) {
		errs = append(errs, section.Resolve(document.At(key, format, args...)))
	}
	for _, of := range []struct {
		schedule *topology.Schedule
		key      string
	}{{s.Edge, "edge"}, {s.Cloud, "cloud"}} {
		if of.schedule != nil {
			errs = append(errs, section.Resolve(checkLevel(of.schedule, of.key)))
		}
	}
	if at.nested {
		refuse("kind", "clusters have servers above their nodes, and are the whole network: they are no part of another topology")
	}
	if len(s.Script.Events) > 0 {
		refuse("events", "events are of edges between nodes, and nodes meet at servers; leave events out")
	}
	if s.staggered() {
		refuse("schedule", "the nodes of a cluster meet at servers together; want a schedule in which all send in the same steps")
	}
	if w := s.Weighting; w != nil && w.Scheme == topology.LazyMetropolis {
		refuse("weighting.scheme", "%s gives a node half of its own vector, and servers return the mean; want another scheme", w.Scheme)
	}
	switch total := 0; {
	case (s.Number > 0) == (s.Sizes != nil):
		errs = append(errs, section.Issuef("clusters and sizes: want one of them"))
	case s.Number > 0 && at.Nodes%s.Number != 0:
		refuse("clusters", "%d clusters of equal size have no %d nodes together; sizes gives clusters of other sizes", s.Number, at.Nodes)
	case s.Number > 0:
		for range s.Number {
			sizes = append(sizes, at.Nodes/s.Number)
		}
	default:
		sizes = s.Sizes
		for _, size := range sizes {
			total = min(total+max(size, 0), math.MaxInt32)
		}
		if total != at.Nodes {
			refuse("sizes", "the clusters have %d nodes together, and there are %d", total, at.Nodes)
		}
	}
	if err := topology.CheckSizes(sizes, s.Edge != nil); err != nil {
		if s.Number > 0 {
			err = document.At("clusters", "a cluster of one node has no average at its edge server; want at least 2 nodes in a cluster, or leave edge out")
		}
		errs = append(errs, section.Resolve(err))
	}
	return sizes, errs
}

// inside returns the topology of each cluster, one plan for each size, and what all together are.
func (s *Clusters) inside(at Site, sizes []int) (parts []*Plan, g generated, err error) {
	bySize := map[int]*Plan{}
	for k, size := range sizes {
		within := at
		within.Nodes = size
		plan := bySize[size]
		if plan == nil {
			// Weights of the whole replace the weights inside.
			if plan, err = within.part(s.Inside, at.pattern || s.Weighting != nil); err != nil {
				return nil, g, err
			}
			bySize[size] = plan
			g.data = append(g.data, plan.Data...)
		}
		parts = append(parts, plan)
		g.edges, g.drawn = g.edges+plan.Edges, g.drawn+plan.Drawn
		g.seeded, g.redraws, g.refuses = g.seeded || plan.seeded, g.redraws || plan.Redraws, g.refuses || plan.refuses
		g.heard = plan.heard && (g.heard || k == 0)
		if k == 0 {
			g.made = plan.made
		}
		g.made.Rows, g.made.Columns, g.made.Hearing = g.made.Rows && plan.made.Rows, g.made.Columns && plan.made.Columns, g.made.Hearing && plan.made.Hearing
	}
	return parts, g, nil
}

// times returns the times of edge servers and of the cloud under a seed.
func (s *Clusters) times(at Site, clusters int, seed uint64) (edge, cloud *topology.Times) {
	if s.Edge != nil {
		edge = s.Edge.Times(at.Nodes, topology.PartSeed(seed, clusters))
	}
	return edge, s.Cloud.Times(at.Nodes, topology.PartSeed(seed, clusters+1))
}

// sequence makes the graphs under a seed.
func (s *Clusters) sequence(at Site, section *document.Node, inside []*Plan, seed uint64, of clustersOf) (topology.Sequence, error) {
	parts := make([]topology.Sequence, len(inside))
	for k := range parts {
		var err error
		if parts[k], err = inside[k].Sequence(topology.PartSeed(seed, k)); err != nil {
			return nil, err
		}
	}
	edge, cloud := s.times(at, len(parts), seed)
	clusters, err := of(edge, cloud, parts...)
	if err != nil {
		return nil, section.Resolve(err)
	}
	return clusters, nil
}

// servers returns the servers under a seed. In steps that the schedule of the whole leaves out they have
// nobody to hear.
func (s *Clusters) servers(at Site, section *document.Node, sizes []int, seed uint64) (*topology.Servers, error) {
	edge, cloud := s.times(at, len(sizes), seed)
	servers, err := topology.NewServers(sizes, edge, cloud, s.Common.times(at.Nodes, seed))
	if err != nil {
		return nil, section.Resolve(err)
	}
	return servers, nil
}
