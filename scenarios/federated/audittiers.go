package federated

import (
	"fmt"
	"strconv"
	"strings"

	"starling/mechanisms/audit"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Levels of servers are audited with one server in each level, so that the noise of no other server
// hides the canary. If the lowest server adds the noise, its messages are audited, to the server above
// it and to a client, like the messages of one server. Noise of a server above it has a statistic: the length
// of the last model in the direction of the canary, of the server at the top and of the lowest, and of
// the first model of the lowest.

// auditedAbove is the number of rounds between two rounds of the top in an audit where the lowest
// servers add noise: the last of auditedRounds is then a round of the lowest alone.
const auditedAbove = auditedRounds - 1

// tiersOf are the keys and values that make levels of servers small; none for a star.
func tiersOf(original *study.ArmFile, clients int) []string {
	h, err := topologies.HierarchyOf(original.Kinds.Topologies, original.Topology, original.Nodes, original.Horizon, "the audit")
	if h == nil || err != nil {
		return nil // the plan of the small arm has the error
	}
	ones := strings.Repeat("1, ", h.Levels()-1)
	every := 1
	if h.Noise == h.Levels()-1 {
		every = auditedAbove
	}
	schedule := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("{every: %d}, ", every), h.Levels()-1), ", ")
	return []string{"topology.fan", "[" + ones + strconv.Itoa(clients) + "]", "topology.schedule", "[" + schedule + "]"}
}

// auditedTiers makes the audits of levels of servers that add noise: of all rounds, and of a sample.
func auditedTiers(all, sampled *plan) (runs []*auditing.Run, err error) {
	lowest, _ := all.tiers.Servers(all.tiers.Levels() - 1)
	lowestAdds := all.tiers.Noise == all.tiers.Levels()-1
	for _, view := range []struct {
		of    *plan
		node  messages.NodeID
		by    string
		first bool
	}{{all, 0, "the top", false}, {all, lowest, "a client", false}, {all, lowest, "a client after a round", true}, {sampled, lowest, "a client", false}} {
		if lowestAdds && view.node == lowest || view.of == sampled && !sampled.samples() {
			continue
		}
		r, err := view.of.auditedTier(view.node, "seen by "+view.by, view.first)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// auditedTier makes the audit of the last model that a server sends, or of the first.
func (p *plan) auditedTier(node messages.NodeID, by string, first bool) (*auditing.Run, error) {
	planned := p.total()
	if first {
		planned = p.planned().Loss(1).Total()
	}
	claim, err := ledger.EpsilonOf(planned, p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	loss := planned.Loss()
	canary := machine.Canary{Client: canaryClient, Others: machine.ZeroOthers, Direction: p.direction()}
	return &auditing.Run{
		Node: node, Delta: p.mechanism.Delta, Private: true, Planned: &loss, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, p.mechanism.Delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, rate %.6g, %s, noise by each %s, %s", p.mechanism.Kind, p.common.Participation.Rate, document.Counted(p.rounds, "round"), p.tiers.Names[p.tiers.Noise], by),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
		Statistic: func(sent [][]float64) float64 {
			model := sent[len(sent)-1]
			if first {
				model = sent[0]
			}
			return kernel.Dot(model[:p.at.Width], canary.Direction)
		},
		Sees: func(to messages.NodeID) bool { return to == canaryClient+1 }, // of a broadcast all
		Run:  p.runs(canary),
	}, nil
}

// auditLowest sets up an audit of the messages of the lowest server, which adds the noise.
func (p *plan) auditLowest(r *auditing.Run, of *aggregation.Trusted) (err error) {
	level := p.tiers.Levels() - 1
	lowest, _ := p.tiers.Servers(level)
	r.Node = lowest
	r.Mechanism += fmt.Sprintf(", noise by each %s, seen by servers above and by clients", p.tiers.Names[level])
	r.Sees = func(to messages.NodeID) bool { return to == 0 || to == canaryClient+1 || int(to) > p.at.Clients }
	above := func(round int) bool { return p.at.Tiers.Takes(level-1, round) }
	r.Noise = func(at auditing.Place) auditing.Noise {
		stated := of.Stated(at)
		stated.Length = p.at.Width
		switch up := at.Hop == 1; {
		case at.Node != lowest || !up && above(at.Step): // the model of the server above
			return auditing.Noise{}
		case up:
			stated.Scale *= of.Of.Expected // a sum
		}
		return stated
	}
	var separator *audit.Separator
	if of.Noise.Correlated() {
		if separator, err = audit.NewSeparator(of.Noise.Factorization()); err != nil {
			return err
		}
	}
	r.Whiten = func(places []auditing.Place, rows [][]float64) {
		for i := len(rows) - 1; i > 0; i-- {
			if !above(places[i-1].Step) { // both are of one sum
				kernel.Axpy(rows[i], -1, rows[i-1])
			}
		}
		if separator != nil {
			separator.Whiten(rows)
		}
	}
	return nil
}
