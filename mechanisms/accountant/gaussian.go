package accountant

import (
	"fmt"
	"math"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// GaussianRho returns rho = 1/(2 sigma^2) of Gaussian noise of standard deviation sigma on a
// query of 2-norm sensitivity 1: the cost of the mechanism in zCDP (Bun, Steinke 2016,
// proposition 1.6). sigma > 0.
func GaussianRho(sigma float64) float64 {
	r := 1 / sigma
	return r * r / 2
}

// SigmaOfRho is the inverse of GaussianRho: 1/sqrt(2 rho).
func SigmaOfRho(rho float64) float64 { return 1 / math.Sqrt(2*rho) }

// RhoOf returns the largest rho for which rho-zCDP implies (epsilon, delta) by
// the classic conversion, (sqrt(epsilon + ln(1/delta)) - sqrt(ln(1/delta)))^2:
// the inverse of ZCDPEpsilon. It refuses an epsilon that is no finite number
// >= 0 and a delta outside (0, 1).
func RhoOf(epsilon, delta float64) (float64, error) {
	if err := checkTarget(epsilon, delta); err != nil {
		return 0, err
	}
	l := -portable.Log(delta)
	root := epsilon / (math.Sqrt(epsilon+l) + math.Sqrt(l)) // the difference, free of cancellation
	return root * root, nil
}

// ZCDPEpsilon returns the epsilon at which rho-zCDP implies (epsilon, delta):
// rho + 2 sqrt(rho ln(1/delta)) (Bun, Steinke 2016, proposition 1.3). For
// Gaussian noise GaussianEpsilon is smaller.
func ZCDPEpsilon(rho, delta float64) (float64, error) {
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	if !(rho >= 0) {
		return 0, fmt.Errorf("rho = %v is not a number >= 0", rho)
	}
	return rho + float64(2*math.Sqrt(rho)*math.Sqrt(-portable.Log(delta))), nil
}

// GaussianDelta returns the least delta for which Gaussian noise of standard deviation sigma
// on a query of 2-norm sensitivity 1 is (epsilon, delta) differentially private: Phi(1/(2
// sigma) - epsilon sigma) - e^epsilon Phi(-1/(2 sigma) - epsilon sigma) (Balle, Wang 2018,
// theorem 8). Zero stands for numbers below the smallest float64.
func GaussianDelta(sigma, epsilon float64) (float64, error) {
	if err := checkSigma(sigma); err != nil {
		return 0, err
	}
	if err := checkEpsilon(epsilon); err != nil {
		return 0, err
	}
	return portable.Exp(logGaussianDelta(1/sigma, epsilon)), nil
}

// GaussianEpsilon returns the least epsilon >= 0 for which that noise is
// (epsilon, delta) differentially private, rounded up in the last bits.
func GaussianEpsilon(sigma, delta float64) (float64, error) {
	if err := checkSigma(sigma); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	return gaussianEpsilon(1/sigma, portable.Log(delta)), nil
}

// GaussianSigma returns the least sigma for which that noise is (epsilon,
// delta) differentially private, rounded up in the last bits: the analytic
// Gaussian mechanism (Balle, Wang 2018, algorithm 1).
func GaussianSigma(epsilon, delta float64) (float64, error) {
	if err := checkTarget(epsilon, delta); err != nil {
		return 0, err
	}
	target := portable.Log(delta)
	// private falls in mu = 1/sigma: more noise is a smaller mu. low is made private and
	// high not, by factors of 16 that reach any exponent in a few steps; then Bisect
	// finds the border.
	private := func(mu float64) bool { return logGaussianDelta(mu, epsilon) <= target }
	low, high := 1.0, 1.0
	for !private(low) {
		low /= 16
	}
	for private(high) {
		high *= 16
	}
	mu, _ := numeric.Bisect(low, high, private)
	// The reciprocal is rounded once; one unit in the last place keeps sigma on the safe
	// side.
	return 1 / mu * (1 + 0x1p-52), nil
}

// gaussianEpsilon solves delta(epsilon) = exp(logDelta) for a Gaussian of mean
// mu >= 0 and variance 1 against one of mean 0.
func gaussianEpsilon(mu, logDelta float64) float64 {
	tooLarge := func(epsilon float64) bool { return logGaussianDelta(mu, epsilon) > logDelta }
	if mu == 0 || !tooLarge(0) {
		return 0
	}
	// The classic conversion of rho = mu^2/2 is an upper bound; a hair is added
	// against its rounding.
	high := (float64(mu*mu/2) + float64(mu*math.Sqrt(-2*logDelta))) * (1 + 1e-12)
	if math.IsInf(high, 1) {
		return high
	}
	// The known bounds spare most of the halving, and change none of its decisions.
	small, large := nearGaussianEpsilon(mu, logDelta, high)
	_, epsilon := numeric.Bisect(0, high, func(epsilon float64) bool {
		return epsilon <= small || epsilon < large && tooLarge(epsilon)
	})
	return epsilon
}

// nearGaussianEpsilon returns an epsilon that is too small and one that is large enough, as
// near to each other as rounding lets logGaussianDelta tell with certainty; 0 and high where
// it finds none nearer. ln delta(epsilon) falls and is concave, so that Newton's steps from
// high, which is large enough, stay so. Its slope is -phi(a) R(b) / delta.
func nearGaussianEpsilon(mu, logDelta, high float64) (small, large float64) {
	const most = 12 // 4 or 5 are enough
	epsilon := high
	for range most {
		a, b := epsilon/mu-float64(mu/2), epsilon/mu+float64(mu/2)
		at := logGaussianDelta(mu, epsilon)
		slope := portable.Exp(float64(-a*a/2)-numeric.LogSqrt2Pi-at) * numeric.Mills(b)
		certain := float64(1e-13 * (1 + float64(b*b))) // hundreds of units in the last places of a^2 and ln delta
		step, apart := (at-logDelta)/slope, 2*certain/slope
		epsilon += step
		if !(epsilon > 0 && epsilon <= high) {
			return 0, high
		}
		if math.Abs(step) > apart {
			continue
		}
		small, large = max(0, epsilon-apart), min(high, epsilon+apart)
		if logGaussianDelta(mu, small) > logDelta+certain && logGaussianDelta(mu, large) < logDelta-certain {
			return small, large
		}
		return 0, high
	}
	return 0, high
}

// logGaussianDelta returns ln delta(epsilon) for a Gaussian of mean mu >= 0 and
// variance 1 against one of mean 0. With a = epsilon/mu - mu/2 and b =
// epsilon/mu + mu/2 it is Q(a) - e^epsilon Q(b), and phi(a) = e^epsilon phi(b)
// turns that into phi(a) (R(a) - R(b)), R Mills' ratio: nothing overflows, and
// where the two are close their difference is the integral of -R'.
func logGaussianDelta(mu, epsilon float64) float64 {
	if mu == 0 {
		return math.Inf(-1)
	}
	if math.IsInf(mu, 1) {
		return 0
	}
	a, b := epsilon/mu-float64(mu/2), epsilon/mu+float64(mu/2)
	if a < -1 {
		return portable.Log1p(float64(-portable.Erfc(-a/math.Sqrt2)/2) - float64(portable.Exp(float64(-a*a/2)-numeric.LogSqrt2Pi)*numeric.Mills(b)))
	}
	if math.IsInf(a, 1) {
		return math.Inf(-1)
	}
	var difference float64
	if mu <= 1 || b <= 2*a {
		for i, node := range numeric.Legendre.Nodes {
			difference += float64(mu * numeric.Legendre.Weights[i] * numeric.MillsSlope(a+float64(mu*node)))
		}
	} else {
		difference = numeric.Mills(a) - numeric.Mills(b)
	}
	return portable.Log(difference) - float64(a*a/2) - numeric.LogSqrt2Pi
}

func checkTarget(epsilon, delta float64) error {
	if err := checkEpsilon(epsilon); err != nil {
		return err
	}
	return checkDelta(delta)
}

func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("epsilon = %v is not a finite number >= 0", epsilon)
	}
	return nil
}

func checkDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta = %v is not in (0, 1)", delta)
	}
	return nil
}

func checkSigma(sigma float64) error {
	if !(sigma > 0) {
		return fmt.Errorf("sigma = %v is not a number > 0", sigma)
	}
	return nil
}
