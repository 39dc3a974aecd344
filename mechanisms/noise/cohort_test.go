package noise_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// mixture is a law of sums on a line: normal laws around the means, as likely as each other.
type mixture []float64

// cohorts is the law of the sum of m of the vectors, all subsets being as likely, of which the ones
// named by out are none.
func cohorts(vectors []float64, m, out int) (law mixture) {
	for set := range 1 << len(vectors) {
		sum, size := 0.0, 0
		for i, v := range vectors {
			if set>>i&1 == 1 {
				sum += v
				size++
			}
		}
		if size == m && set&out == 0 {
			law = append(law, sum)
		}
	}
	return law
}

// divergence is the integral of (p - e^epsilon q)_+ of two mixtures of deviation sigma, by the midpoint
// rule.
func divergence(p, q mixture, sigma, epsilon float64) (sum float64) {
	const width = 0.01
	density := func(of mixture, x float64) (d float64) {
		for _, mean := range of {
			d += distuv.Normal{Mu: mean, Sigma: sigma}.Prob(x) / float64(len(of))
		}
		return d
	}
	for x := -12 + width/2; x < 12; x += width {
		sum += width * max(0, density(p, x)-math.Exp(epsilon)*density(q, x))
	}
	return sum
}

// The account of a cohort bounds the divergence between the releases with a unit and without it, and
// with another in its place, whatever the vectors of the others, also to an observer that knows one
// of the others and that it is not there. The account of a Poisson sample of the same rate does not.
func TestCohortsPayEnough(t *testing.T) {
	const sigma, units, m, delta = 1.2, 4, 2, 1e-2
	of := noise.OnSamples(sigma, 1)
	price := func(rate float64, n noise.Released, of func(steps []accountant.SampledGaussian, delta float64) (accountant.Bounds, error)) float64 {
		b, err := of([]accountant.SampledGaussian{n.Loss().Sampled}, delta)
		if err != nil {
			t.Fatal(err)
		}
		return b.High
	}
	const known = m / float64(units-1)
	paid, replaced := price(known, of.AtCohort(known), accountant.PLDEpsilon), price(known, of.AtCohort(known), accountant.PLDReplaceEpsilon)
	poisson := price(known, of.At(known), accountant.PLDEpsilon)
	exceeds := false
	values := []float64{-1, 0, 1}
	for k := range 27 {
		others := []float64{values[k%3], values[k/3%3], values[k/9]}
		with := append([]float64{1}, others...)
		exchanged := append([]float64{-1}, others...)
		for _, out := range []int{0, 1 << (units - 1)} { // the last unit of with, and of others
			p, q, r := cohorts(with, m, out), cohorts(others, m, out>>1), cohorts(exchanged, m, out)
			for _, pair := range [][2]mixture{{p, q}, {q, p}} {
				if d := divergence(pair[0], pair[1], sigma, paid); d > delta {
					t.Errorf("others %v: the divergence is %v at epsilon %v, want at most %v", others, d, paid, delta)
				}
				exceeds = exceeds || divergence(pair[0], pair[1], sigma, poisson) > delta
			}
			if d := divergence(p, r, sigma, replaced); d > delta {
				t.Errorf("others %v: the divergence of a replaced unit is %v at epsilon %v, want at most %v", others, d, replaced, delta)
			}
		}
	}
	if !exceeds {
		t.Error("the account of a Poisson sample holds, too, so that these vectors decide nothing")
	}
}

// Noise that counts on no sample has one loss.
func TestCohortsOfOtherNoise(t *testing.T) {
	n := noise.OnEach(noise.Additive{Law: noise.GaussianLaw, Scale: 2}, noise.MovesL2(1, 3))
	if n.AtCohort(0.1) != n {
		t.Errorf("%+v", n.AtCohort(0.1))
	}
}
