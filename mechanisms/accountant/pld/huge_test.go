package pld

import (
	"errors"
	"testing"
)

// Losses that no grid of integers can number are refused, and not taken for few.
func TestLossesBeyondEveryGrid(t *testing.T) {
	for _, noise := range []float64{1e-9, 1e-20, 1e-52, 1e-100, 1e-150} {
		for _, rate := range []float64{1, 0.01} {
			b, err := SampledEpsilon([]SampledGaussian{{Rate: rate, Noise: noise, Steps: 1}}, 1e-5)
			if err == nil && !(b.Low > 1e6 && b.Low <= b.High) || err != nil && !errors.Is(err, ErrUnresolved) {
				t.Errorf("noise %v, rate %v: %v, %v", noise, rate, b, err)
			}
		}
	}
}
