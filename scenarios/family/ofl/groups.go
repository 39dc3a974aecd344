package ofl

import (
	"math"

	"starling/mechanisms/noise"
	"starling/scenarios/document"
	"starling/scenarios/personal"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// Learners may have an epsilon of their own, and then noise of their own. The mechanism is the noise of
// the learner with the largest epsilon, whose loss is stated for all; the noise of the others is stronger
// by factors. No message of a learner hides another's, so that each pays for its own to every observer.

// vary gives learners the scales of their own noise, and their messages the weights that follow.
func (p *oflPlan) vary(b *study.Builder, a *study.ArmFile) (err error) {
	o := &p.options
	at := personal.Site{Section: a.Mechanism, Data: b.Data, Nodes: p.shape.Learners, Fewer: p.fewer, Column: study.ColumnsOf(b, &a.File)}
	if p.factors, err = p.mechanism.vary(at); err != nil {
		return err
	}
	p.deltas, err = study.DeltasOf(at, &a.File, a.Doc, a.Budget.StatedDelta(p.mechanism.delta))
	if err != nil || p.section.Weights != inverseVariance || p.factors == nil {
		return err
	}
	if p.tiers != nil {
		return document.At("algorithm.weights", "a server below the top sends up a sum, whose weights the servers above do not know; want equal, or the topology star")
	}
	o.Weights = mechanisms.InverseVariance(p.factors)
	return nil
}

// of is the noise of a learner, from 0, where n is the noise of the learner with the least.
func (p *oflPlan) of(learner int, n noise.Released) noise.Released {
	if p.factors == nil {
		return n
	}
	return n.Stronger(p.factors[learner])
}

// strength is the root of the mean square of the scales of learners' noise, over the least of them: the
// mean of their messages has noise as of learners that all have this scale.
func (p *oflPlan) strength() float64 {
	if p.factors == nil {
		return 1
	}
	sum := 0.0
	for _, factor := range p.factors {
		sum += float64(factor * factor)
	}
	return math.Sqrt(sum / float64(len(p.factors)))
}
