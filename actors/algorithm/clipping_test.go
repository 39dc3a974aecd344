package algorithm_test

import (
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
)

// A gradient of the bound's length passes with its rounding. One that is longer by a millionth is
// refused, or scaled down to the bound; one without a length is refused in both cases.
func TestBoundIsEnforced(t *testing.T) {
	for _, theta := range []float64{1e-3, 1, 7} {
		for _, on := range []algorithm.OnBound{algorithm.BoundError, algorithm.BoundClip} {
			bound := algorithm.Bound{Theta: theta, On: on}
			of := func(length float64) []float64 { return []float64{length * 0.6, 0, length * -0.8} }
			if clipped, err := bound.Enforce(of(theta)); clipped || err != nil {
				t.Errorf("%+v: a gradient of the bound's length: clipped %v, %v", bound, clipped, err)
			}
			longer := of(theta * (1 + 1e-6))
			clipped, err := bound.Enforce(longer)
			if clip := on == algorithm.BoundClip; clipped != clip || (err == nil) != clip {
				t.Errorf("%+v: a longer gradient: clipped %v, %v", bound, clipped, err)
			} else if clip && math.Abs(kernel.Norm(longer)/theta-1) > 1e-12 {
				t.Errorf("%+v: scaled down to %v", bound, kernel.Norm(longer))
			}
			for _, none := range []float64{math.NaN(), math.Inf(1)} {
				if _, err := bound.Enforce(of(none)); err == nil {
					t.Errorf("%+v: a gradient of entries %v passes", bound, none)
				}
			}
		}
	}
}
