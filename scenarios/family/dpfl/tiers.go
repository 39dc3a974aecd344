package dpfl

import (
	"starling/actors/algorithm"
	"starling/mechanisms/rng"
	"starling/scenarios/federated"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// The machines of DPFL have one server. Package federated has levels of servers. Without noise and
// clipping its clients and servers compute the same: clients the changes of the model by their local
// steps, and servers the mean of the changes, weighted by numbers of samples. A server there does not
// know the number of clients in a sum, and so takes vectors of all clients, in their round.

// tiered reports whether an arm of an algorithm that takes levels of servers has them.
func (v *Variant) tiered(a *study.ArmFile) bool {
	return v.silent && a.Topology != nil && kind.Check(a.Kinds.Topologies, a.Topology, topologies.TakesTiers, v.name) == nil
}

// buildTiers is Build with levels of servers.
func (v *Variant) buildTiers(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	var found study.Faults
	s, err := v.read(a.Algorithm)
	if !found.Note(err) {
		return nil, study.Nodes{}, found.Err()
	}
	if s.Late == algorithm.LateUse {
		found.At("algorithm.late", "levels of servers have no network effects, and no model is late; leave this out")
	}
	if s.Stragglers.Kept(*s.Tau) < 1 {
		found.At("algorithm.stragglers.update", "a server below the top sends up a sum, and its weights are those of all of its clients; want update: partial, or the topology star")
	}
	if arm.Effects != nil {
		found.At("network.kind", "each server waits for all that are below it; want an ideal network, or the topology star")
	}
	if arm.Wire.Compresses() {
		found.At("network.compression", "a codec is for messages to one server, and sums would pass it once more at each level; leave this out, or want the topology star")
	}
	plan, nodes, err := federated.Averaging{
		Name: v.name, Local: machine.Local{Tau: *s.Tau, LearningRate: s.LearningRate, Batch: s.Batch}, Samples: s.Samples, Start: s.Start,
		Stragglers: s.Stragglers, Proximal: s.proximal, Batches: rng.PurposeOf(batches),
	}.Build(b, arm, a)
	found.Note(err)
	return plan, nodes, found.Err()
}
