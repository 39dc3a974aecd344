package audit

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// Measure is the least privacy parameter that allows an event of probability p under one
// input and q under a neighbouring one; -Inf where every parameter does. It grows with p
// and falls with q, so that its value at a lower limit of p and an upper limit of q is a
// lower bound. The parameter may be an epsilon or a mu: see Epsilon, Mu and SampledMu.
type Measure func(p, q float64) float64

// Epsilon measures the epsilon of (epsilon, delta) differential privacy, pure
// where delta is 0: p <= e^epsilon q + delta.
func Epsilon(delta float64) Measure {
	return func(p, q float64) float64 {
		if p <= delta {
			return math.Inf(-1)
		}
		return portable.Log((p - delta) / q)
	}
}

// Mu measures the mu of Gaussian differential privacy: a test of level q has
// power p <= Phi(Phi^-1(q) + mu) (Dong, Roth, Su 2022, definition 2.6). For a
// Gaussian mechanism one such event bounds epsilon at every delta, which needs
// far fewer samples than an epsilon at a small delta (Nasr et al. 2023,
// "Tight Auditing of Differentially Private Machine Learning", section 4).
func Mu() Measure {
	return func(p, q float64) float64 {
		switch {
		case p <= 0 || q >= 1:
			return math.Inf(-1)
		case p >= 1 || q <= 0:
			return math.Inf(1)
		}
		return portable.NormalQuantile(p) - portable.NormalQuantile(q)
	}
}

// mostMu is more than any number of samples can show.
const mostMu = 64

// SampledMu measures the mu of a Gaussian mechanism behind Poisson sampling of a known rate in
// (0, 1], whichever of the two inputs has the record: the least mu with a trade-off function
// C_rate(G_mu) that allows a test of level q and power p (Bu, Dong, Long, Su 2020, "Deep
// Learning with Gaussian Differential Privacy", equation 6 and appendix).
func SampledMu(rate float64) Measure {
	if rate == 1 {
		return Mu()
	}
	return func(p, q float64) float64 {
		switch {
		case p <= q:
			return math.Inf(-1)
		case !sampledAllows(rate, mostMu, p, q):
			return math.Inf(1)
		}
		low, high := 0.0, float64(mostMu)
		for high-low > 1e-9*high && high > 1e-9 {
			if middle := low + float64((high-low)/2); sampledAllows(rate, middle, p, q) {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
}

// sampledAllows reports whether 1 - p >= C_rate(G_mu)(q). The trade-off function with the
// record in the second input alone is f = rate G_mu + (1 - rate) Id; C_rate(G_mu) is the
// largest convex function below f and its inverse: f up to the fixed point of G_mu, where both
// have slope -1, a line of that slope, and the inverse of f.
func sampledAllows(rate, mu, p, q float64) bool {
	f := func(level float64) float64 {
		gaussian := 1.0
		switch {
		case level >= 1:
			gaussian = 0
		case level > 0:
			gaussian = numeric.NormalProbability(-portable.NormalQuantile(level) - mu)
		}
		return float64(rate*gaussian) + float64((1-rate)*(1-level))
	}
	fixed := numeric.NormalProbability(-mu / 2)
	switch end := f(fixed); {
	case q <= fixed:
		return 1-p >= f(q)
	case q < end:
		return 1-p >= fixed+end-q
	}
	return f(1-p) <= q
}

// gauge is the way in which a loss is measured. The parameter is an epsilon, or a mu where
// that takes fewer samples.
type gauge struct {
	// measure bounds the parameter by an event.
	measure Measure
	// epsilon converts a bound on the parameter into an epsilon at the audit's delta.
	epsilon func(value float64) (float64, error)
	// limit is the parameter that a loss allows.
	limit func(accountant.Loss) (float64, error)
}

// MeasureOf is the measure that Judge bounds a loss by.
func MeasureOf(loss accountant.Loss, delta float64) Measure { return gaugeOf(loss, delta).measure }

// gaugeOf measures a loss that is Gaussian alone by mu, one step of the sampled Gaussian alone
// by the mu behind its sampling, and any other by epsilon. The loss of no release at all has
// an epsilon at delta 0, too.
func gaugeOf(loss accountant.Loss, delta float64) gauge {
	switch s := loss.Sampled; {
	case loss == accountant.Loss{} && delta == 0:
	case loss == accountant.Loss{Rho: loss.Rho}:
		return gauge{Mu(), func(mu float64) (float64, error) {
			if mu == 0 {
				return 0, nil
			}
			return accountant.GaussianEpsilon(1/mu, delta)
		}, func(l accountant.Loss) (float64, error) { return math.Sqrt(2 * l.Rho), nil }}
	case loss == accountant.Loss{Sampled: s} && s.Steps == 1 && s.Rate > 0:
		return gauge{SampledMu(s.Rate), func(mu float64) (float64, error) {
			switch {
			case mu == 0:
				return 0, nil
			case math.IsInf(mu, 1):
				return mu, nil
			}
			step := accountant.SampledGaussian{Rate: s.Rate, Noise: 1 / mu, Steps: 1}
			return accountant.Loss{Sampled: step}.EpsilonAt(delta, accountant.PLD)
		}, func(l accountant.Loss) (float64, error) { return 1 / l.Sampled.Noise, nil }}
	}
	return gauge{
		Epsilon(delta), func(value float64) (float64, error) { return value, nil },
		func(l accountant.Loss) (float64, error) { return l.EpsilonAt(delta, accountant.PLD) },
	}
}
