package scenarios

import (
	"fmt"
	"sync"

	"starling/mechanisms/accountant"
)

// epsilonPLD is the note of an epsilon that a second accountant computes: by
// privacy loss distributions, from the rate, the noise and the number of the
// releases alone. It shares no formula with the Rényi divergences by which
// budgets of sampled Gaussian noise are kept, nor with the calibration of
// Gaussian noise, so that claims on privacy can be decided by it. The
// sensitivities are those of the first accountant.
const epsilonPLD = "epsilon.pld"

// pldNotes keeps the notes that were computed, by pldKey: arms of a sweep often
// have the same steps, and each takes a fifth of a second.
var pldNotes sync.Map

type pldKey struct {
	steps accountant.SampledGaussian
	delta float64
}

// noteEpsilonPLD bounds the epsilon of the steps at delta. The upper bound comes
// first: it is the number that claims read.
func noteEpsilonPLD(steps accountant.SampledGaussian, delta float64) note {
	key := pldKey{steps, delta}
	if known, ok := pldNotes.Load(key); ok {
		return known.(note)
	}
	n := note{epsilonPLD, ""}
	if bounds, err := accountant.PLDEpsilon([]accountant.SampledGaussian{steps}, delta); err != nil {
		n.value = err.Error()
	} else {
		n.value = fmt.Sprintf("%.6g at most, %.6g at least, at delta %g", bounds.High, bounds.Low, delta)
	}
	pldNotes.Store(key, n)
	return n
}
