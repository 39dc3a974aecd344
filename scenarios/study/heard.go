package study

import (
	"errors"

	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/section/topologies"
)

// mostLookedAt is the largest number of nodes of a graph for which all nodes are checked
// before a run.
const mostLookedAt = 10_000

// CheckHeard returns a fault if a node of the first graph hears too few nodes for a rule, or if
// too many nodes lie for any rule. A node counts itself if it hears itself. In later graphs,
// and where messages are missing, a rule does its best with those that arrive, and the run
// warns of it. plan makes the graphs; nil is not checked.
func (arm *Arm) CheckHeard(plan *topologies.Plan, rule robust.Rule) error {
	half := arm.checkHalf()
	if plan == nil || arm.File.Nodes > mostLookedAt {
		return half
	}
	graphs, err := plan.Sequence(arm.File.Seeds.Base)
	if err != nil {
		return half // this is a fault of its own
	}
	graph := graphs.At(0)
	for node := range messages.NodeID(graphs.Nodes()) {
		if from, _ := graph.In(node); len(from) < rule.Least() {
			return errors.Join(half, document.At("algorithm.combine", "this takes %d vectors, and node %d hears %d in the first step", rule.Least(), node+1, len(from)))
		}
	}
	return half
}

// TakesOf returns the number of vectors that a combining rule needs; 0 for nil, the mean.
func TakesOf(rule robust.Rule) int {
	if rule == nil {
		return 0
	}
	return rule.Least()
}

// CheckExpected is CheckHeard for a server that expects so many vectors at once.
func (arm *Arm) CheckExpected(rule robust.Rule, expected float64) error {
	half := arm.checkHalf()
	if expected < float64(rule.Least()) {
		return errors.Join(half, document.At("algorithm.combine", "this takes %d vectors, and the server expects %.6g", rule.Least(), expected))
	}
	return half
}

// checkHalf returns a fault if so many nodes lie that no rule can hold.
func (arm *Arm) checkHalf() error {
	if n := arm.Adversaries.Count(); 2*n >= arm.File.Nodes {
		return document.At("adversaries", "%d of %d nodes are Byzantine: from half on no rule can tell which nodes are honest; want fewer, or combine: {kind: mean}", n, arm.File.Nodes)
	}
	return nil
}
