package gossip

import (
	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
	"starling/scenarios/watch"
)

// probe is what the costs of a seed say of decisions. The best fixed point is known of
// data whose model has one, in all of R^d.
func probe(arm *study.Arm, instance problem.Instance) watch.Probe {
	p := watch.Probe{Met: instance.Loss}
	if fresh, ok := instance.(problem.Fresh); ok {
		p.Fresh = func(node messages.NodeID, x []float64) (mean float64) {
			for index := range fresh.TestSamples() {
				mean += fresh.FreshLoss(node, index, x)
			}
			return mean / float64(fresh.TestSamples())
		}
	}
	modelled, ok := arm.Problem.(problem.Modelled)
	data, streams := instance.(problem.Streamed)
	if !ok || !streams {
		return p
	}
	if model, ok := modelled.Model().(stream.Minimiser); ok {
		p.Best = func() float64 {
			return stream.StaticOptimum(model, stream.Of(data), stream.Shape{Learners: arm.File.Nodes, Rounds: arm.File.Horizon, Tau: 1}).Value
		}
	}
	return p
}

// asked are the names of the metrics that runs record where they are asked for.
func asked(arm *study.Arm) []string {
	modelled, ok := arm.Problem.(problem.Modelled)
	if ok {
		_, ok = modelled.Model().(stream.Minimiser)
	}
	return watch.Answers{Met: true, Fresh: study.Classifies(arm.Problem), Best: ok}.Names()
}
