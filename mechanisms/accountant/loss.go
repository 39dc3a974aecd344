// Package accountant computes the costs of releases in privacy, adds the costs up, and
// converts the sum into one (epsilon, delta).
//
// A Loss is the cost of one release. A Total is the sum of many losses. A Method is a way to
// convert a Total. Calibration goes the other way, from (epsilon, delta) to the noise that is
// needed.
//
// # From a release to an epsilon
//
//	mechanisms/noise, mechanisms/selection      draw the noise of a release
//	        |
//	        | Loss{Epsilon, Delta, Laplace, Rho, Concentrated, Sampled}
//	        v
//	Total.Add, Total.Grow                       kinds of loss are kept apart
//	        |
//	        v
//	Total.Epsilon(delta, method)                add or remove one record
//	Total.ReplaceEpsilon(delta, method)         replace one record
//	        |
//	        v
//	Limit.Allows                                is this within a budget?
//
// # Theorem by theorem
//
//	BasicComposition      k epsilon                             Dwork, Roth 2014, theorem 3.16
//	AdvancedComposition   epsilon sqrt(2 k ln(1/delta)) + ...   Dwork, Rothblum, Vadhan 2010, III.3
//	OptimalComposition    randomized responses, exactly         Kairouz, Oh, Viswanath 2015, 3.3
//	GaussianRho           rho = 1/(2 sigma^2)                   Bun, Steinke 2016, proposition 1.6
//	ZCDPEpsilon, RhoOf    rho + 2 sqrt(rho ln(1/delta))         Bun, Steinke 2016, proposition 1.3
//	GaussianDelta, -Sigma the analytic Gaussian mechanism       Balle, Wang 2018
//	SampledGaussian.RDP   Renyi divergence of a Poisson sample  Mironov, Talwar, Zhang 2019
//	Curve.EpsilonCKS      from Renyi divergence to epsilon      Canonne, Kamath, Steinke 2020
//	PLDEpsilon            privacy loss distributions by FFT     Doroshenko et al. 2022
//	Loss.Group            data that differ in several records   Dwork, Roth 2014, theorem 2.2
//
// # Which method to choose
//
// RDP is the cheapest method and gives the largest epsilon. RDPCKS computes more orders
// and lies between RDP and PLD. PLD is the sharpest method; for sampled Gaussian steps
// one conversion takes from 10 ms to seconds. A pure Total does not depend on the method.
//
// # Limits of the package
//
// A mechanism computes its own Loss, from the sensitivity that it is given and the noise that
// it really draws. Nothing here quotes a paper's claim. The package knows no algorithm. It
// also knows no network: it does not ask which observers see a release, and computes only the
// cost of the release to an observer that sees it.
//
// Package pld computes the numbers of the sampled Gaussian mechanism. It knows no Loss, and
// neither does shuffling.go: hiding the senders of messages adds privacy to each of them, whose
// local randomizers have a cost that callers give.
package accountant

import (
	"fmt"
	"math"
	"strings"

	"starling/messages"
)

// Loss is the privacy loss of one release, or an upper bound on the loss of many. Its parts
// stand side by side and compose: the release is a composition of an (Epsilon, Delta)
// differentially private mechanism, of Gaussian noise worth Rho, of a mechanism that is zCDP
// with the rho Concentrated, and of the steps of a sampled Gaussian mechanism. The zero value
// is nothing spent; a pure loss has Epsilon alone. Values are comparable. The neighbouring
// relation is the one the sensitivity was computed for.
type Loss struct {
	// Epsilon >= 0 is the pure part, in natural logarithms: probabilities of an event under
	// neighbouring data differ by a factor of at most e^Epsilon. +Inf means that nothing
	// protects the release.
	Epsilon float64
	// Delta >= 0 is the chance that Epsilon does not hold. A value of 1 or more bounds
	// nothing.
	Delta float64

	// Laplace >= 0 is the part of Epsilon, and at most all of it, that is of Laplace noise on
	// a number that moves by Laplace times its scale in 1-norm. Its loss is mostly well below
	// Epsilon, so that many such releases cost less than releases of which only Epsilon is
	// known. One coordinate stands for a vector's, and one release for several: by the lemma
	// of group privacy (Dong, Roth, Su 2022, lemma A.5) moves by a and by b have at least the
	// trade-off function f_b(1 - f_a), and that is the trade-off function of a single move by
	// a + b, as F(F^-1(1-x) - a) = 1 - f_a(x) for noise of distribution function F.
	Laplace float64

	// Rho >= 0 is Delta^2/(2 sigma^2) of Gaussian noise: the noise is Rho-zCDP (Bun, Steinke
	// 2016, proposition 1.6) and, more exactly, sqrt(2 Rho)-Gaussian differentially private
	// (Dong, Roth, Su 2022), on which the exact conversion of a sum rests. A mechanism that is
	// zCDP without being Gaussian must not state its rho here.
	Rho float64

	// Concentrated >= 0 is a rho of zero-concentrated differential privacy of which no more
	// is known: the Rényi divergence of every order a > 1 is at most a times this (Bun,
	// Steinke 2016, definition 1.1). Sums of discrete Gaussians have it.
	Concentrated float64

	// Sampled are Poisson-sampled Gaussian steps; the zero value is none. Unlike Rho,
	// their loss is no number that can be added: it depends on rate, noise and steps
	// together.
	Sampled SampledGaussian // Poisson-sampled Gaussian steps; zero: none
}

