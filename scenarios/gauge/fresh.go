package gauge

import (
	"starling/messages"
	"starling/scenarios/metric"
)

// LossFresh is the name of the metric.
const LossFresh = "loss.fresh"

var lossFresh = Measure{
	Metric: metric.Metric{
		Name: LossFresh, Summary: "loss of the decisions of the step on fresh data, the mean over all data: each decision is tested on fresh data of its own node. Recorded where measure.metrics names it, of problems with fresh data",
		Label: "loss on fresh data", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "fresh-loss", Title: "loss on fresh data"}, Course: metric.State,
	},
	Needs: []Answers{{Fresh: true}},
	New: func(m *Measure, r *Run) Gauge {
		f := &fresh{Measure: m, who: r.Who, of: r.Fresh, weights: r.Who.weights(r.Tests)}
		f.later = r.Who.later(r.FreshMany, f.take)
		return f
	},
}

// fresh is the mean loss of the decisions of a step over the fresh data of all deciders.
type fresh struct {
	*Measure
	who     Deciders
	of      func(node messages.NodeID, step int, x []float64) float64
	weights []float64 // by decider, by its number of fresh data; nil if all have the same
	at      []float64 // by point, then by decider: NaN if it did not decide, or has no data
	// later is nil if each decision is asked about at once.
	later *Later
}

// again implements everyStep.
func (f *fresh) again() everyStep {
	anew := &fresh{Measure: f.Measure, who: f.who, of: f.of, weights: f.weights, later: f.later.again()}
	if anew.later != nil {
		anew.later.Take = func(node messages.NodeID, at At, _, loss []float64) { anew.take(node, at, loss[0]) }
	}
	return anew
}

// Begin implements Gauge.
func (f *fresh) Begin(s *Span) []Column {
	f.at = Undefined(len(s.Points) * f.who.n())
	return []Column{f.column(func(point int) float64 {
		return WeightedMeanOf(f.at[point*f.who.n():(point+1)*f.who.n()], f.weights)
	})}
}

// Heeds implements Selective.
func (f *fresh) Heeds(at At) bool { return at.Exact }

// Played implements Decisions.
func (f *fresh) Played(node messages.NodeID, at At, x []float64) {
	if _, ok := f.who.at(node); !ok || !at.Exact {
		return
	}
	if f.later != nil {
		f.later.Add(node, at, x)
		return
	}
	f.take(node, at, f.of(node, at.Step, x))
}

// take keeps the loss of a decider.
func (f *fresh) take(node messages.NodeID, at At, loss float64) {
	i, _ := f.who.at(node)
	f.at[at.Point*f.who.n()+i] = loss
}

// End implements Ender.
func (f *fresh) End() { f.later.Flush() }

// Final implements Early.
func (f *fresh) Final(points int) int { return f.later.final(points) }

// State implements Gauge.
func (f *fresh) State(c *messages.Codec) {
	f.later.Flush()
	c.Floats("fresh", f.at)
}
