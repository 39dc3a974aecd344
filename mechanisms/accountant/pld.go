package accountant

import (
	"math"

	"starling/mechanisms/accountant/pld"
)

// Bounds is an interval that holds a privacy parameter.
type Bounds = pld.Bounds

// ErrUnresolved is returned where the losses are too small or too many for the
// numerical accounting.
var ErrUnresolved = pld.ErrUnresolved

// PLDEpsilon returns bounds on the least epsilon at delta of the composition of
// all the given sampled Gaussian steps, for adding as well as removing a record
// (the larger of both), by privacy loss distributions (Koskela, Jälkö, Honkela
// 2020; Doroshenko et al. 2022) composed by fast Fourier transform.
//
// High is an upper bound: losses are discretised pessimistically, and the mass that the finite
// range, the transform's window (1e-14 of the tilted mass on each side) and its rounding (a
// few units in the last place for each step) can hide is added to delta. Low is a lower bound
// by an optimistic discretisation. The grid is refined until both are within 0.5 %, or 1e-9;
// where that takes too many points the last bounds are returned, still bounds.
func PLDEpsilon(steps []SampledGaussian, delta float64) (Bounds, error) {
	return pldEpsilon(steps, delta, pld.SampledEpsilon)
}

// PLDReplaceEpsilon is PLDEpsilon for replacing a record by another. The two records add
// opposite vectors of the largest length to a sum, which no other records exceed (see package
// pld).
func PLDReplaceEpsilon(steps []SampledGaussian, delta float64) (Bounds, error) {
	return pldEpsilon(steps, delta, pld.SampledReplaceEpsilon)
}

// pldEpsilon has bounds computed for the steps that cost something.
func pldEpsilon(steps []SampledGaussian, delta float64, of func([]pld.SampledGaussian, float64) (Bounds, error)) (Bounds, error) {
	if err := checkDelta(delta); err != nil {
		return Bounds{}, err
	}
	var kept []pld.SampledGaussian
	for _, s := range steps {
		if err := s.Validate(); err != nil {
			return Bounds{}, err
		}
		if !s.private() {
			return Bounds{Low: math.Inf(1), High: math.Inf(1)}, nil
		}
		if !s.idle() {
			kept = append(kept, pld.SampledGaussian(s))
		}
	}
	return of(kept, delta)
}
