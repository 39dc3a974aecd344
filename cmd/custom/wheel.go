package main

import (
	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/kind"
	"starling/scenarios/section/topologies"
)

// wheelKind is the topology's entry in the catalog: no keys of its own, about 4 edges a node.
var wheelKind = kind.New("wheel", "a ring around a hub that all are joined to", topologies.Default[struct{}](),
	topologies.Of(func(_ struct{}, nodes int, _ uint64) topologies.Design {
		return topologies.Stays(wheel(nodes), 4*float64(nodes), false)
	})).Like("{kind: wheel}")

type wheel int // number of nodes, the first of them the hub

func (w wheel) Validate() error {
	if w < 4 {
		return option.Errorf("nodes", "a wheel of %d nodes; want at least 4", w)
	}
	return nil
}

func (w wheel) Sequence() (topology.Sequence, error) { // one graph; its weights are made by Metropolis' rule
	var edges []topology.Edge
	for i, rim := messages.NodeID(1), messages.NodeID(w)-1; i <= rim; i++ {
		for _, to := range []messages.NodeID{0, i%rim + 1} { // the hub, and the next on the rim
			edges = append(edges, topology.Edge{From: i, To: to, Weight: 1}, topology.Edge{From: to, To: i, Weight: 1})
		}
	}
	graph, err := topology.FromEdges(int(w), edges)
	return topology.Static(graph), err
}
