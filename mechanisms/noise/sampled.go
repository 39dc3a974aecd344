package noise

import (
	"fmt"
	"math"

	"starling/mechanisms/accountant"
)

// CalibrateSampled is the steps of a sampled Gaussian mechanism with the least noise, to a
// relative 1e-6, for which all of them are (epsilon, delta) differentially private, adding
// as well as removing a record; s.Noise does not matter.
func CalibrateSampled(s accountant.SampledGaussian, epsilon, delta float64, by accountant.Method) (accountant.SampledGaussian, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return s, fmt.Errorf("no noise has an epsilon of %v; want a finite number > 0", epsilon)
	}
	within := func(noise float64) (bool, error) {
		s.Noise = noise
		found, _, err := s.Epsilon(delta, by)
		return err == nil && found <= epsilon, err
	}
	low, high := 0.5, 1.0
	for {
		enough, err := within(high)
		if err != nil {
			return s, err
		}
		if enough {
			break
		}
		if low, high = high, 2*high; high > mostNoise {
			return s, fmt.Errorf("no noise below %v times what a record moves has an epsilon of %v at delta %v", mostNoise, epsilon, delta)
		}
	}
	for low > leastNoise { // where little noise is enough
		enough, err := within(low)
		if err != nil || !enough {
			break
		}
		low, high = low/2, low
	}
	for high > low*(1+1e-6) {
		middle := (low + high) / 2
		enough, err := within(middle)
		if err != nil {
			return s, err
		}
		if enough {
			high = middle
		} else {
			low = middle
		}
	}
	s.Noise = high
	return s, nil
}

// The noise that CalibrateSampled looks for, over what a record moves.
const leastNoise, mostNoise = 0.05, 1e6
