package dpdonc

import (
	"math"

	"starling/actors/algorithm/dpdonc"
	"starling/scenarios/problem"
	"starling/scenarios/study"
)

// starter is a problem that may say where its model begins under a seed; nil is
// anywhere.
type starter interface{ Start(seed uint64) []float64 }

// startOf is x_1 under a seed where the scenario gives none: where the problem says
// that its model begins, or the centre of the set.
func startOf(p problem.Problem, seed uint64) []float64 {
	if s, ok := p.(starter); ok {
		if x := s.Start(seed); x != nil {
			return x
		}
	}
	x := make([]float64, p.Dim())
	p.Set().Center(x)
	return x
}

// begin has the options begin as a run under a seed does.
func (d *dpdoncParts) begin(o dpdonc.Options, p problem.Problem, seed uint64) dpdonc.Options {
	if d.section.Start == nil {
		o.Start = startOf(p, seed)
	}
	return o
}

// boundless notes where gradients have no bound and the scenario gives none.
func (d *dpdoncParts) boundless(p problem.Problem, found *study.Faults) bool {
	if d.section.Theta != nil || !math.IsInf(p.GradientBound(), 1) {
		return false
	}
	found.At("algorithm.theta", "the gradients of the problem %s have no bound of their own: give algorithm.theta, with gradient_bound: clip to scale longer ones down, or, of a logistic stream, normalise the features", p.Kind())
	return true
}

// heldBy is about how many bytes the data of a problem take that all jobs share.
func heldBy(p problem.Problem) float64 {
	if h, ok := p.(interface{ Held() float64 }); ok {
		return h.Held()
	}
	return 0
}
