package pld

import (
	"math"
	"testing"

	"starling/mechanisms/numeric"
)

// What lies above a grid is an infinite loss, and counts in full toward delta. The
// accounting keeps it to a millionth of delta, where nobody would miss it; here the
// grid is cut so that it is a third of delta, in one step and in many. Without it
// the bound falls below the exact epsilon, and with it the bound is what the finite
// losses give at two thirds of delta.
func TestInfiniteMassCounts(t *testing.T) {
	const delta, share = 1e-3, 1.0 / 3
	for _, steps := range []int{1, 9} {
		for _, way := range []direction{remove, add} {
			s := source{SampledGaussian{Rate: 1, Noise: 2 * math.Sqrt(float64(steps)), Steps: steps}, way, math.Inf(-1)}
			d := s.pessimistic(1e-3, -40)
			cut(&d, math.Log(delta*share/float64(steps)))
			infinite := float64(steps) * math.Exp(d.LogInfinite)
			if !(infinite > 0.9*share*delta && infinite <= share*delta) {
				t.Fatalf("%d steps: the grid leaves %v above it", steps, infinite)
			}
			got, _, err := Epsilon([]Distribution{d}, 6, math.Log(delta), 1)
			exact := gaussianEpsilon(0.5, delta)
			if err != nil || got < exact {
				t.Errorf("%d steps, direction %d: %v, %v, below the exact %v", steps, way, got, err, exact)
			}
			d.LogInfinite = math.Inf(-1)
			rest, _, err := Epsilon([]Distribution{d}, 6, math.Log(delta-infinite), 1)
			if err != nil || math.Abs(got-rest) > 1e-9 {
				t.Errorf("%d steps, direction %d: %v, %v; the finite losses at what is left of delta give %v", steps, way, got, err, rest)
			}
			if without, _, err := Epsilon([]Distribution{d}, 6, math.Log(delta), 1); err != nil || without >= exact {
				t.Errorf("%d steps, direction %d: %v, %v without the infinite mass, not below the exact %v: this shows nothing", steps, way, without, err, exact)
			}
		}
	}
}

// gaussianEpsilon solves delta(epsilon) of a Gaussian of mean mu and variance 1 against one of
// mean 0 (Balle, Wang 2018, theorem 8).
func gaussianEpsilon(mu, delta float64) float64 {
	upper := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	_, epsilon := numeric.Bisect(0, 10, func(epsilon float64) bool {
		return upper(epsilon/mu-mu/2)-math.Exp(epsilon)*upper(epsilon/mu+mu/2) > delta
	})
	return epsilon
}

// cut moves the largest losses to infinity, as many as have at most a mass.
func cut(d *Distribution, logMass float64) {
	for n := len(d.LogMass) - 1; n >= 0; n-- {
		above := numeric.LogAdd(d.LogInfinite, d.LogMass[n])
		if above > logMass {
			return
		}
		d.LogInfinite, d.LogMass = above, d.LogMass[:n]
	}
}
