package gossip

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/desk"
	"starling/messages"
	"starling/scenarios/gauge/decisions"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// probe is what the costs of a seed say of decisions. The least loss of a fixed decision
// of the set is NaN where the search for it did not come close enough.
func probe(arm *study.Arm, instance problem.Instance) decisions.Probe {
	p := decisions.Probe{Met: instance.Loss}
	if fresh, ok := instance.(problem.Fresh); ok {
		p.Fresh = decisions.MeanFresh(fresh)
	}
	if many, ok := instance.(problem.Many); ok {
		p.MetMany = many.Losses
		if study.Tests(arm.Problem) {
			p.FreshMany, p.Fresh = many.FreshLosses, decisions.One(many.FreshLosses)
		}
	}
	if tracker, ok := instance.(problem.Tracker); ok && arm.Adversaries == nil {
		p.Target, p.MetThere = tracker.Target, func(step int) (mean float64) {
			for node := range arm.File.Nodes {
				mean += instance.Loss(messages.NodeID(node), step, tracker.Target(step)) / float64(arm.File.Nodes)
			}
			return mean
		}
	}
	if arm.Adversaries != nil { // a best decision is that of all data
		return p
	}
	if knows, ok := instance.(interface{ BestIn(first, last int) float64 }); ok && bests(arm.Problem) {
		p.BestIn = knows.BestIn
		p.Best = func() float64 { return p.BestIn(1, arm.File.Horizon) }
		return p
	}
	best := problems.BestOf(arm.Problem)
	data, streams := instance.(problem.Streamed)
	if best == nil || !streams {
		return p
	}
	p.BestIn = func(first, last int) float64 {
		shape := stream.Shape{Learners: arm.File.Nodes, Rounds: arm.File.Horizon, Tau: 1}
		return stream.IntervalOptimum(best, stream.Of(data), shape, first-1, last).Known()
	}
	p.Best = func() float64 { return p.BestIn(1, arm.File.Horizon) }
	return p
}

// metOf are decisions.Probe's Met and MetMany of costs.
func metOf(costs algorithm.Costs) (met func(messages.NodeID, int, []float64) float64, many decisions.Many) {
	if ask, ok := costs.(desk.Costs); ok {
		many = ask.Losses
	}
	return costs.Loss, many
}

// asked are the names of the metrics that runs record where they are asked for.
func asked(arm *study.Arm) []string {
	best := arm.Adversaries == nil && (problems.BestOf(arm.Problem) != nil || bests(arm.Problem))
	return decisions.Answers{Met: true, Fresh: study.Tests(arm.Problem), Best: best, BestIn: best, Target: arm.Adversaries == nil && study.Tracks(arm.Problem)}.Names()
}

// bests tells whether the instances of a problem know the least losses themselves.
func bests(p problem.Problem) bool {
	says, ok := p.(interface{ Bests() bool })
	return ok && says.Bests()
}
