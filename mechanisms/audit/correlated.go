package audit

import (
	"fmt"

	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// canarySteps is the n of the factorizations.
const canarySteps = 8

// smallFactorization builds a factorization of n steps with the options that its kind needs.
func smallFactorization(kind factorization.Kind, n int) (*factorization.Factorization, error) {
	o := factorization.Options{Kind: kind, N: n}
	switch kind {
	case factorization.ARSum:
		o.Chains = 3
	case factorization.BandedToeplitz:
		o.Bands = min(3, n)
	case factorization.BLT:
		o.Buffers = 2
	}
	return factorization.New(o)
}

// correlatedCanary moves the input of a stream of prefix sums that has the longest column of
// C. The trees that use less than all of their nodes release less than C G + Z, so that their
// loss is not attained.
func correlatedCanary(kind factorization.Kind, scale float64) (Canary, error) {
	f, err := smallFactorization(kind, canarySteps)
	if err != nil {
		return Canary{}, err
	}
	separator, err := NewSeparator(f)
	if err != nil {
		return Canary{}, err
	}
	worst, _ := separator.Worst(factorization.Once)
	m := noise.OnPrefixes(f.Sensitivity(), f.Sensitivity(), f)
	return Canary{
		Mechanism: string(kind), Inputs: fmt.Sprintf("input %d of %d is 0 or 1", worst+1, canarySteps),
		Loss: m.Loss(), Delta: canaryDelta,
		Sampler: func() Draw {
			increments, row := make([]float64, canarySteps), make([]float64, 1)
			return func(r *rng.Rand, neighbour bool) (float64, error) {
				drawn, err := m.Scaled(scale).Stream(1)
				if err != nil {
					return 0, err
				}
				clear(increments)
				if neighbour {
					increments[worst] = 1
				}
				for t := range increments {
					if _, err := drawn.Release(increments[t:t+1], row, r, accept); err != nil {
						return 0, err
					}
				}
				return separator.Statistic(worst, increments), nil
			}
		},
	}, nil
}
