package dpdonc

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// pushSumWarnings list the differences of a run of push-sum from the paper, and warn of lost
// masses.
func pushSumWarnings(o *dpdonc.Options, j *study.Job) (warnings []study.Warning) {
	if o.Consensus != dpdonc.ConsensusPushSum {
		return nil
	}
	warnings = append(warnings, study.Warning{Code: "leaves-paper",
		Message: "push-sum is no part of the paper, whose weights are doubly stochastic: nodes send masses along and divide by them, and no bound of the paper covers that"})
	if j.Run.Network != nil && (o.Missing == inbox.MissingDrop || o.Late == algorithm.LateDrop && o.Missing != inbox.MissingRenormalise && o.Missing != inbox.MissingRunningSum) {
		warnings = append(warnings, study.Warning{Code: "mass-lost",
			Message: "lost messages lose mass permanently: masses shrink, and step sizes and noise grow by the same factor; missing: renormalise keeps masses near 1"})
	}
	return warnings
}

// foreign reports whether noise is of another law than the paper's.
func foreign(c noise.Calibration) bool { return c.Private() && c.Law != noise.LaplaceLaw }

// claimOf is the paper's claim of a run's privacy.
func claimOf(o *dpdonc.Options, horizon int) ledger.Claim {
	if foreign(o.Calibration) {
		return ledger.Worded("no claim (the paper covers Laplace noise only)")
	}
	if o.Vary != nil {
		return ledger.Worded("no claim (the paper covers the same noise for all nodes in all steps only)")
	}
	claimed := o.Claimed(horizon)
	if !claimed.Private() {
		return ledger.Worded(claimed.String())
	}
	return ledger.Claim{Text: fmt.Sprintf("%s a step, %s in all", o.Claim(), claimed), Epsilon: claimed.Epsilon}
}

// beyondTheorem2 returns the reason why Theorem 2 does not cover a run, whatever its sizes;
// empty where it may cover it. In the theorem every message arrives in the next turn, with the
// weights of Assumption 1, and all nodes are there.
func beyondTheorem2(o *dpdonc.Options, j *study.Job) string {
	switch {
	case foreign(o.Calibration):
		return "Theorem 2 assumes Laplace noise"
	case o.Vary != nil:
		return "Theorem 2 assumes the same noise for all nodes in all steps"
	case o.Consensus == dpdonc.ConsensusPushSum:
		return "Theorem 2 assumes doubly stochastic weights, not push-sum"
	case o.Combine != nil || j.Run.Adversaries != nil:
		return "Theorem 2 assumes plain averaging by honest nodes"
	case j.Run.Network != nil:
		return "Theorem 2 assumes a network without losses, delays and nodes that are down"
	case j.Run.Wire.Compresses():
		return "Theorem 2 assumes messages without compression"
	}
	return ""
}

// theorem2 returns the value of Theorem 2's bound on E[R_T] with its components, or the reason
// why it has none. The contraction of its graphs may take far longer than a run of many nodes,
// and is then left out.
func (s *section) theorem2(o dpdonc.Options, arm *study.Arm, horizon int, j *study.Job) []study.Note {
	const key = "theorem-2"
	if s.Common.Bandit() != nil {
		return []study.Note{{Key: key, Value: "does not apply: Theorem 2 assumes gradients, and nodes see losses"}}
	}
	if why := beyondTheorem2(&o, j); why != "" {
		return []study.Note{{Key: key, Value: "does not apply: " + why}}
	}
	beta, finite := arm.Problem.Smoothness()
	if !finite {
		return []study.Note{{Key: key, Value: "does not apply: the costs have no finite beta on this set"}}
	}
	m, ok := o.Divergence.Smoothness()
	if !ok {
		return []study.Note{{Key: key, Value: "does not apply: the divergence is not smooth"}}
	}
	if o.Step.Unscaled || o.Step.Scale != 1 {
		return []study.Note{{Key: key, Value: "does not apply: Theorem 2 assumes alpha_t = 1/(N sqrt t)"}}
	}
	if arm.Topology.Loose {
		return []study.Note{{Key: key, Value: "is left out: the contraction of a mean of so many nodes takes too many weights"}}
	}
	budget := study.NewEffort(dpdoncWork(&arm.File, j.Graphs.At(0).Edges(), arm.Problem.Dim()), j.Theory)
	c, lambda, err := topology.ContractionWithin(j.Graphs, horizon, budget.Left)
	var fault *topology.WeightError
	var over *topology.WorkError
	switch {
	case errors.As(err, &over):
		return []study.Note{{Key: key, Value: budget.Refusal(over.Operations)}}
	case errors.As(err, &fault):
		return []study.Note{{Key: key, Value: fmt.Sprintf("does not apply: Theorem 2 assumes doubly stochastic weights, and in %v", err)}}
	case err != nil:
		return []study.Note{{Key: key, Value: fmt.Sprintf("not evaluated: %v", err)}}
	}
	bound := dpdonc.Theorem2(&o, dpdonc.BoundConstants{Beta: beta, Smoothness: m, C: c, Lambda: lambda}, horizon)
	trivial := dpdonc.TrivialBound(&o, horizon)
	value := fmt.Sprintf("%.4g", bound)
	if bound >= trivial {
		value += fmt.Sprintf(", which says nothing: the regret of any decisions is below %.2g", trivial)
	}
	return []study.Note{
		{Key: "contraction", Value: fmt.Sprintf("C = %.4g, lambda = %.4g", c, lambda)},
		{Key: "trivial-bound", Value: fmt.Sprintf("%.4g = N T theta eta", trivial)},
		{Key: key, Value: value},
	}
}

// The work of parts of a run, in operations, measured on scenarios of the library. The values
// are below the measurements rather than above them.
const (
	turnWork       = 400 // a turn of a node
	messageWork    = 100 // a message that it hears
	coordinateWork = 20  // a coordinate of its decision
)

// dpdoncWork is about the work of the runs of an arm of DPDO-NC under all seeds.
func dpdoncWork(f *study.File, edges, dim int) float64 {
	node := turnWork + float64(coordinateWork*float64(dim))
	return float64(f.Seeds.Count) * float64(f.Horizon) * (float64(float64(f.Nodes)*node) + float64(float64(edges)*(messageWork+2*float64(dim))))
}