// NotPrivate is the loss of a release without protection.
func NotPrivate() Loss { return Loss{Epsilon: math.Inf(1)} }

// Private reports whether the loss bounds anything: every part is finite and the chance that
// it does not hold is below 1.
func (l Loss) Private() bool {
	return !math.IsInf(l.Epsilon, 1) && l.Delta < 1 && !math.IsInf(l.Rho, 1) && !math.IsInf(l.Concentrated, 1) && l.Sampled.private()
}

// Compose returns a loss that both releases made on the same data, the second
// perhaps chosen in view of the first, do not exceed. Epsilons, deltas and rhos
// add up (Dwork, Roth 2014, theorem 3.16; Bun, Steinke 2016, lemma 1.7).
// Sampled Gaussians of one rate and noise add their steps; different ones
// become the steps of both at the larger rate and the smaller noise, which is
// sound but loose: a Total keeps them apart.
func (l Loss) Compose(other Loss) Loss {
	return Loss{
		Epsilon: l.Epsilon + other.Epsilon,
		Delta:   l.Delta + other.Delta,
		Laplace: l.Laplace + other.Laplace,
		Rho:     l.Rho + other.Rho,

		Concentrated: l.Concentrated + other.Concentrated,

		Sampled: l.Sampled.compose(other.Sampled),
	}
}

// Validate refuses a loss that no mechanism can have: a part that is negative or not a number,
// a Laplace part that is larger than the Epsilon it is a part of, and sampled steps that
// SampledGaussian.Validate refuses. Infinite parts are valid: they mean that nothing protects
// the release.
func (l Loss) Validate() error {
	if l.Epsilon >= 0 && l.Delta >= 0 && l.Laplace >= 0 && l.Rho >= 0 && l.Concentrated >= 0 && l.Laplace <= l.Epsilon*(1+budgetSlack) {
		return l.Sampled.Validate()
	}
	return l.fault()
}

// fault returns the fault in the parts of an invalid loss that are numbers.
func (l Loss) fault() error {
	for _, part := range []struct {
		name  string
		value float64
	}{{"epsilon", l.Epsilon}, {"delta", l.Delta}, {"laplace", l.Laplace}, {"rho", l.Rho}, {"concentrated rho", l.Concentrated}} {
		if math.IsNaN(part.value) || part.value < 0 {
			return fmt.Errorf("privacy loss %s = %v is not a number >= 0", part.name, part.value)
		}
	}
	return fmt.Errorf("privacy loss: %v of Laplace noise is over the epsilon of %v that it is a part of", l.Laplace, l.Epsilon)
}

// String writes the loss for tables: the number alone where it is pure, the
// parts by name where there are others, "not private" where it bounds nothing.
func (l Loss) String() string {
	if !l.Private() {
		return "not private"
	}
	var parts []string
	switch {
	case l.Delta > 0:
		parts = append(parts, fmt.Sprintf("(%.6g, %.6g)", l.Epsilon, l.Delta))
	// The zero loss is written as 0; a loss of Gaussian parts alone has no leading 0.
	case l.Epsilon > 0 || l == Loss{}: // Laplace is part of it
		parts = append(parts, fmt.Sprintf("%.6g", l.Epsilon))
	}
	if l.Rho > 0 {
		parts = append(parts, fmt.Sprintf("rho %.6g", l.Rho))
	}
	if l.Concentrated > 0 {
		parts = append(parts, fmt.Sprintf("zCDP %.6g", l.Concentrated))
	}
	if s := l.Sampled; s.Steps > 0 {
		parts = append(parts, fmt.Sprintf("%d sampled Gaussian steps of q %.6g, sigma %.6g", s.Steps, s.Rate, s.Noise))
	}
	if len(parts) == 0 { // an epsilon of -0
		return fmt.Sprintf("%.6g", math.Abs(l.Epsilon))
	}
	return strings.Join(parts, " + ")
}

// State implements messages.Stateful.
func (l *Loss) State(c *messages.Codec) {
	c.Float("epsilon", &l.Epsilon)
	c.Float("delta", &l.Delta)
	c.Float("laplace", &l.Laplace)
	c.Float("rho", &l.Rho)
	c.Float("concentrated", &l.Concentrated)
	l.Sampled.state(c)
}

func (s *SampledGaussian) state(c *messages.Codec) {
	c.Float("rate", &s.Rate)
	c.Float("noise", &s.Noise)
	c.Int("steps", &s.Steps)
}
