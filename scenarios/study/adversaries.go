package study

import (
	"fmt"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/algorithm/adversary"
	"starling/mechanisms/rng"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/section/adversaries"
)

// Adversaries are the nodes of an arm that lie; nil is none.
type Adversaries struct {
	Kind   string
	Nodes  []int            // from 1, ascending; at least one, and not all
	Attack adversary.Attack // nil of nodes that say nothing
}

// Silent tells whether there are nodes that say nothing.
func (a *Adversaries) Silent() bool { return a != nil && a.Attack == nil }

// Knows tells whether lies depend on what honest nodes say in the same turn.
func (a *Adversaries) Knows() bool { return a != nil && a.Attack != nil && a.Attack.Knows() }

// buildAdversaries reads who lies, and notes what is wrong.
func buildAdversaries(b *Builder, a *ArmFile, family *Algorithm, found *Faults) *Adversaries {
	p, err := adversaries.Build(b.Kinds, a.Adversaries, a.Nodes)
	if !found.Note(err) || p == nil {
		return nil
	}
	switch {
	case !family.Deceived:
		found.At("adversaries", "%s sends choices, or reads sums of what participants send: nobody can lie in it", a.algorithmName())
		return nil
	case p.Count >= a.Nodes:
		found.At("adversaries", "all nodes lie: %d of %d", p.Count, a.Nodes)
		return nil
	}
	liars := &Adversaries{Kind: p.Kind, Nodes: p.Nodes, Attack: p.Attack}
	if liars.Nodes == nil {
		var stream rng.Stream
		drawn := sample(stream.Open(rng.NewKey(a.Seeds.Base, rng.PurposeOf("adversaries")), a.Nodes, p.Count, 0), a.Nodes, p.Count)
		for _, node := range drawn {
			liars.Nodes = append(liars.Nodes, int(node)+1)
		}
	}
	return liars
}

// count is how many lie.
func (a *Adversaries) count() int {
	if a == nil {
		return 0
	}
	return len(a.Nodes)
}

// IDs are those that lie, where the first of the nodes has a number.
func (a *Adversaries) IDs(first messages.NodeID) (list []messages.NodeID) {
	if a == nil {
		return nil
	}
	for _, node := range a.Nodes {
		list = append(list, first+messages.NodeID(node-1))
	}
	return list
}

// others turns numbers of nodes that do not lie, counted from 0 and ascending, into nodes,
// in place.
func (a *Adversaries) others(list []messages.NodeID) []messages.NodeID {
	liars, before := a.IDs(0), 0
	for i, k := range list {
		for before < len(liars) && liars[before] <= k+messages.NodeID(before) {
			before++
		}
		list[i] = k + messages.NodeID(before)
	}
	return list
}

// of is what a run of a plan knows of them.
func (a *Adversaries) of(p *Plan) *algorithm.Adversaries {
	if a == nil {
		return nil
	}
	liars := &algorithm.Adversaries{Attack: a.Attack, Clear: p.Clear}
	for _, node := range a.IDs(messages.NodeID(1 - p.FirstLabel)) {
		liars.Liars.Add(node)
	}
	return liars
}

// remarks say who lies, and of whom metrics are.
func (a *Adversaries) remarks(arm *Arm) ([]Note, []Warning) {
	if a == nil {
		return nil, nil
	}
	who := make([]string, len(a.Nodes))
	for i, node := range a.Nodes {
		who[i] = fmt.Sprint(node)
	}
	text := fmt.Sprintf("%s by %d of %d nodes: %s", a.Kind, len(who), arm.File.Nodes, strings.Join(who, ", "))
	of := "regret, distances and accuracy are those of the nodes that do not lie, and of their costs"
	if arm.Algorithm.Server {
		of = "losses are those of the data of all nodes"
	}
	return []Note{{"adversaries", text}}, []Warning{{"adversaries", text + "; " + of + "; what is accounted is of nodes that do not lie"}}
}

// mostLookedAt is how many nodes a graph has whose nodes are all looked at before a run.
const mostLookedAt = 10_000

// CheckHeard has the arm's nodes combine by a rule, and notes where a node of the first graph
// hears too few for it, itself counted where it hears itself, or where too many lie for any. In
// later graphs, and where messages are missing, a rule does what it can with those that
// arrive, and the run warns of it.
func (arm *Arm) CheckHeard(rule robust.Rule, found *Faults) {
	arm.Takes = rule.Least()
	arm.checkHalf(found)
	if arm.Topology == nil || arm.File.Nodes > mostLookedAt {
		return
	}
	graphs, err := arm.Topology.Sequence(arm.File.Seeds.Base)
	if err != nil {
		return // which is a fault of its own
	}
	graph := graphs.At(0)
	for node := range messages.NodeID(graphs.Nodes()) {
		if from, _ := graph.In(node); len(from) < rule.Least() {
			found.At("algorithm.combine", "this takes %d vectors, and node %d hears %d in the first step", rule.Least(), node+1, len(from))
			return
		}
	}
}

// CheckExpected is CheckHeard of a server that expects so many vectors at once.
func (arm *Arm) CheckExpected(rule robust.Rule, expected float64, found *Faults) {
	arm.Takes = rule.Least()
	arm.checkHalf(found)
	if expected < float64(rule.Least()) {
		found.At("algorithm.combine", "this takes %d vectors, and the server expects %.6g", rule.Least(), expected)
	}
}

// checkHalf notes where so many lie that no rule can hold.
func (arm *Arm) checkHalf(found *Faults) {
	if n := arm.Adversaries.count(); 2*n >= arm.File.Nodes {
		found.At("adversaries", "%d of %d nodes lie: from half on no rule can tell who is right; want fewer, or combine: {kind: mean}", n, arm.File.Nodes)
	}
}
