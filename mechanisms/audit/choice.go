package audit

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// The choosing mechanisms see utilities of which one is behind and catches up
// while the other falls back, each by the sensitivity 1.
const behind = 4.0

func utilities(dst []float64, neighbour bool) {
	dst[0], dst[1] = -behind, 0
	if neighbour {
		dst[0], dst[1] = 1-behind, -1
	}
}

const choiceInputs = "utilities (-4, 0) and (-3, -1), sensitivity 1"

// chooser is a mechanism that chooses an index.
type chooser interface {
	Loss(sensitivity float64) accountant.Loss
	Select(utilities []float64, r *rng.Rand, sensitivity float64, pay func(accountant.Loss) error) (int, accountant.Receipt, error)
}

// choiceCanary observes whether the utility that is behind is chosen.
func choiceCanary(name string, m, drawn chooser) Canary {
	return Canary{
		Mechanism: name, Inputs: choiceInputs, Loss: m.Loss(1),
		Sampler: func() Draw {
			u := make([]float64, 2)
			return func(r *rng.Rand, neighbour bool) (float64, error) {
				utilities(u, neighbour)
				index, _, err := drawn.Select(u, r, 1, accept)
				return float64(1 - index), err
			}
		},
	}
}

func exponentialCanary(scale float64) Canary {
	m := selection.Exponential{Scale: 2 / canaryEpsilon}
	return choiceCanary("exponential", m, selection.Exponential{Scale: scale * m.Scale})
}

func noisyMaxCanary(law selection.Law, scale float64) Canary {
	m := selection.ReportNoisyMax{Law: law, Scale: 2 / canaryEpsilon}
	return choiceCanary("report noisy max, "+string(law), m, selection.ReportNoisyMax{Law: law, Scale: scale * m.Scale})
}

// The queries of the threshold 0: a number that must all stay below, which takes
// a high noisy threshold, and a last one that must be above all the same. All
// move by the sensitivity 1, the last against the others.
const (
	highQueries = 8
	highQuery   = 0.0
	lastQuery   = 0.0
)

// thresholdCanary observes whether the last query is the first to be above.
func thresholdCanary(scale float64) Canary {
	m := selection.AboveThreshold{ThresholdScale: 2 / canaryEpsilon, QueryScale: 4 / canaryEpsilon}
	drawn := m
	drawn.ThresholdScale *= scale
	drawn.QueryScale *= scale
	return Canary{
		Mechanism: "above threshold", Loss: m.Loss(1),
		Inputs: fmt.Sprintf("%d queries of 0 or -1, then one of 0 or 1", highQueries),
		Sampler: func() Draw {
			return func(r *rng.Rand, neighbour bool) (float64, error) {
				high, last := highQuery, lastQuery
				if neighbour {
					high, last = high-1, last+1
				}
				noisy, err := drawn.Arm(r, 1, accept)
				if err != nil {
					return 0, err
				}
				for range highQueries {
					if drawn.Above(noisy, high, r) {
						return 0, nil
					}
				}
				if drawn.Above(noisy, last, r) {
					return 1, nil
				}
				return 0, nil
			}
		},
	}
}
