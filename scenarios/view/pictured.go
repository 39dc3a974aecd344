package view

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// blocksOf are the groups of nodes of a topology for pictures, with the numbers of the groups.
func blocksOf(plan *topologies.Plan) (list []diagram.Block) {
	first := 0
	for k, size := range plan.Groups {
		b := diagram.Block{Name: plan.Group + " " + strconv.Itoa(k+1)}
		for v := range size {
			b.Nodes = append(b.Nodes, first+v)
		}
		first += size
		list = append(list, b)
	}
	return list
}

// above sets the servers that nodes average through, and the nodes that take no part in a step. Both are found when a
// picture asks for them. Effects that depend on code in Python of a scenario are not looked at.
func (n *Network) above(s *study.Scenario, arm *study.Arm, seed uint64) {
	if arm.Topology.Serves() && !arm.Topology.Loose {
		n.through = func() (*topology.Servers, error) { return arm.Topology.Servers(seed) }
	}
	n.Away = n.awayIn(s, arm, seed)
}

// armAway are the absent nodes of one of several arms with the same graphs.
type armAway struct {
	label string
	away  func(step int) []int
}

// awayOfArms sets the absent nodes of each arm that has effects on nodes, by the label of the arm.
func (n *Network) awayOfArms(s *study.Scenario, seed uint64, labels map[string]string) {
	n.Away, n.arms = nil, nil
	for _, arm := range s.Arms {
		if away := n.awayIn(s, arm, seed); away != nil {
			n.arms = append(n.arms, armAway{labels[arm.Name], away})
		}
	}
}

// awayIn returns the function of the nodes that are absent in a step of an arm; nil where all are there.
func (n *Network) awayIn(s *study.Scenario, arm *study.Arm, seed uint64) func(step int) []int {
	if arm.Effects == nil || s.Folder.Withheld != "" {
		return nil
	}
	job := sync.OnceValues(func() (*study.Job, error) { return arm.Algorithm.Job(seed) })
	return func(step int) (list []int) {
		j, err := job()
		if err != nil || j.Run.Network == nil {
			return nil
		}
		turn := j.Run.TurnOf(step)
		for v := range n.Graphs.Nodes() {
			if !j.Run.Network.Up(messages.NodeID(v), turn) {
				list = append(list, v)
			}
		}
		return list
	}
}

// away are the nodes that take no part in a step, from 0.
func (n *Network) away(step int) []int {
	if n.Away == nil {
		return nil
	}
	return n.Away(step)
}

// pictured is the network with the servers that nodes average through, and the paths of messages in place of the weights of
// means. It is the network itself where there are no such servers.
func (n *Network) pictured() (*Network, error) {
	if n.through == nil {
		return n, nil
	}
	servers, err := n.through()
	if err != nil {
		return nil, err
	}
	with := *n
	with.through, with.Servers, with.Served = nil, "", true
	with.Graphs = servers.Links(n.Graphs)
	with.Central, with.Names = nil, map[int]string{}
	sizes := make([]int, servers.Clusters())
	for k := range sizes {
		first, end := servers.Cluster(k)
		sizes[k] = int(end - first)
		edge := int(servers.Edge(k))
		with.Central, with.Names[edge] = append(with.Central, edge), fmt.Sprintf("E%d", k+1)
	}
	with.Central = append(with.Central, int(servers.Cloud()))
	with.Names[int(servers.Cloud())] = "C"
	with.Arrange = func(int) ([]float64, error) { return topology.Served(sizes), nil }
	return &with, nil
}

// shares is the graph of the edges of some steps, of which a weight is the share of the steps that have the edge. Self-loops
// are left out.
func (n *Network) shares(measures topology.Measures, first, steps int) (*topology.Graph, error) {
	counts := map[[2]messages.NodeID]int{}
	for step := first; step < first+steps; step++ {
		g, err := measures.At(n.Graphs, step)
		if err != nil {
			return nil, err
		}
		for i := range messages.NodeID(g.Nodes()) {
			from, _ := g.In(i)
			for _, j := range from {
				if j != i {
					counts[[2]messages.NodeID{j, i}]++
				}
			}
		}
	}
	edges := make([]topology.Edge, 0, len(counts))
	for e, count := range counts {
		edges = append(edges, topology.Edge{From: e[0], To: e[1], Weight: float64(count) / float64(steps)})
	}
	slices.SortFunc(edges, func(a, b topology.Edge) int {
		if a.To != b.To {
			return int(a.To) - int(b.To)
		}
		return int(a.From) - int(b.From)
	})
	return topology.FromEdges(n.Graphs.Nodes(), edges)
}

// topologyOf names the topology of an arm by its kind.
func topologyOf(arm *study.Arm) string {
	if arm.File.Topology == nil {
		return "the graphs"
	}
	kind, ok := arm.File.Topology.Get("kind")
	if !ok {
		return "the graphs"
	}
	return kind.Text() + " topology"
}
