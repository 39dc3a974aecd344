package federated

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Levels of servers are audited with one server in each level, so that the noise of no other server
// hides the canary. The statistic is the length of the last model in the direction of the canary.
// One audit takes the models of the server at the top, another the models of the lowest server, which
// its clients see in the rounds between.

// auditedEvery is the number of rounds between two rounds of the top in an audit where the lowest
// servers add noise: the last of auditedRounds is then a round of the lowest alone.
const auditedEvery = auditedRounds - 1

// tiersOf are the keys and values that make levels of servers small; none for a star.
func tiersOf(original *study.ArmFile, clients int) []string {
	h, err := topologies.HierarchyOf(original.Kinds.Topologies, original.Topology, original.Nodes, original.Horizon, "the audit")
	if h == nil || err != nil {
		return nil // the plan of the small arm has the error
	}
	ones := strings.Repeat("1, ", h.Levels()-1)
	every := 1
	if h.Noise == h.Levels()-1 {
		every = auditedEvery
	}
	schedule := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("{every: %d}, ", every), h.Levels()-1), ", ")
	return []string{"topology.fan", "[" + ones + strconv.Itoa(clients) + "]", "topology.schedule", "[" + schedule + "]"}
}

// auditedTiers makes the audits of levels of servers that add noise.
func (p *plan) auditedTiers() (runs []*auditing.Run, err error) {
	lowest, _ := p.tiers.Servers(p.tiers.Levels() - 1)
	for _, view := range []struct {
		node messages.NodeID
		by   string
	}{{0, "seen by the top"}, {lowest, "seen by a client"}} {
		if view.node > 0 && p.tiers.Noise < p.tiers.Levels()-1 {
			continue // the lowest servers send the model of the top
		}
		r, err := p.auditedTier(view.node, view.by)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// auditedTier makes the audit of the models that a server sends.
func (p *plan) auditedTier(node messages.NodeID, by string) (*auditing.Run, error) {
	planned := p.total()
	claim, err := ledger.EpsilonOf(planned, p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	loss := planned.Loss()
	canary := machine.Canary{Client: canaryClient, Others: machine.ZeroOthers, Direction: make([]float64, p.at.Width)}
	if canary.Direction[0] = 1; p.mechanism.Owned() && p.mechanism.Own.Law.Norm() == noise.L1 { // the 1-norm is largest where all entries are alike
		for k := range canary.Direction {
			canary.Direction[k] = 1 / math.Sqrt(float64(p.at.Width))
		}
	}
	return &auditing.Run{
		Node: node, Delta: p.mechanism.Delta, Private: true, Planned: &loss, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, p.mechanism.Delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, %d rounds, noise by each %s, %s", p.mechanism.Kind, p.at.Rounds, p.tiers.Names[p.tiers.Noise], by),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
		Statistic: func(sent [][]float64) float64 {
			return kernel.Dot(sent[len(sent)-1][:p.at.Width], canary.Direction)
		},
		Run: p.runs(canary),
	}, nil
}
