package scenarios

import (
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// starSection is the topology of the federated algorithms: a server and whoever
// it serves. Who is on the star besides, the algorithm knows.
type starSection struct {
	Kind string `yaml:"kind,required"`
}

// star checks the topology section of a federated algorithm, and returns its
// graphs.
func star(a *armFile, algorithm string, found *faults, sequence func() (topology.Sequence, error), edges float64) *topologyPlan {
	if a.Network != nil && a.Network.Kind() == document.Mapping {
		if name, err := kindOf(a.Network); err == nil && name != "ideal" {
			found.at("network.kind", "the servers of federated algorithms do not take missing messages yet; the network of %s is ideal", algorithm)
		}
	}
	if a.Topology == nil {
		return nil
	}
	if _, err := familyKind(stars, Topologies(), a.Topology, algorithm); !found.note(err) {
		return nil
	}
	if err := document.Decode(a.Topology, &starSection{}); !found.note(err) {
		return nil
	}
	if edges > mostEdges {
		found.at(a.Topology.Path(), "the graph has over %d edges", mostEdges)
		return nil
	}
	return &topologyPlan{
		sequence: func(uint64) (topology.Sequence, error) { return sequence() },
		edges:    edges,
		section:  a.Topology,
	}
}

// noSampledNodes refuses measure.nodes where no metric is taken at nodes.
func noSampledNodes(a *armFile, found *faults) {
	if a.Measure.Nodes > 0 {
		found.at("measure.nodes", "the metrics of a federated algorithm are of the whole run; leave this out")
	}
}

// perDatum says for whom a loss of a federated algorithm holds.
func perDatum(text string) string { return fmt.Sprintf("%s, for each client's datum", text) }
