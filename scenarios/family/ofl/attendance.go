package ofl

import (
	"context"
	"math"
	"slices"

	"starling/actors/algorithm/ofl"
	"starling/actors/lockstep"
	"starling/mechanisms/audit"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/problem"
)

// attendance holds, by learner, the steps in which a network with effects lets it take a local
// step, and the inputs of its mechanism that it releases. It is the same in every run of an
// audit, and depends on no data.
type attendance struct {
	auditing.Ledger
	taken, released [][]int
}

// Recorded implements algorithm.Meter: every local step records whether it was clipped.
func (a *attendance) Recorded(node messages.NodeID, step int, quantity string, _ float64) {
	if quantity == ofl.Clipped {
		a.taken[node-ofl.Learner(0)] = append(a.taken[node-ofl.Learner(0)], step)
	}
}

// attend watches a run without noise.
func (p *oflPlan) attend(node messages.NodeID, model ofl.Model, data problem.Data) (*attendance, error) {
	learners := p.shape.Learners
	a := &attendance{Ledger: auditing.Ledger{Node: node}, taken: make([][]int, learners), released: make([][]int, learners)}
	run, err := p.assemble(1, model, data, 0)
	if err == nil {
		run, err = auditing.AffectAudited(p.arm, run, p.patience())
	}
	if err != nil {
		return nil, err
	}
	run.Meter = a
	w := &lockstep.Watcher{Node: node, Visit: func(w *lockstep.Watched) error {
		if w.Outbox.HasSingles() {
			learner := w.Node - ofl.Learner(0)
			a.released[learner] = append(a.released[learner], w.Step/p.shape.Tau)
		}
		return nil
	}}
	for learner := range learners {
		if other := ofl.Learner(learner); other != node {
			w.Others = append(w.Others, other)
		}
	}
	return a, lockstep.Watch(context.Background(), run, w)
}

// nearly is the tolerance of worst: a learner's separation may be short of the largest by this
// share.
const nearly = 0.2

// worst returns the learner, and the first step, of the datum with the largest separation.
// Among learners with nearly the same separation it takes the one that misses the most: missed
// inputs are where a mechanism can go wrong. The separator is nil where noise is independent
// from input to input.
func (a *attendance) worst(p *oflPlan, separator *audit.Separator, at canaryData) (learner, step int) {
	steps, most := make([]int, len(a.released)), make([]float64, len(a.released))
	for i, inputs := range a.released {
		separation := kernel.Norm
		if separator != nil && len(inputs) > 0 {
			separation = separator.Of(inputs).Separation
		}
		for first := range p.shape.Steps() {
			at.step = first
			h := make([]float64, len(inputs))
			for _, s := range a.taken[i] {
				if k := slices.Index(inputs, s/p.shape.Tau); k >= 0 && at.marks(s) {
					h[k]++
				}
			}
			moved := separation(h)
			if f := p.factors; f != nil { // in units of the learner's own noise
				moved /= f[i]
			}
			if moved > most[i]*(1+1e-9) {
				most[i], steps[i] = moved, first
			}
		}
	}
	enough, fewest := (1-nearly)*slices.Max(most), math.MaxInt
	for i, inputs := range a.released {
		if most[i] >= enough && len(inputs) < fewest {
			learner, fewest = i, len(inputs)
		}
	}
	return learner, steps[learner]
}

// whiten makes the noise of a learner's releases independent; nil where it already is.
func (a *attendance) whiten(separator *audit.Separator) func([]auditing.Place, [][]float64) {
	if separator == nil {
		return nil
	}
	of := make([]*audit.Separator, len(a.released))
	for i, inputs := range a.released {
		if len(inputs) > 0 {
			of[i] = separator.Of(inputs)
		}
	}
	return func(places []auditing.Place, rows [][]float64) {
		if len(rows) > 0 {
			of[places[0].Node-ofl.Learner(0)].Whiten(rows)
		}
	}
}
