package study

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/limits"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/topologies"
)

// ServerLinks returns the participants of a network of a server, 0, and its clients, from 1.
func ServerLinks(nodes int) networks.Site {
	return networks.Site{Labels: networks.Labels{First: 0, Last: nodes}}
}

// BuildStarOf checks the topology section of a federated algorithm whose keys say when its server and
// clients meet, and returns its graphs; nil without a section, and where it has a fault. It refuses
// nodes at which metrics are taken.
func BuildStarOf(b *Builder, arm *Arm, a *ArmFile, name string, sequence func() (topology.Sequence, error), edges float64) (*topologies.Plan, error) {
	plan, err := starOf(b, arm, a, name, sequence, edges)
	if plan.Schedule() == nil {
		return plan, err
	}
	return nil, errors.Join(err, document.At(a.Topology.Path()+".schedule", "the keys of %s say when its server and clients meet; leave this out", name))
}

// starOf is BuildStarOf for an algorithm that takes a schedule.
func starOf(b *Builder, arm *Arm, a *ArmFile, name string, sequence func() (topology.Sequence, error), edges float64) (*topologies.Plan, error) {
	found := refuseServed(b, arm, a, name)
	if a.Topology == nil {
		return nil, found.Err()
	}
	at := topologies.Site{Nodes: a.Nodes, Data: b.Data, Kinds: b.Kinds.Topologies, Whom: "the algorithm " + name}
	plan, err := at.ServerOf(a.Topology)
	if !found.Note(err) {
		return nil, found.Err()
	}
	found.Note(serve(plan, a, sequence, edges))
	return plan, found.Err()
}

// refuseServed refuses sections that no algorithm of a server goes with.
func refuseServed(b *Builder, arm *Arm, a *ArmFile, name string) (found Faults) {
	if a.Measure.Nodes > 0 {
		found.At("measure.nodes", "the metrics of a federated algorithm are of the whole run; leave this out")
	}
	// Only the algorithm knows whether its rounds go on without a client. Only it knows, too,
	// that a client that forgets would draw its noise again for other data.
	if arm.Effects != nil {
		switch family, err := AlgorithmOf(b, a); {
		case err != nil || !family.Traits().SupportsMissing:
			found.At("network.kind", "the server of %s waits for every client; its network is ideal", name)
		case arm.Effects.Forgets:
			found.At("network", "nodes that forget their state would repeat releases that %s pays for once; leave forget out", name)
		}
	}
	return found
}

// serve gives a plan the graphs of a server.
func serve(plan *topologies.Plan, a *ArmFile, sequence func() (topology.Sequence, error), edges float64) error {
	if edges > limits.Edges {
		return document.At(a.Topology.Path(), "the graph has over %d edges", limits.Edges)
	}
	plan.Sequence = func(seed uint64) (topology.Sequence, error) {
		graphs, err := sequence()
		if times := plan.Times(seed); err == nil && times != nil {
			graphs = times.Over(graphs, topology.Empty(graphs.At(0).Nodes()))
		}
		return graphs, err
	}
	plan.Edges = edges
	return nil
}

// LinksOf returns the graphs of a star, for nil, or of levels of servers, and their number of edges.
type LinksOf func(*topologies.Hierarchy) (sequence func() (topology.Sequence, error), edges float64)

// ServersOf returns the graphs of a server that is linked to each of its clients in the steps of the
// topology's schedule, or of levels of servers, which it also returns; nil is a star.
func ServersOf(b *Builder, arm *Arm, a *ArmFile, name string) (*topologies.Plan, *topologies.Hierarchy, error) {
	plan, h, err := serversOf(b, arm, a, name, starOf, func(h *topologies.Hierarchy) (func() (topology.Sequence, error), float64) {
		if h == nil {
			return topology.Star{Leaves: a.Nodes}.Sequence, limits.Product(3, a.Nodes)
		}
		return h.Sequence, limits.Product(3, h.Nodes())
	})
	if err == nil && h != nil {
		plan.Shown = h.ByRound // a round is a step here
	}
	return plan, h, err
}

// BuildServersOf is BuildStarOf for an algorithm that also takes levels of servers. It returns them;
// nil is a star.
func BuildServersOf(b *Builder, arm *Arm, a *ArmFile, name string, links LinksOf) (*topologies.Plan, *topologies.Hierarchy, error) {
	return serversOf(b, arm, a, name, BuildStarOf, links)
}

// serversOf returns the graphs of a star by a function, or of levels of servers.
func serversOf(b *Builder, arm *Arm, a *ArmFile, name string, star func(*Builder, *Arm, *ArmFile, string, func() (topology.Sequence, error), float64) (*topologies.Plan, error), links LinksOf) (*topologies.Plan, *topologies.Hierarchy, error) {
	var h *topologies.Hierarchy
	var err error
	if a.Topology != nil {
		h, err = topologies.HierarchyOf(b.Kinds.Topologies, a.Topology, a.Nodes, a.Horizon, "the algorithm "+name)
	}
	if h == nil && err == nil {
		sequence, edges := links(nil)
		plan, err := star(b, arm, a, name, sequence, edges)
		return plan, nil, err
	}
	found := refuseServed(b, arm, a, name)
	if !found.Note(err) {
		return nil, nil, found.Err()
	}
	sequence, edges := links(h)
	plan := &topologies.Plan{Section: a.Topology}
	found.Note(serve(plan, a, sequence, edges))
	return plan, h, found.Err()
}

// StarOf is BuildStarOf for a server that is linked to each of its clients, in every step.
func StarOf(b *Builder, arm *Arm, a *ArmFile, name string, clients int) (*topologies.Plan, error) {
	sequence := topology.Star{Leaves: clients}.Sequence
	return BuildStarOf(b, arm, a, name, sequence, limits.Product(3, clients))
}

// CheckModels refuses so many vectors of each client of an arm that no machine would hold them. A
// run is held to its memory besides.
func CheckModels(a *ArmFile, vectors, clients, dim int) error {
	each := limits.Product(vectors, dim)
	if numbers := each * float64(clients); numbers > limits.Models {
		return document.At(a.Problem.Path(), "the models of %d clients have %.3g coordinates; want at most %.3g, which %.0f clients have", clients, numbers, float64(limits.Models), max(0, math.Floor(limits.Models/each)))
	}
	return nil
}

// Affected returns the notes on a run with network effects.
func Affected(arm *Arm, late algorithm.Late) []Note {
	if arm.Effects == nil {
		return nil
	}
	what := "left out"
	if late == algorithm.LateUse {
		what = "averaged in the round in which they come"
	}
	return []Note{{Key: "rounds", Value: "follow the schedule, with any number of clients; vectors that arrive after their round are " + what}}
}

// PerDatum returns the text of a federated algorithm's loss, with the datum for which it
// holds.
func PerDatum(text string) string { return fmt.Sprintf("%s, for each client's datum", text) }

// RoundMetrics returns the metrics of rounds of a server and its clients under network
// effects; none without effects.
func RoundMetrics(arm *Arm) []string {
	if arm.Effects == nil {
		return nil
	}
	return append(gauge.FateMetrics(arm.Effects.Limited), gauge.Participants)
}
