package ofl

import (
	"strconv"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/scenarios/auditing"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// graphsOf returns the graphs of one server or of levels of servers, with a bound on their edges.
func graphsOf(learners int) func(*topologies.Hierarchy) (func() (topology.Sequence, error), float64) {
	return func(h *topologies.Hierarchy) (func() (topology.Sequence, error), float64) {
		var of *ofl.Tiers
		edges := limits.Product(3, learners)
		if h != nil {
			of = &ofl.Tiers{Tiers: h.Tiers}
			edges += limits.Product(2, h.Nodes()-learners)
		}
		return func() (topology.Sequence, error) { return ofl.GraphOf(learners, of) }, edges
	}
}

// levels are the levels of servers of a run under a seed; nil for one server.
func (p *oflPlan) levels(seed uint64) *ofl.Tiers {
	if p.tiers == nil {
		return nil
	}
	return &ofl.Tiers{Tiers: p.tiers.Tiers, Takes: p.tiers.Rounds(seed)}
}

// checkTiers refuses settings that levels of servers do not have.
func (p *oflPlan) checkTiers() error {
	var found study.Faults
	if p.tiers == nil {
		return nil
	}
	if p.tiers.Noise >= 0 {
		found.At("topology.noise", "learners add the noise; leave this out")
	}
	if p.section.Late == algorithm.LateUse {
		found.At("algorithm.late", "levels of servers have no network effects, and no vector is late; leave this out")
	}
	if p.arm.Effects != nil {
		found.At("network.kind", "each server waits for all that are below it; want an ideal network, or the topology star")
	}
	if p.arm.Wire.Compresses() {
		found.At("network.compression", "a codec is for messages to one server, and sums would pass it once more at each level; leave this out, or want the topology star")
	}
	return found.Err()
}

// lowest names the participants of a communication of learners.
func (p *oflPlan) lowest() string {
	if p.tiers == nil {
		return "learners and server"
	}
	return "learners and " + p.tiers.Names[p.tiers.Levels()-1]
}

// exchangesAbove are the schedules of the servers above the lowest, which count communications of
// learners.
func (p *oflPlan) exchangesAbove() (list []study.Exchange) {
	if p.tiers == nil {
		return nil
	}
	for level, name := range p.tiers.Names[:p.tiers.Levels()-1] {
		list = append(list, study.Exchange{Who: name, When: p.tiers.When(level) + " of the rounds of learners"})
	}
	return list
}

// tiersOf are the keys and values that make levels of servers small, one server in each; none for a
// star.
func tiersOf(b *study.Builder, v study.Variant, learners int) []string {
	a, err := auditing.Smaller(b.Kinds, v)
	if err != nil || kind.Check(a.Kinds.Topologies, a.Topology, topologies.TakesTiers, "the audit") != nil {
		return nil // the plan of the small arm has the error
	}
	h, err := topologies.HierarchyOf(a.Kinds.Topologies, a.Topology, a.Nodes, a.Horizon, "the audit")
	if err != nil {
		return nil
	}
	return []string{"topology.fan", "[" + strings.Repeat("1, ", h.Levels()-1) + strconv.Itoa(learners) + "]"}
}
