package view

import (
	"slices"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
	"starling/scenarios/study"
)

// Places are the places of the nodes of a network in its pictures.
type Places struct {
	nodes  int
	places []float64 // as topology.Arranged has them
}

// mostArranged bounds the coordinates of nodes that move, over all steps; a longer run is drawn
// by the form of its graphs.
const mostArranged = 1 << 22

// arrangedSteps is the number of steps, spread over the horizon, of which the graphs together
// decide where nodes are, so that pictures of different steps can be compared.
const arrangedSteps = 5

// Graphs of more steps decide, up to mostArrangedSteps, where graphs do not repeat and fewer steps join less than a share of
// the pairs.
const (
	mostArrangedSteps = 80
	sparse            = 0.1
)

// joinedShare is the share of the pairs of nodes that an edge of any of some graphs joins.
func joinedShare(graphs []*topology.Graph) float64 {
	ends, nodes := 0, 0
	for _, list := range diagram.Links(graphs...) {
		ends, nodes = ends+len(list), nodes+1
	}
	return float64(ends) / float64(max(1, nodes*(nodes-1)))
}

// Places returns the places of the nodes of a network that is small enough to be drawn: of its
// topology, or else by the form of its graphs. It takes time quadratic in the number of nodes.
func (n *Network) Places(measures topology.Measures) (a Places, err error) {
	a.nodes = n.Graphs.Nodes()
	if n.Arrange != nil && a.nodes*n.Horizon <= mostArranged {
		a.places, err = n.Arrange(n.Horizon)
		return a, err
	}
	period, periodic := n.Graphs.Period()
	if !periodic || period > n.Horizon {
		period = n.Horizon
	}
	var graphs []*topology.Graph
	for count := arrangedSteps; ; count *= 2 {
		count, graphs = min(period, count), nil
		for k := range count {
			g, err := measures.At(n.Graphs, k*period/count)
			if err != nil {
				return a, err
			}
			graphs = append(graphs, g)
		}
		if periodic || count == period || count >= mostArrangedSteps || sparse < joinedShare(graphs) {
			break
		}
	}
	if step, ok := n.firstAtServer(period); ok {
		g, err := measures.At(n.Graphs, step)
		if err != nil {
			return a, err
		}
		graphs = append(graphs, g)
	}
	a.places = diagram.Arrange(graphs...)
	return a, nil
}

// mostScheduled bounds the steps in which a message to a server is looked for.
const mostScheduled = 1 << 10

// servers returns the first of so many participants, and the servers below it, which come after the nodes. A participant
// there that hears nobody, such as an arriving client of a learner, is no server.
func (n *Network) servers(nodes, participants int) []int {
	list := []int{0}
	for i := nodes + 1; i < participants; i++ {
		if _, ok := n.firstHeard(messages.NodeID(i), n.Horizon); ok {
			list = append(list, i)
		}
	}
	return list
}

// firstAtServer returns the first of so many steps, from 0, in which the server above all others hears a node; false
// where there are no servers below it, and where it hears none.
func (n *Network) firstAtServer(steps int) (step int, ok bool) {
	if len(n.Central) < 2 {
		return 0, false
	}
	return n.firstHeard(messages.NodeID(n.Central[0]), steps)
}

// firstHeard returns the first of so many steps, from 0, in which a participant hears another; false where it hears none.
func (n *Network) firstHeard(node messages.NodeID, steps int) (step int, ok bool) {
	for t := range min(steps, mostScheduled) {
		from, _ := n.Graphs.At(t).In(node)
		if slices.ContainsFunc(from, func(j messages.NodeID) bool { return j != node }) {
			return t, true
		}
	}
	return 0, false
}

// FirstAtServer returns the first step of the horizon, in the paper's numbers, in which the server above all others
// hears a node; the first step where there are no servers below it, and where it hears none.
func (n *Network) FirstAtServer() int {
	step, _ := n.firstAtServer(n.Horizon)
	return n.FirstStep + step
}

// Moves reports whether nodes have other places in other steps.
func (a Places) Moves() bool { return len(a.places) > 2*a.nodes }

// At returns the places in a step, from 0: two coordinates in the unit square for each node.
func (a Places) At(step int) []float64 {
	if !a.Moves() {
		return a.places
	}
	return a.places[2*step*a.nodes : 2*(step+1)*a.nodes]
}

// byzantineOf returns the Byzantine nodes of an arm, as pictures number nodes: from 0.
func byzantineOf(arm *study.Arm) (list []int) {
	if arm.Adversaries == nil {
		return nil
	}
	for _, node := range arm.Adversaries.Nodes { // from 1
		list = append(list, node-arm.Extent.FirstLabel)
	}
	return list
}
