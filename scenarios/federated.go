package scenarios

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/meter"
)

// starSection is the topology of the federated algorithms: a server and whoever
// it serves. Who is on the star besides, the algorithm knows.
type starSection struct {
	Kind string `yaml:"kind,required"`
}

// serverLinks are those of a server, 0, and its clients, from 1.
func serverLinks(nodes int) networkSite { return networkSite{labels: labels{0, nodes}} }

// starBuilder reads the topology of a federated algorithm.
type starBuilder func(section *document.Node) error

func buildStar(section *document.Node) error { return document.Decode(section, &starSection{}) }

// star checks the topology section of a federated algorithm, and returns its
// graphs.
func (b *builder) star(arm *Arm, a *armFile, name string, found *faults, sequence func() (topology.Sequence, error), edges float64) *topologyPlan {
	if arm.effects != nil {
		switch family, err := b.algorithm(a); {
		case err != nil || !family.tolerant:
			found.at("network.kind", "the server of %s waits for every client; its network is ideal", name)
		case arm.effects.forgets:
			found.at("network", "nodes that forget what they knew would repeat what the privacy of %s pays for once; leave forget out", name)
		}
	}
	if a.Topology == nil {
		return nil
	}
	build, err := find[starBuilder](b.kinds.topologies, a.Topology, "the algorithm "+name)
	if !found.note(err) || !found.note(build(a.Topology)) {
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

// affect gives a job the network of its arm, once its schedule is set.
func (arm *Arm) affect(j *job, seed uint64) (err error) {
	if arm.effects != nil {
		j.run.Network, err = arm.effects.build(&j.run, seed)
	}
	return err
}

// affected are the notes on a run whose network has effects.
func (arm *Arm) affected(late algorithm.Late) []note {
	if arm.effects == nil {
		return nil
	}
	what := "left out"
	if late == algorithm.LateUse {
		what = "averaged in the round in which they come"
	}
	return []note{{"rounds", "go by the schedule, whoever is there; vectors that come after their round are " + what}}
}

// noSampledNodes refuses measure.nodes where no metric is taken at nodes.
func noSampledNodes(a *armFile, found *faults) {
	if a.Measure.Nodes > 0 {
		found.at("measure.nodes", "the metrics of a federated algorithm are of the whole run; leave this out")
	}
}

// perDatum says for whom a loss of a federated algorithm holds.
func perDatum(text string) string { return fmt.Sprintf("%s, for each client's datum", text) }

// roundMetrics are those of rounds of a server and its clients under network
// effects; none without.
func (arm *Arm) roundMetrics() []string {
	if arm.effects == nil {
		return nil
	}
	return append(meter.FateMetrics(arm.effects.limited), meter.Participants)
}
