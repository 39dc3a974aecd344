package scenarios

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/meter"
)

// starSection is the topology of the federated algorithms: a server and whoever
// it serves. Who is on the star besides, the algorithm knows.
type starSection struct {
	Kind string `yaml:"kind,required"`
}

// star checks the topology section of a federated algorithm, and returns its
// graphs.
func star(arm *Arm, a *armFile, name string, found *faults, sequence func() (topology.Sequence, error), edges float64) *topologyPlan {
	if arm.effects != nil {
		switch {
		case !tolerant(name):
			found.at("network.kind", "the server of %s waits for every client; its network is ideal", name)
		case arm.effects.forgets:
			found.at("network", "nodes that forget what they knew would repeat what the privacy of %s pays for once; leave forget out", name)
		}
	}
	if a.Topology == nil {
		return nil
	}
	if _, err := familyKind(stars, Topologies(), a.Topology, name); !found.note(err) {
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

// tolerant tells whether rounds of an algorithm go on where messages are missing.
// Those of the experts' algorithms do not: OPE-Stoch decides by the loss sums of all
// clients, and Fed-SVT tests whether the sum over all has crossed its threshold. A
// sum that lacks a client is another query, of another sensitivity, and neither
// paper says what to do with it.
func tolerant(name string) bool {
	return name == kindOFL || name == kindDPFL || name == kindALIDPFL
}

// The federated algorithms that networks with effects are for.
const (
	kindOFL     = "ofl"
	kindDPFL    = "dpfl"
	kindALIDPFL = "ali-dpfl"
)

// siteOf is whom the network of an arm connects: the nodes, from 1, and of these
// algorithms the server, 0, before them, and of ofl the clients of the learners after
// them, whose links to these are no part of the network.
func siteOf(a *armFile, data *dataFolder) networkSite {
	site := networkSite{labels: labels{1, a.Nodes}, nodes: a.Nodes, data: data}
	if a.Algorithm != nil {
		switch name, _ := kindOf(a.Algorithm); name {
		case kindOFL:
			site.labels, site.local = labels{0, 2 * a.Nodes}, ofl.Local(a.Nodes)
		case kindDPFL, kindALIDPFL:
			site.labels = labels{0, a.Nodes}
		}
	}
	return site
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
