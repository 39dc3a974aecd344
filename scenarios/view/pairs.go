package view

import (
	"errors"
	"slices"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/diagram"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// mostUnited is the number of steps, spread over the horizon, of which the graphs together say
// how near nodes are, and mostNear the largest number of nodes for which that is computed.
const (
	mostUnited = 64
	mostNear   = 2000
)

// Near returns how near the nodes of each arm are to each other in its network under each seed, in
// the order of the first: in the graphs of all steps together, or of some of a long run.
func Near(s *study.Scenario) (accounts.Near, error) {
	near := accounts.Near{}
	for k, arm := range s.Arms {
		if arm.Topology == nil || arm.File.Nodes > mostNear {
			continue
		}
		if other := sharing(s.Arms[:k], arm); other != nil {
			near[arm.Name] = near[other.Name]
			continue
		}
		n, err := networkOf(s, arm, s.Seeds.Base)
		if err != nil {
			return nil, err
		}
		one := n.nearness()
		if one.Seed = s.Seeds.Base; arm.Topology.Seeded() {
			if one.Under, err = distancesUnder(s, arm); err != nil {
				return nil, err
			}
		}
		near[arm.Name] = one
	}
	return near, nil
}

// distancesUnder returns the distances of nodes by seed, of an arm with other graphs under each.
func distancesUnder(s *study.Scenario, arm *study.Arm) (func(seed uint64) accounts.Hops, error) {
	networks := map[uint64]*Network{}
	for k := range s.Seeds.Count {
		n, err := networkOf(s, arm, s.Seeds.Base+uint64(k))
		if err != nil {
			return nil, err
		}
		networks[s.Seeds.Base+uint64(k)] = n
	}
	return func(seed uint64) accounts.Hops {
		n := networks[seed]
		if n == nil {
			return nil
		}
		return n.distances(n.links())
	}, nil
}

// sharing returns the arm among others that has the graphs of an arm; nil where none has.
func sharing(others []*study.Arm, arm *study.Arm) *study.Arm {
	for _, other := range others {
		if sameNetwork(other, arm) {
			return other
		}
	}
	return nil
}

// links returns the neighbours of each node in the graphs of all steps, or of some of a long run.
func (n *Network) links() [][]messages.NodeID {
	period, periodic := n.Graphs.Period()
	if !periodic || period > n.Horizon {
		period = n.Horizon
	}
	count := min(period, mostUnited)
	var graphs []*topology.Graph
	for k := range count {
		graphs = append(graphs, n.Graphs.At(k*period/count))
	}
	return diagram.Links(graphs...)
}

// nearness returns how near the nodes of a network are.
func (n *Network) nearness() accounts.Nearness {
	links := n.links()
	order, numbers := diagram.Order(links)
	near := accounts.Nearness{Text: "their numbers"}
	if !numbers {
		near.Text = "a search through the network (reverse Cuthill-McKee), which has neighbours near each other"
	}
	for _, v := range order {
		near.Order = append(near.Order, int32(v+n.FirstLabel))
	}
	for _, v := range n.Byzantine {
		near.Byzantine = append(near.Byzantine, v+n.FirstLabel)
	}
	near.Hops = n.distances(links)
	return near
}

// distances returns the number of edges between nodes by their numbers in print.
func (n *Network) distances(links [][]messages.NodeID) accounts.Hops {
	known := make([][]int32, len(links))
	return func(from, to int32) int {
		v, w := int(from)-n.FirstLabel, int(to)-n.FirstLabel
		if v < 0 || w < 0 || v >= len(links) || w >= len(links) {
			return -1
		}
		if known[v] == nil {
			known[v] = diagram.HopsFrom(links, v)
		}
		return int(known[v][w])
	}
}

// mostMapped is the largest number of units and of observers of a map on a page, and of nodes whose pairs a finding has.
const mostMapped = 256

// PairsByDistance returns the losses between single nodes by distance, an arm a row, with a title; the title is empty
// where the run has not accounted for pairs, and where its nodes are many. The scenario is the run's.
func PairsByDistance(run *results.Run, s *study.Scenario) (title string, table tabular.Table, err error) {
	if slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool { return arm.File.Nodes > mostMapped }) {
		return "", table, nil
	}
	list, err := accounts.PairsOf(run)
	if errors.Is(err, accounts.ErrNoPairs) {
		return "", table, nil
	}
	if err != nil {
		return "", table, err
	}
	near, err := Near(s)
	if err != nil {
		return "", table, err
	}
	table = accounts.Named(accounts.LargestByHops(list, near), plot.ArmLabels(run.Manifest.Arms))
	return "epsilon of a node to one other: of all pairs, and the largest by distance", table, nil
}

// pairs returns the losses between single nodes for a page; nil where the run has none. Without
// a scenario that this build reads nodes are in the order of their numbers.
func (r *reported) pairs() (*report.Pairs, error) {
	list, err := accounts.PairsOf(r.Source)
	if errors.Is(err, accounts.ErrNoPairs) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var near accounts.Near
	if r.scenario != nil {
		if near, err = Near(r.scenario); err != nil {
			return nil, err
		}
	}
	p := &report.Pairs{Maps: accounts.PairsFigure(r.Source, list, near, nil), Spread: accounts.ShownSummary(list, near), Hops: accounts.HopsTable(list, near)}
	p.Maps.Maps = slices.DeleteFunc(p.Maps.Maps, func(m figure.HeatMap) bool { return max(len(m.Rows), len(m.Columns)) > mostMapped })
	return p, nil
}
