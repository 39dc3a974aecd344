package ofl

import (
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
)

// comparable reports whether the comparator of regret is known.
func (p *oflPlan) comparable() bool {
	return p.stream.Minimiser != nil || p.stream.Asked != nil && p.stream.Asked.Best
}

// asked asks about learners, which are nodes of the problem, at steps that it counts from 1.
func asked(ask gauge.Many) gauge.Many { return ask.Numbered(1, 1) }

// many holds the questions about many learners that instances answer themselves; nil where
// they answer none.
func (p *oflPlan) many(instance problem.Data) *Many {
	if p.stream.Asked == nil {
		return nil
	}
	of := instance.(problem.Many)
	m := &Many{Losses: asked(of.Losses)}
	if p.stream.Asked.Tries {
		m.Tries = asked(of.Tries)
	}
	return m
}

// askedProbe returns a probe of instances that answer for many learners themselves.
func (p *oflPlan) askedProbe(probe gauge.Probe, instance problem.Data, best Comparator) gauge.Probe {
	of := instance.(problem.Many)
	probe.MetMany = asked(of.Losses)
	if p.stream.Asked.Fresh {
		probe.FreshMany = asked(of.FreshLosses)
		probe.Fresh = gauge.One(probe.FreshMany)
	}
	if best != nil {
		probe.Best = func() float64 { return best.Static().Value }
		knows := instance.(interface{ BestIn(first, last int) float64 })
		probe.BestIn = func(first, last int) float64 { return knows.BestIn(first+1, last+1) }
	}
	return probe
}
