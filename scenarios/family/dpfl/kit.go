package dpfl

import (
	"starling/actors/algorithm"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/federated"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// The machines of DPFL have one server, which meets its clients in every step. Package federated has
// levels of servers, and schedules of a server. Without noise and clipping its clients and servers
// compute the same: clients the changes of the model by their local steps, and servers the mean of the
// changes, weighted by numbers of samples. A server there does not know the number of clients in a sum,
// and so takes vectors of all clients, in their round.

// kit names the reason for which an arm is built by package federated; empty where it is not.
func (v *Variant) kit(a *study.ArmFile) string {
	if !v.silent || a.Topology == nil {
		return ""
	}
	if kind.Check(a.Kinds.Topologies, a.Topology, topologies.TakesTiers, v.name) == nil {
		return "levels of servers"
	}
	if schedule, given := a.Topology.Get("schedule"); given && schedule.Kind() != document.Null {
		return "rounds of a schedule"
	}
	if !v.pooled && problems.Trains(a) {
		return "local steps of the clients' own"
	}
	return ""
}

// buildKit is Build by package federated, for a reason.
func (v *Variant) buildKit(b *study.Builder, arm *study.Arm, a *study.ArmFile, why string) (study.Plan, study.Nodes, error) {
	var found study.Faults
	s, err := v.read(a.Algorithm)
	if !found.Note(err) {
		return nil, study.Nodes{}, found.Err()
	}
	if s.Late == algorithm.LateUse {
		found.At("algorithm.late", "%s have no network effects, and no model is late; leave this out", why)
	}
	if s.Stragglers.Kept(*s.Tau) < 1 {
		found.At("algorithm.stragglers.update", "%s: servers add vectors up, with weights of all clients; want update: partial, or {kind: star} without a schedule", why)
	}
	if arm.Effects != nil {
		found.At("network.kind", "%s: each server waits for all that are below it; want an ideal network, or {kind: star} without a schedule", why)
	}
	if arm.Wire.Compresses() {
		found.At("network.compression", "%s: sums have no codec; leave this out, or want {kind: star} without a schedule", why)
	}
	plan, nodes, err := federated.Averaging{
		Name: v.name, Local: machine.Local{Tau: *s.Tau, LearningRate: s.LearningRate, Batch: s.Batch}, Samples: s.Samples, Start: s.Start,
		Stragglers: s.Stragglers, Proximal: s.proximal, Batches: rng.PurposeOf(batches),
	}.Build(b, arm, a)
	found.Note(err)
	return plan, nodes, found.Err()
}
