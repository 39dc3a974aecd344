package audit

import (
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// ManyCanaries is a Gaussian mechanism on one vector of many canaries, each with
// an entry of its own.
type ManyCanaries struct {
	Mechanism string
	Loss      accountant.Loss // of flipping one canary
	Delta     float64
	// Run makes one release in which canary i is on one side where coins[i] is
	// set and on the other where not, and returns a statistic for each.
	Run func(coins []bool, r *rng.Rand) ([]float64, error)
}

// The bound that one run shows grows with the number of canaries, as long as delta is far
// below one over it, and falls short of the loss from the noise of one canary. So there is
// more noise here, for a loss that a run can come near to.
const (
	manyScale = 4.0 // standard deviation over sensitivity
	manyDelta = 1e-7
)

// OneRunCanaries returns the mechanisms that are audited by many canaries in one
// run: the Gaussian, and correlated noise of a kind, drawn with scale times the
// noise that the loss is for.
func OneRunCanaries(scale float64) ([]ManyCanaries, error) {
	m := noise.Gaussian{Scale: manyScale}
	drawn := noise.Gaussian{Scale: scale * m.Scale}
	list := []ManyCanaries{{
		Mechanism: "gaussian", Loss: m.Loss(1), Delta: manyDelta,
		Run: func(coins []bool, r *rng.Rand) ([]float64, error) {
			x := sides(coins)
			_, err := drawn.Release(x, r, 1, accept)
			return x, err
		},
	}}
	for _, kind := range []factorization.Kind{factorization.Toeplitz, factorization.Optimal} {
		c, err := manyCorrelated(kind, m.Scale, scale)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// sides are vectors of -1/2 and 1/2, which one flip moves by 1.
func sides(coins []bool) []float64 {
	x := make([]float64, len(coins))
	for i, coin := range coins {
		x[i] = -0.5
		if coin {
			x[i] = 0.5
		}
	}
	return x
}

// manyCorrelated has its canaries in the worst input of a stream, a coordinate each. The noise
// of the stream is unit times the sensitivity.
func manyCorrelated(kind factorization.Kind, unit, scale float64) (ManyCanaries, error) {
	f, err := smallFactorization(kind, canarySteps)
	if err != nil {
		return ManyCanaries{}, err
	}
	separator, err := NewSeparator(f)
	if err != nil {
		return ManyCanaries{}, err
	}
	worst, _ := separator.Worst(factorization.Once)
	m := noise.OnPrefixes(unit*f.Sensitivity(), f.Sensitivity(), f)
	return ManyCanaries{
		Mechanism: string(kind), Loss: m.Loss(), Delta: manyDelta,
		Run: func(coins []bool, r *rng.Rand) ([]float64, error) {
			d := len(coins)
			drawn, err := m.Scaled(scale).Stream(d)
			if err != nil {
				return nil, err
			}
			row, released := make([]float64, d), make([]float64, d*canarySteps)
			copy(released[worst*d:], sides(coins))
			for t := range canarySteps {
				if _, err := drawn.Release(released[t*d:(t+1)*d], row, r, accept); err != nil {
					return nil, err
				}
			}
			return separator.statistics(worst, released, d), nil
		},
	}, nil
}

// statistics are the statistics of d coordinates. released has a row for each input.
func (s *Separator) statistics(input int, released []float64, d int) []float64 {
	sums := make([]float64, d)
	for t := range len(released) / d {
		for k := range sums {
			sums[k] += float64(s.inverse[input*s.n+t] * released[t*d+k])
		}
	}
	return sums
}
