package ofl

import (
	"math"

	"starling/scenarios/limits"
	"starling/scenarios/meter/federated"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// data is how many data a run of OFL meets.
func (p *Plan) data() float64 { return limits.Product(p.Shape.Learners, p.Shape.Rounds, p.Shape.Tau) }

// roundsWork is about what the optima of all rounds take, and staticWork that of all
// data together: Newton's method makes a Hessian of the data, and factorises it.
func (p *Plan) roundsWork() float64 {
	return p.newtonWork(p.data(), float64(p.Shape.Rounds))
}

func (p *Plan) staticWork() float64 { return p.newtonWork(p.data(), 1) }

func (p *Plan) newtonWork(data, problems float64) float64 {
	d := float64(p.Stream.Model.Dim())
	return data*study.DatumDimWork*d + study.NewtonRounds*(data*(d*d+4*d+20)+problems*(d*d*d+study.NewtonWork))
}

// StandingWork is about what standingStill takes beside the optima.
func (p *Plan) StandingWork() float64 {
	return p.data() * (study.DatumWork + study.DatumDimWork*float64(p.Stream.Model.Dim()))
}

// compared tells which optima the runs have found by themselves. A run whose
// gradients were clipped has no bounds.
func (p *Plan) compared(clipped bool) (rounds, static bool) {
	a := &study.ArmFile{File: p.Arm.File}
	bounds := p.bounded() && !clipped && (p.records(a, federated.BoundDynamic) || p.records(a, federated.BoundStatic))
	return bounds || p.records(a, federated.RegretDynamic), bounds || p.records(a, federated.RegretStatic)
}

// noteBudget is what notes of an arm of OFL may take, and what the optima need that
// the job of these notes has not found.
func (p *Plan) noteBudget(clipped bool) (b *study.NoteBudget, rounds, static float64) {
	foundRounds, foundStatic := p.compared(clipped)
	run := p.data() * (study.LocalStepWork + study.LocalDimWork*float64(p.Stream.Model.Dim()))
	if foundRounds {
		run += p.roundsWork()
	} else {
		rounds = p.roundsWork()
	}
	if foundStatic {
		run += p.staticWork()
	} else {
		static = p.staticWork()
	}
	return study.NewNoteBudget(math.Max(1, float64(p.Arm.File.Seeds.Count)) * run), rounds, static
}

// records tells whether a metric is recorded: regret needs something to compare
// with.
func (p *Plan) records(a *study.ArmFile, metric string) bool {
	if p.Stream.Minimiser == nil && (metric == federated.RegretDynamic || metric == federated.RegretStatic) {
		return false
	}
	return a.Measure.Records(metric)
}

// dataKey names the data of a seed: arms with one key share comparators.
type dataKey struct {
	problem string
	shape   stream.Shape
	seed    uint64
}

// comparatorOf returns what regret on the data of a seed compares with, shared by
// the arms that meet the same data.
func comparatorOf(b *study.Builder, a *study.ArmFile, p *Plan) func(uint64, stream.Instance) *stream.Comparator {
	text, memo := a.Problem.Text(), study.RunMemo[dataKey, *stream.Comparator](b)
	return func(seed uint64, instance stream.Instance) *stream.Comparator {
		return memo.Get(dataKey{text, p.Shape, seed}, func() *stream.Comparator {
			return stream.NewComparator(p.Stream.Minimiser, instance, p.Shape)
		})
	}
}
