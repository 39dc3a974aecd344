package topology

import (
	"fmt"
	"math"
)

// The cost of measuring a contraction, in multiply-adds.
const (
	// drawnEdge is the cost of an edge of a graph that is drawn or weighted anew.
	drawnEdge = 50
	// contractionFit is the cost of a lag in the fit of C and lambda: two for each lambda of
	// the grid.
	contractionFit = 2 * 1600
	// probeShare is which part of its limit the look ahead may take.
	probeShare = 1.0 / 8
)

// WorkError is the error of ContractionWithin where the limit is too low.
type WorkError struct {
	Operations float64 // about the need, in multiply-adds
	Limit      float64
}

// Error names the need and the limit.
func (e *WorkError) Error() string {
	return fmt.Sprintf("it would take about %.2g operations, over the limit of %.2g", e.Operations, e.Limit)
}

// contractionCost is the cost of the parts of Contraction, in multiply-adds.
type contractionCost struct {
	check    float64 // to check the weights of all steps
	drawn    float64 // to draw a graph anew; 0 of a sequence with a period
	replayed float64 // to go through the steps between the starts, a lag
	lag      float64 // to multiply the products, to measure them and to fit, a lag
	probe    float64 // to multiply one vector
}

// costOf is the cost of a sequence, as if all graphs had as many edges as the first.
func costOf(seq Sequence, horizon int) contractionCost {
	n, edges := float64(seq.Nodes()), float64(seq.At(0).Edges())
	distinct := distinctSteps(seq, horizon)
	stride, starts := startsOf(seq.Nodes(), distinct)
	var cost contractionCost
	if _, periodic := seq.Period(); !periodic {
		cost.drawn = drawnEdge * edges * changing(seq, distinct)
	}
	if replays(seq) {
		cost.replayed = float64(starts) * float64(stride-1) * drawnEdge * n
	}
	cost.check = float64(distinct) * (edges + cost.drawn)
	cost.lag = float64(float64(starts)*(cost.drawn+productCost(edges, n))) + cost.replayed + contractionFit
	cost.probe = edges + cost.drawn
	return cost
}

// changing is the share of the steps that show another graph than the one before.
func changing(seq Sequence, steps int) float64 {
	changes := 1
	for step := 1; step < steps; step++ {
		if seq.Epoch(step) != seq.Epoch(step-1) {
			changes++
		}
	}
	return float64(changes) / float64(steps)
}

// productCost is the cost of a product a lag: to be multiplied, and the distance of its
// entries from 1/N.
func productCost(edges, n float64) float64 { return float64(edges*n) + float64(2*n*n) }

// replays reports whether a graph of the sequence is reached through those before it.
func replays(seq Sequence) bool {
	switch s := seq.(type) {
	case interface{ replayed() }:
		return true
	case *weightedSequence:
		return replays(s.Sequence)
	case scripted:
		return replays(s.Sequence)
	case *Heeded:
		return replays(s.Sequence)
	case *Cycle:
		for _, part := range s.parts {
			if replays(part) {
				return true
			}
		}
	}
	return false
}

// replayed marks sequences of states that follow from each other.
func (r *remembered[T]) replayed() {}

// probeLags estimates after how many lags the products are averaging: it follows
// one vector from step 0 on, that has a part in every mode, as long as it is away
// from its mean. The matrix is doubly stochastic.
func probeLags(seq Sequence, horizon int, cost contractionCost, limit float64) int {
	n, most := seq.Nodes(), min(horizon, contractionLags)
	x, spare := make([]float64, n), make([]float64, n)
	var mean float64
	for i := range x {
		_, part := math.Modf(float64(float64(i+1) * math.Phi))
		x[i] = part / float64(n)
		mean += x[i] / float64(n)
	}
	for lag := range most {
		var away float64
		for _, v := range x {
			away = max(away, math.Abs(v-mean))
		}
		if away < contractionRounding*float64(n) {
			return lag
		}
		if float64(lag)*cost.probe > probeShare*limit {
			return most
		}
		applyRows(spare, seq.At(lag), x)
		x, spare = spare, x
	}
	return most
}

// foresee returns a *WorkError if Contraction would take more than the limit. It takes an
// eighth of the limit itself at most, besides the check of weights.
func foresee(seq Sequence, horizon int, cost contractionCost, limit float64) error {
	work := cost.check + float64(float64(max(1, probeLags(seq, horizon, cost, limit)))*cost.lag)
	if work > limit {
		return &WorkError{work, limit}
	}
	return nil
}
