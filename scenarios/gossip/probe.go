package gossip

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// probe returns the values of decisions on the costs of a seed. The least loss of a fixed
// decision of the set is NaN where the search for it did not come close enough.
func probe(arm *study.Arm, seed uint64, instance problem.Instance) gauge.Probe {
	p := gauge.Probe{Met: instance.Loss}
	if fresh, ok := instance.(problem.Fresh); ok {
		p.Fresh, p.Tests = gauge.MeanFresh(fresh, 0), fresh.TestSamples
	}
	if fresh, ok := instance.(problem.Predicting); ok {
		p.Form, p.Predict = fresh.Predictions(), gauge.PredictFresh(fresh, 0)
	}
	p.HoldOut(instance, 0)
	if many, ok := instance.(problem.Many); ok {
		p.MetMany = many.Losses
		if study.Tests(arm.Problem) {
			p.FreshMany, p.Fresh = many.FreshLosses, gauge.One(many.FreshLosses)
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
	if arm.Adversaries != nil { // a best decision is the best on all data, liars' data among them
		return p
	}
	if knows, ok := instance.(interface{ BestIn(first, last int) float64 }); ok && bests(arm.Problem) {
		p.BestIn = knows.BestIn
		p.Best = func() float64 { return p.BestIn(1, arm.File.Horizon) }
		return p
	}
	if best := comparator(arm, seed, instance); best != nil {
		p.BestIn, p.Begin = best.Interval, best.Begin
		p.Best = func() float64 { return p.BestIn(1, arm.File.Horizon) }
		p.BestPoint = func() []float64 { return best.Static().Point() }
	}
	return p
}

// bestKey names the best decisions on the data of a seed. Arms share them if their sections
// problem have the same text and their data have the same extent.
type bestKey struct {
	problem string
	shape   stream.Shape
	seed    uint64
}

func bestKeyOf(arm *study.Arm, seed uint64) bestKey {
	return bestKey{arm.File.Problem.Text(), stepwise(arm), seed}
}

// comparator computes the least losses of fixed decisions on the data of a seed. Arms that
// meet the same data share it. It is nil where the losses are not known.
func comparator(arm *study.Arm, seed uint64, instance problem.Instance) *stream.Comparator {
	data, streams := instance.(problem.Data)
	best := problems.BestOf(arm.Problem)
	if best == nil || !streams {
		return nil
	}
	return problems.Comparator(arm.Cache, bestKeyOf(arm, seed), best, data, stepwise(arm))
}

// comparisons lists the cache entries for best decisions that jobs of a seed share.
func comparisons(arm *study.Arm, seed uint64) []cache.Need {
	best := problems.BestOf(arm.Problem)
	if best == nil || bests(arm.Problem) || arm.Adversaries != nil {
		return nil
	}
	m, found := &arm.File.Measure, 0
	if m.Names(gauge.RegretFixed) {
		found++
	}
	if m.Names(gauge.RegretInterval) {
		found += len(arm.Points)
	}
	if m.Names(gauge.RegretTracking) {
		found += arm.File.Horizon
	}
	if found == 0 {
		return nil
	}
	return []cache.Need{{Key: bestKeyOf(arm, seed), Bytes: stream.ComparatorBytes(best, 0, found)}}
}

// stepwise is the shape of the data of nodes that meet one datum a step.
func stepwise(arm *study.Arm) stream.Shape {
	return stream.Shape{Learners: arm.File.Nodes, Rounds: arm.File.Horizon, Tau: 1}
}

// metOf returns Met and MetMany of gauge.Probe, of costs.
func metOf(costs algorithm.Costs) (met func(messages.NodeID, int, []float64) float64, many gauge.Many) {
	if ask, ok := costs.(batch.Costs); ok {
		many = ask.Losses
	}
	return costs.Loss, many
}

// answers lists the questions about decisions that runs answer.
func answers(arm *study.Arm) gauge.Answers {
	point := arm.Adversaries == nil && problems.BestOf(arm.Problem) != nil && !bests(arm.Problem)
	best := point || arm.Adversaries == nil && bests(arm.Problem)
	a := gauge.Answers{Met: true, Fresh: study.Tests(arm.Problem), Best: best, BestIn: best, BestPoint: point, Target: arm.Adversaries == nil && study.Tracks(arm.Problem), Validation: study.Validates(arm.Problem)}
	return a.Predicting(study.Predictions(arm.Problem))
}

// bests reports whether the instances of a problem know the least losses themselves.
func bests(p problem.Problem) bool {
	says, ok := p.(interface{ Bests() bool })
	return ok && says.Bests()
}
