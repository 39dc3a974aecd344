package pld

import (
	"errors"
	"math"
	"testing"
)

// response is the loss of randomized response with epsilon 1, steps times, on a grid that
// holds it exactly.
func response(width float64, steps int) Distribution {
	reach := int(math.Round(1 / width))
	d := Distribution{Width: width, First: -reach, LogMass: make([]float64, 2*reach+1), LogInfinite: math.Inf(-1), Steps: steps}
	for i := range d.LogMass {
		d.LogMass[i] = math.Inf(-1)
	}
	d.LogMass[0], d.LogMass[2*reach] = -math.Log1p(math.E), 1-math.Log1p(math.E)
	return d
}

// The epsilon of composed randomized responses is where the binomial sum, in closed form,
// has the delta asked for, from both sides, in one part or in two.
func TestEpsilonOfRandomizedResponses(t *testing.T) {
	const steps = 12
	truth := math.E / (1 + math.E)
	for _, epsilon := range []float64{2, 4, 6, 8} {
		delta, ways := 0.0, 1.0
		for lies := range steps + 1 {
			if loss := float64(steps - 2*lies); loss > epsilon {
				delta += ways * math.Pow(truth, float64(steps-lies)) * math.Pow(1-truth, float64(lies)) * -math.Expm1(epsilon-loss)
			}
			ways *= float64(steps-lies) / float64(lies+1)
		}
		truthful := Law{Losses: []float64{1, -1}, LogMass: []float64{math.Log(truth), math.Log1p(-truth)}}
		tilt, _ := BestTilt([]Law{truthful}, []int{steps}, math.Log(delta))
		for _, parts := range [][]Distribution{{response(0.5, steps)}, {response(0.5, 5), response(0.5, steps-5)}} {
			for _, side := range []float64{1, -1} {
				got, _, err := Epsilon(parts, tilt, math.Log(delta), side)
				if err != nil || math.Abs(got-epsilon) > 1e-9 || side*(got-epsilon) < -1e-13 {
					t.Errorf("%d parts, side %v: %.15g, %v, want %v", len(parts), side, got, err, epsilon)
				}
			}
		}
	}
}

// A sum that takes too many points is refused.
func TestUnresolved(t *testing.T) {
	if _, _, err := Epsilon([]Distribution{response(1e-6, 1000)}, 0.01, math.Log(1e-5), 1); !errors.Is(err, ErrUnresolved) {
		t.Errorf("the error is %v", err)
	}
}
