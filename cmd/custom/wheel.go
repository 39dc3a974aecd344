package main

import (
	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/section/topologies"
)

// wheelSection is `topology: {kind: wheel}`: no keys of its own, about 4 edges a node.
type wheelSection struct {
	topologies.Common `yaml:",inline"`
}

func (*wheelSection) Design(nodes int, _ uint64) topologies.Design {
	return topologies.Stays(wheel(nodes), 4*float64(nodes), false)
}

type wheel int // number of nodes, the first of them the hub

func (w wheel) Validate() error {
	if w < 4 {
		return option.Errorf("nodes", "a wheel of %d nodes; want at least 4", w)
	}
	return nil
}

func (w wheel) Sequence() (topology.Sequence, error) { // one graph; its weights are made by Metropolis' rule
	var edges []topology.Edge
	for i, rim := messages.NodeID(1), messages.NodeID(w)-1; i <= rim; i++ { // to the hub, 0, and the next on the rim, both ways
		edges = append(edges, []topology.Edge{{From: i, Weight: 1}, {To: i, Weight: 1}, {From: i, To: i%rim + 1, Weight: 1}, {From: i%rim + 1, To: i, Weight: 1}}...)
	}
	graph, err := topology.FromEdges(int(w), edges)
	return topology.Static(graph), err
}
