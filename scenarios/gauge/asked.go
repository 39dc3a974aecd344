package gauge

import (
	"slices"

	"starling/messages"
)

// Probe is what the problem of a run says of any decision. What is nil it does not say.
// Its functions are called concurrently for different nodes.
type Probe struct {
	// Met is the loss of what a node meets at a step, at a decision x, len d.
	Met func(node messages.NodeID, step int, x []float64) float64
	// Fresh is the mean loss of a decision of a step on the fresh data of a node.
	Fresh func(node messages.NodeID, step int, x []float64) float64
	// MetMany and FreshMany are Met and Fresh of many nodes at once, where that is much less
	// work than of each; nil is that it is not.
	MetMany, FreshMany Many
	// Best is the least mean loss of one point on all that was met; called once, and
	// only where every node decided in every step, or Same.
	Best func() float64
	// BestIn is the same of the steps first .. last, the paper's numbers.
	BestIn func(first, last int) float64
	// Target is a point for each step, len d, that regret is taken against, and MetThere the
	// mean over deciders of the loss there of what is met; nil is that there is none, and
	// that the best point of each step by BestIn takes its place.
	Target   func(step int) []float64
	MetThere func(step int) float64
	// Same tells that all steps meet the same, so that the best point is that of any of
	// them.
	Same bool
	// Seen is a quantity that a machine records, data so far as multiples of a size;
	// empty counts decisions.
	Seen string
	Size float64
	// RoundSteps is how many steps a round of a server has, at whose end it hears of the
	// others; 0 where there is no such round, and every step is one.
	RoundSteps int
}

// Answers says which questions a probe answers.
type Answers struct{ Met, Fresh, Best, BestIn, Target bool }

// Names are the metrics that a probe of these answers has values for.
func (a Answers) Names() []string {
	list := []string{Consensus, Travelled, DataSeen, Rounds}
	if a.Met {
		list = append(list, LossMean)
	}
	if a.Fresh {
		list = append(list, LossFresh)
	}
	if a.Met && a.Best {
		list = append(list, RegretFixed)
	}
	if a.Met && a.BestIn {
		list = append(list, RegretInterval)
	}
	if a.Met && (a.BestIn || a.Target) {
		list = append(list, RegretTracking)
	}
	if a.Target {
		list = append(list, PathLength)
	}
	return list
}

// Names are the metrics that the probe has values for.
func (p *Probe) Names() []string {
	return Answers{Met: p.Met != nil, Fresh: p.Fresh != nil, Best: p.Best != nil, BestIn: p.BestIn != nil, Target: p.Target != nil}.Names()
}

// there is the mean loss of what is met at a step at the point that regret is taken against.
func (p *Probe) there() func(step int) float64 {
	if p.Target != nil {
		return p.MetThere
	}
	return func(step int) float64 { return p.BestIn(step, step) }
}

// Deciders are the participants that decide: First up to End-1.
type Deciders struct {
	First, End messages.NodeID
	// Out are those of them whose decisions are not measured, ascending.
	Out []messages.NodeID
}

// n is how many there are, with those who are out.
func (d Deciders) n() int { return int(d.End - d.First) }

// in is how many are measured.
func (d Deciders) in() int { return d.n() - len(d.Out) }

// at is the number of a participant among them, from 0; ok tells whether it is one that is
// measured.
func (d Deciders) at(node messages.NodeID) (i int, ok bool) {
	if len(d.Out) > 0 {
		if _, out := slices.BinarySearch(d.Out, node); out {
			return 0, false
		}
	}
	return int(node - d.First), node >= d.First && node < d.End
}

// later asks about decisions of all deciders of a step together; nil where ask is.
func (d Deciders) later(ask Many, take func(node messages.NodeID, at At, number float64)) *Later {
	if ask == nil {
		return nil
	}
	return &Later{Most: d.n(), Width: 1, Ask: ask, Take: func(node messages.NodeID, at At, _, answer []float64) { take(node, at, answer[0]) }}
}

// Asked are the gauges of those metrics of Names that are in a list, whatever the family.
// dim is d.
func (p *Probe) Asked(d Deciders, dim int, names []string) (list []Gauge) {
	asked := func(name string) bool { return slices.Contains(names, name) }
	if asked(Consensus) {
		list = append(list, &Spread{Who: d, Dim: dim})
	}
	if asked(Travelled) {
		list = append(list, &travel{who: d, last: make([][]float64, d.n()), running: make([]float64, d.n())})
	}
	if asked(DataSeen) {
		list = append(list, &seen{who: d, quantity: p.Seen, size: p.Size})
	}
	if asked(Rounds) {
		list = append(list, &talks{every: max(1, p.RoundSteps)})
	}
	losses := &losses{who: d, of: p.Met, running: make([]float64, d.n()), same: p.Same}
	losses.later = d.later(p.MetMany, losses.take)
	if asked(LossMean) || asked(RegretFixed) || asked(RegretInterval) || asked(RegretTracking) {
		list = append(list, losses)
	}
	if asked(LossMean) {
		list = append(list, DerivedOf(losses, Column{Metric: Of(LossMean), Value: losses.mean}))
	}
	if asked(LossFresh) {
		fresh := &fresh{who: d, of: p.Fresh}
		fresh.later = d.later(p.FreshMany, fresh.take)
		list = append(list, fresh)
	}
	if asked(RegretFixed) {
		list = append(list, Derived{{Metric: Of(RegretFixed), Last: true, Value: func(point int) float64 { return losses.regret(point, p.Best) }}})
	}
	if asked(RegretInterval) {
		list = append(list, Derived{{Metric: Of(RegretInterval), Value: losses.intervals(p.BestIn)}})
	}
	if asked(RegretTracking) {
		list = append(list, Derived{{Metric: Of(RegretTracking), Value: losses.dynamic(p.there())}})
	}
	if asked(PathLength) {
		list = append(list, &path{target: p.Target})
	}
	return list
}
