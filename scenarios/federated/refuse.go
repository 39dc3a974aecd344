package federated

import (
	"slices"
	"strings"

	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// samplers returns the names of the mechanisms on sums over secret samples.
func (p *plan) samplers() string {
	return strings.Join(takesSamples.Names(p.file.Kinds.Mechanisms), ", ")
}

// checkTraining refuses settings of local steps that clients do not take one by one.
func (p *plan) checkTraining() error {
	var found study.Faults
	if p.steps {
		return p.checkSteps()
	}
	if !p.corpus.Trains {
		return nil
	}
	const own = "clients take local steps of their own"
	if p.common.Level == Record {
		found.At("algorithm.level", "%s, in which a sample has neither a bound nor noise: want %s, or gradients of samples", own, User)
	}
	if p.keeps {
		found.At("algorithm.kind", "%s, and those of %s correct each step by their state: want gradients of samples", own, p.name)
	}
	if p.averaging != nil && p.averaging.Proximal > 0 {
		found.At("algorithm.kind", "%s, and %s pulls each step back to the model of the round: want gradients of samples", own, p.name)
	}
	return found.Err()
}

// checkSteps refuses settings that local steps of the algorithm's author do not have.
func (p *plan) checkSteps() error {
	var found study.Faults
	if p.corpus.Trains {
		found.At("problem.offers", "the class of the algorithm has the local steps, and asks for gradients of samples: leave local out, or take the method local out of the class of %s", p.name)
	}
	if p.common.Level == Record {
		found.At("algorithm.level", "the class of the algorithm gets gradients without noise: want %s", User)
	}
	if p.common.Stragglers != nil {
		found.At("algorithm.stragglers", "the class of the algorithm takes the same number of local steps for all clients; leave this out")
	}
	for _, m := range p.corpus.Own {
		if slices.Contains(p.declared.Names(), m.Name) {
			found.At("problem.metrics", "the class of the algorithm declares the metric %s, too; want another name", strings.TrimPrefix(m.Name, metric.Own))
		}
	}
	return found.Err()
}

// checkBuffer refuses settings that a server with a buffer cannot have.
func (p *plan) checkBuffer() error {
	var found study.Faults
	if p.buffer == nil {
		return nil
	}
	if p.buffer.Size > p.file.Nodes {
		found.At("algorithm.buffer", "a buffer has one vector of a client at most, and so %d are never in it: there are %d clients", p.buffer.Size, p.file.Nodes)
	}
	if p.common.Level == Record {
		found.At("algorithm.level", "the noise of a server with a buffer protects clients: want %s", User)
	}
	if p.mechanism.Correlated != nil && !p.paced() {
		found.At("mechanism.kind", "which client comes back in which buffer is the network's choice, for which correlated noise has no sensitivity; want noise of its own on each buffer, such as %s, or a clock and a concurrency, with apart and times", p.samplers())
	}
	return found.Err()
}

// checkAggregation refuses settings that are not proved where the server is not trusted.
func (p *plan) checkAggregation() error {
	var found study.Faults
	a, c := p.common.Aggregation, &p.common
	if why := a.RefusesGroups(); p.mechanism.Varies() && why != "" {
		found.At("mechanism.groups", "%s", why)
	} else if p.mechanism.Varies() && (a == nil || a.Kind != aggregation.Local || a.Survivors != nil) {
		found.At("mechanism.groups", "noise that differs between clients is on their messages, each with all of its own: want algorithm.aggregation: {kind: local} without survivors; where a trusted server adds the noise, by of sampled-gaussian gives clients epsilons of their own")
	}
	if a == nil {
		return found.Err()
	}
	switch {
	case p.buffer != nil:
		found.At("algorithm.aggregation", "which clients meet in a buffer is the network's choice, and no round has a number of them at least: a server with a buffer is trusted")
	case c.Level == Record:
		found.At("algorithm.level", "clients protect their samples in every local step, from any server: leave aggregation out, or want %s", User)
	}
	// The largest number of clients in a round: with groups, the size of the largest group.
	groups := max(1, c.Participation.Groups)
	most := (p.file.Nodes + groups - 1) / groups
	if p.seats != nil {
		most = p.atWork()
	}
	if a.Least() > most {
		found.At("algorithm.aggregation.survivors", "a round has at most %d clients, and would be aborted always", most)
	}
	m := &p.mechanism
	switch {
	case m.Correlated != nil:
		found.At("mechanism.kind", "noise that is correlated over rounds cannot be divided into shares that add up to it for any set of dropped clients; want noise of its own on each round, such as gaussian")
	case m.Owned() && a.Kind == aggregation.Secure:
		found.At("mechanism.kind", "shares of noise are Gaussian: want gaussian or sampled-gaussian")
	case m.Owned() && a.Kind == aggregation.Local && a.Survivors != nil:
		found.At("algorithm.aggregation.survivors", "%s noise has no shares: each message has all of it; leave this out", noise.Title(m.Own.Law))
	case a.Bound == aggregation.ClosedBound && !m.Owned() && p.private():
		found.At("algorithm.aggregation.bound", "the theorem is for noise that is private without a delta: want the mechanism laplace, or the bound %s", aggregation.NumericalBound)
	case a.Kind == aggregation.Shuffle && m.Delta == 0 && a.Delta == nil && p.private():
		found.At("algorithm.aggregation", "missing required key %q: shuffling hides the senders of messages only up to a delta, and the mechanism has none", "delta")
	case a.Delta != nil && m.Delta > 0:
		found.At("algorithm.aggregation.delta", "losses are stated at the delta of the mechanism, %v; leave this out", m.Delta)
	}
	return found.Err()
}

// checkLies refuses rules that combine vectors, and lies, that noise on a sum does not allow: a
// client has to move the sum by its own vector, and no more.
func (p *plan) checkLies() error {
	var found study.Faults
	hidden, seen := p.common.Aggregation, p.common.Aggregation != nil && p.common.Aggregation.Kind == aggregation.Local
	if hidden != nil && !seen && p.arm.Adversaries != nil {
		found.At("adversaries", "payments of clients assume the messages of others, which Byzantine clients do not send; want aggregation: {kind: local}, or none")
	}
	noised := p.private() && p.common.Level == User && !seen
	if noised && p.arm.Adversaries.Knows() {
		found.At("adversaries.omniscient", "attacks made of the messages of clients move with every client: the noise of a server on the sum is for a client that moves its own vector alone; leave this out, or take level: record")
	}
	if p.combine == nil {
		return found.Err()
	}
	_, centred := p.combine.(robust.Centred)
	switch {
	case centred:
		found.At("algorithm.combine.kind", "this rule is around a node's own vector, and a server has none; want mean, median, trimmed-mean, or krum")
	case hidden != nil && !seen:
		found.At("algorithm.combine", "a rule is for single messages with a known sender, and the server sees a sum or a shuffled batch; want mean, or aggregation: {kind: local}")
	case p.buffer != nil:
		found.At("algorithm.combine", "a buffer adds up vectors as they come; want mean")
	case noised:
		found.At("algorithm.combine", "the noise of a trusted server is for a sum, which a client moves by the clip at most; want mean, or level: record, whose clients add noise before they send")
	case hidden != nil && hidden.Weights == aggregation.InverseVariance:
		found.At("algorithm.aggregation.weights", "weights are of a mean, and a rule has its own; want combine: {kind: mean}")
	default:
		found.Note(p.arm.CheckExpected(p.combine, p.at.Expected))
	}
	return found.Err()
}

// checkTiers refuses settings that levels of servers do not have.
func (p *plan) checkTiers() error {
	var found study.Faults
	of, c := p.tiers, &p.common
	if of == nil {
		return nil
	}
	if !p.changes {
		found.At("topology.kind", "servers below the top move their model by the sum of clients' messages, which in %s are no changes of the model; want star", p.name)
	}
	if c.Aggregation != nil {
		found.At("algorithm.aggregation", "shares of noise and shuffled messages are of all clients of a round, and each server has some of them; leave this out, or want the topology star")
	}
	if p.combine != nil {
		found.At("algorithm.combine", "levels of servers add vectors up; want mean, or the topology star")
	}
	if p.arm.Adversaries != nil {
		found.At("adversaries", "adversaries are for one server; want the topology star")
	}
	switch serves := c.Level == User && c.Aggregation == nil; { // the noise is the servers'
	case p.private() && serves && of.Noise < 0:
		found.At("topology", "missing required key %q: the level of servers that add the noise of %s, and are trusted with the vectors below them: one of %q", "noise", User, of.Names[:of.Levels()])
	case p.private() && !serves && of.Noise >= 0:
		found.At("topology.noise", "clients add the noise of level: %s; leave this out", c.Level)
	case c.Amplified && of.Noise != 0:
		found.At("algorithm.amplified", "amplification is for the sum of all clients; want noise: %s, or leave this out", of.Names[0])
	}
	return found.Err()
}
