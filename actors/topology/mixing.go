package topology

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/option"
)

// mixingSources is the largest number of sources that MixingTime follows; mixingWork bounds
// its multiplications (some seconds).
const (
	mixingSources = 64
	mixingWork    = 1 << 30
)

// ErrNoMixing is wrapped by the error of MixingTime for a sequence that has not
// mixed by the last step it may look at.
var ErrNoMixing = errors.New("the graphs do not mix")

// Mixing is the result of MixingTime.
type Mixing struct {
	Steps    int     // after which the distance is at most the one asked for
	Distance float64 // after Steps
	Sources  int     // how many nodes were followed
	Sampled  bool    // whether these are not all of them
}

// MixingTime returns the smallest k such that, from step first on, the weights Phi(first+k,
// first) of every source j are within distance of uniform in total variation: half the sum
// over i of |Phi_ij - 1/N| is at most distance, which is above 0 and below 1; a quarter is
// customary (Levin, Peres and Wilmer, Markov Chains and Mixing Times, 2009, 4.5). It looks at
// the steps below horizon only. Above 64 nodes it follows 64 sources drawn by a fixed key, and
// the result is an estimate from below. It returns the error of CheckWeights for weights that
// are not doubly stochastic within 1e-9. The error wraps ErrNoMixing if the horizon, or 2^30
// multiplications, come first.
func MixingTime(seq Sequence, first, horizon int, distance float64) (Mixing, error) {
	return Measures{}.MixingTime(seq, first, horizon, distance)
}

// MixingTime is the function MixingTime.
func (m Measures) MixingTime(seq Sequence, first, horizon int, distance float64) (Mixing, error) {
	if first < 0 || first >= horizon {
		return Mixing{}, option.Errorf("first", "first is %d, want 0 to %d: below the horizon", first, horizon-1)
	}
	if !(distance > 0 && distance < 1) {
		return Mixing{}, option.Errorf("distance", "distance is %v, want above 0 and below 1", distance)
	}
	n := seq.Nodes()
	sources := sampleNodes(n, mixingSources)
	columns := make([][]float64, len(sources))
	for k, j := range sources {
		columns[k] = make([]float64, n)
		columns[k][j] = 1
	}
	spare := make([]float64, n)
	found := Mixing{Sources: len(sources), Sampled: len(sources) < n, Distance: farthest(columns)}
	var g *Graph
	for work := 0; found.Distance > distance; found.Steps++ {
		step := first + found.Steps
		if step == horizon || work > mixingWork {
			why := "the horizon"
			if step < horizon {
				why = "all the work it may take"
			}
			return found, fmt.Errorf("%w: after %d steps, %s, the distance is %.3g", ErrNoMixing, found.Steps, why, found.Distance)
		}
		if g == nil || seq.Epoch(step) != seq.Epoch(step-1) {
			if err := m.stopped(); err != nil {
				return found, err
			}
			g = seq.At(step)
			if err := CheckWeights(g, contractionTolerance); err != nil {
				return found, &StepError{Step: step, Base: printedBase, Err: err}
			}
		}
		for k := range columns {
			if err := m.stopped(); err != nil {
				return found, err
			}
			applyRows(spare, g, columns[k])
			columns[k], spare = spare, columns[k]
		}
		work += len(columns) * g.Edges()
		found.Distance = farthest(columns)
	}
	return found, nil
}

// farthest returns the largest total variation distance from uniform.
func farthest(columns [][]float64) (largest float64) {
	for _, column := range columns {
		mean := 1 / float64(len(column))
		var sum float64
		for _, x := range column {
			sum += math.Abs(x - mean)
		}
		largest = max(largest, sum/2)
	}
	return largest
}
