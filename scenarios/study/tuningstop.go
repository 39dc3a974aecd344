package study

import (
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/scenarios/limits"
)

// The laws of a random number of trials.
const (
	poisson                   = "poisson"
	truncatedNegativeBinomial = "truncated-negative-binomial"
)

// purposeStopping keys the number of trials.
var purposeStopping = rng.PurposeOf("tune.stopping")

// stopping is a random number of trials.
type stopping struct {
	law  accountant.Stopping
	text string
}

// newStopping returns the law that a section describes.
func newStopping(s *TuneStopping) *stopping {
	if s.Kind == poisson {
		return &stopping{accountant.PoissonStopping{Mu: s.Mean}, fmt.Sprintf("a Poisson number of trials of mean %v (Papernot, Steinke 2022, Theorem 6)", s.Mean)}
	}
	law := accountant.NegativeBinomialStopping(s.Eta, s.Mean)
	return &stopping{law, fmt.Sprintf("a truncated negative binomial number of trials of eta %v, gamma %.4g and mean %v (Papernot, Steinke 2022, Theorem 2)", law.Eta, law.Gamma, s.Mean)}
}

// draw returns the number of trials under a seed, which may be 0.
func (s *stopping) draw(seed uint64) int {
	u := rng.NewKey(seed, purposeStopping).Uniform(0, 0, 0)
	for k := 0; ; k++ {
		if u -= s.law.Chance(k); u < 0 || k > limits.Arms { // more are refused
			return k
		}
	}
}
