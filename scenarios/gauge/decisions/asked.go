// Package decisions has the gauges of what participants decide: losses and regrets of what
// the problem of a run says of any decision, how far decisions lie apart and travel, and what
// they classify right. Package gauge has the meter, and the gauges of what is sent and of
// what machines record.
package decisions

import (
	"slices"

	"starling/messages"
	"starling/scenarios/gauge"
)

// Probe is what the problem of a run says of any decision. What is nil it does not say.
// Its functions are called concurrently for different nodes.
type Probe struct {
	// Met is the loss of what a node meets at a step, at a decision x, len d.
	Met func(node messages.NodeID, step int, x []float64) float64
	// Fresh is the mean loss of a decision of a step on the fresh data of a node, NaN of a node
	// that has none, and Tests how many a node has; nil is that all have the same number.
	Fresh func(node messages.NodeID, step int, x []float64) float64
	Tests func(node messages.NodeID) int
	// MetMany and FreshMany are Met and Fresh of many nodes at once, where that is much less
	// work than of each; nil is that it is not.
	MetMany, FreshMany Many
	// Best is the least mean loss of one point on all that was met; called once, and
	// only where every node decided in every step, or Same.
	Best func() float64
	// BestIn is the same of the steps first .. last, the paper's numbers.
	BestIn func(first, last int) float64
	// Begin works out what BestIn will be asked for, unless another run on the same data does
	// so at that time; nil is that runs share nothing.
	Begin func(first, last int)
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

// within reports whether other answers all these questions.
func (a Answers) within(other Answers) bool {
	return (!a.Met || other.Met) && (!a.Fresh || other.Fresh) && (!a.Best || other.Best) && (!a.BestIn || other.BestIn) && (!a.Target || other.Target)
}

// Answers are the questions that the probe answers.
func (p *Probe) Answers() Answers {
	return Answers{Met: p.Met != nil, Fresh: p.Fresh != nil, Best: p.Best != nil, BestIn: p.BestIn != nil, Target: p.Target != nil}
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

// weights are numbers of data of those who are measured, in units of the largest, so that the
// weight of each is 1 where all have the same number; nil counts all alike.
func (d Deciders) weights(samples func(node messages.NodeID) int) []float64 {
	if samples == nil {
		return nil
	}
	list, most := make([]float64, d.n()), 1
	for i := range list {
		if node := d.First + messages.NodeID(i); d.measures(node) {
			n := samples(node)
			list[i], most = float64(n), max(most, n)
		}
	}
	for i := range list {
		list[i] /= float64(most)
	}
	return list
}

// measures tells whether a decider is measured.
func (d Deciders) measures(node messages.NodeID) bool {
	_, ok := d.at(node)
	return ok
}

// later asks about decisions of all deciders of a step together; nil where ask is.
func (d Deciders) later(ask Many, take func(node messages.NodeID, at gauge.At, number float64)) *Later {
	if ask == nil {
		return nil
	}
	return &Later{Most: d.n(), Width: 1, Ask: ask, Take: func(node messages.NodeID, at gauge.At, _, answer []float64) { take(node, at, answer[0]) }}
}
