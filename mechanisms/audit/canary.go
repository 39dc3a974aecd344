package audit

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// Canary is a mechanism with two neighbouring inputs that its noise hides the least, and the
// loss that one release states.
type Canary struct {
	// Mechanism names the mechanism as tables show it.
	Mechanism string
	// Inputs says in words which two neighbouring inputs are compared.
	Inputs string
	// Loss is the mechanism's own statement, for the noise that it should draw. With scaled
	// noise it stays the statement for scale 1, which the audit is to refute.
	Loss accountant.Loss
	// Delta is the delta at which losses are stated; 0 for pure ones.
	Delta float64
	// Sampler returns a new Draw, which calls the mechanism.
	// The Draw has memory of its own, so that goroutines can draw at once.
	Sampler func() Draw
}

// The losses of the canaries: a pure epsilon, and the loss of Gaussian noise with a deviation
// of the sensitivity itself, at a delta.
const (
	canaryEpsilon = 1.0
	canaryDelta   = 1e-5
)

// Canaries returns a canary of every mechanism, drawn with scale times the noise that the loss
// is for: 1 audits the mechanism, and another scale shows the findings of an audit of too
// little noise. The mechanisms that choose come near their loss only as their choice becomes
// rare; their canaries reach seven tenths of it and more.
func Canaries(scale float64) ([]Canary, error) {
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, fmt.Errorf("audit: noise scaled by %v; want a finite number > 0", scale)
	}
	list := []Canary{laplaceCanary(scale), gaussianCanary(scale), sampledCanary(scale)}
	for _, kind := range factorization.Kinds() {
		c, err := correlatedCanary(kind, scale)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return append(list,
		exponentialCanary(scale),
		noisyMaxCanary(selection.LaplaceLaw, scale), noisyMaxCanary(selection.ExponentialLaw, scale),
		thresholdCanary(scale)), nil
}

// accept pays for a release. Its loss is judged afterwards.
func accept(accountant.Loss) error { return nil }

// Grid rounds a likelihood ratio to whole billionths. Adding floating-point noise
// to an input leaves the input's last bits in the outcome, which tells inputs
// apart far better than any epsilon allows (Mironov 2012, "On Significance of the
// Least Significant Bits for Differential Privacy"). That is a property of every
// floating-point simulation, and the ledger is about the real-valued mechanism:
// so is the audit.
func Grid(ratio float64) float64 { return math.Round(ratio*1e9) / 1e9 }

// laplaceCanary moves both entries of a vector. The statistic is the logarithm
// of the likelihood ratio.
func laplaceCanary(scale float64) Canary {
	moved := []float64{0.75, 0.25}
	m := noise.Laplace{Scale: 1 / canaryEpsilon}
	drawn := noise.Laplace{Scale: scale * m.Scale}
	return Canary{
		Mechanism: "laplace", Inputs: "(0, 0) and (0.75, 0.25), 1-norm sensitivity 1", Loss: m.Loss(1),
		Sampler: func() Draw {
			x := make([]float64, len(moved))
			return func(r *rng.Rand, neighbour bool) (ratio float64, err error) {
				place(x, moved, neighbour)
				_, err = drawn.Release(x, r, 1, accept)
				// ln p(x - moved)/p(x) of Laplace noise: a sum over the entries, in (-1,
				// 1).
				for k, v := range x {
					ratio += (math.Abs(v) - math.Abs(v-moved[k])) / m.Scale
				}
				return Grid(ratio), err
			}
		},
	}
}

// place sets x to 0, or to moved for the neighbour.
func place(x, moved []float64, neighbour bool) {
	clear(x)
	if neighbour {
		copy(x, moved)
	}
}

// gaussianCanary moves a vector in a direction of no axis.
func gaussianCanary(scale float64) Canary {
	moved := []float64{2.0 / 3, -2.0 / 3, 1.0 / 3} // of length 1
	m := noise.Gaussian{Scale: 1}
	drawn := noise.Gaussian{Scale: scale * m.Scale}
	return Canary{
		Mechanism: "gaussian", Inputs: "0 and a vector of 2-norm 1", Loss: m.Loss(1), Delta: canaryDelta,
		Sampler: func() Draw {
			x := make([]float64, len(moved))
			return func(r *rng.Rand, neighbour bool) (along float64, err error) {
				place(x, moved, neighbour)
				_, err = drawn.Release(x, r, 1, accept)
				for k, v := range x {
					along += float64(v * moved[k])
				}
				return along, err
			}
		},
	}
}

// sampledRate is the q of the sampled Gaussian.
const sampledRate = 0.5

// sampledCanary adds a record, which is in the sample with probability q. The
// likelihood ratio 1 - q + q e^(x - 1/2) grows with x.
func sampledCanary(scale float64) Canary {
	m := noise.Gaussian{Scale: 1}
	drawn := noise.Gaussian{Scale: scale * m.Scale}
	return Canary{
		Mechanism: "sampled gaussian", Inputs: fmt.Sprintf("no record and one of length 1, q = %v", sampledRate),
		Loss: m.SampledLoss(1, sampledRate), Delta: canaryDelta,
		Sampler: func() Draw {
			x := make([]float64, 1)
			return func(r *rng.Rand, neighbour bool) (float64, error) {
				x[0] = 0
				if in := r.Float64() < sampledRate; in && neighbour {
					x[0] = 1
				}
				_, err := drawn.ReleaseSampled(x, r, 1, sampledRate, accept)
				return x[0], err
			}
		},
	}
}
