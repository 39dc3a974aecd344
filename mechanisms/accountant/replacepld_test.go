package accountant

import (
	"math"
	"testing"
)

// The values of another program (dp-accounting 0.5, of the same pair of mixtures) and of an
// FFT composition in numpy, at sigma 1, 50 rounds and delta 1e-5; without sampling the noise
// of half the multiplier is exact.
func TestReplaceByDistributions(t *testing.T) {
	for _, c := range []struct{ q, want, within float64 }{{0.01, 0.680, 5e-3}, {0.05, 3.478, 5e-3}, {0.2, 15.41, 5e-3}, {0.5, 47.0, 5e-3}, {1, 159.4, 2e-3}} {
		total := Loss{Sampled: SampledGaussian{c.q, 1, 50}}.Total()
		got, err := total.ReplaceEpsilon(1e-5, PLD)
		if err != nil || !(math.Abs(got/c.want-1) <= c.within) {
			t.Errorf("q %v: %v (%v), want %v", c.q, got, err, c.want)
		}
	}
}

// The bounds hold the epsilon at which the pair has delta: of one step where losses exceed it
// from an output on, and of two by quadrature over the first one's output. Nothing here
// discretises losses.
func TestReplaceBoundsHold(t *testing.T) {
	for _, c := range []struct{ q, sigma, epsilon float64 }{{0.3, 1.2, 0.5}, {0.02, 0.7, 1}, {1, 2, 1}, {0.9, 0.8, 3}, {0.1, 1, 1e-3}, {0.6, 3, 2}} {
		pair := mixtures{c.q, c.sigma}
		one, two := pair.delta(c.epsilon), pair.mean(func(x float64) float64 { return pair.delta(c.epsilon - pair.loss(x)) })
		if by := hockeyStick(c.q, c.sigma, c.epsilon); math.Abs(by/one-1) > 1e-5 {
			t.Fatalf("%+v: delta %v, by quadrature %v", c, one, by)
		}
		for steps, delta := range map[int]float64{1: one, 2: two} {
			got, err := PLDReplaceEpsilon([]SampledGaussian{{c.q, c.sigma, steps}}, delta)
			if err != nil || !(got.Low <= c.epsilon*(1+1e-6) && got.High >= c.epsilon*(1-1e-6) && got.High < 1.01*c.epsilon) {
				t.Errorf("%+v, %d steps, delta %v: bounds %v (%v)", c, steps, delta, got, err)
			}
		}
	}
}

// No records are further apart than opposite ones of the largest length: at any epsilon, of
// either sign, of records on a line and in the plane.
func TestOppositeRecordsAreTheFurthest(t *testing.T) {
	const panels, reach = 120, 7.0
	for _, pair := range []mixtures{{0.3, 1}, {0.8, 0.7}, {0.05, 0.5}} {
		for _, epsilon := range []float64{-1, -0.1, 0, 0.2, 1, 2} {
			most := pair.delta(epsilon)
			for _, v := range [][2]float64{{1, 0}, {0, 1}, {-0.5, 0}, {-0.6, 0.8}, {-0.98, 0.199}, {0, 0}} {
				for _, length := range []float64{1, 0.4} {
					delta, width := 0.0, 2*reach*pair.sigma/panels
					density := func(x, y, u, w float64) float64 {
						return math.Exp(-((x-u)*(x-u)+(y-w)*(y-w))/(2*pair.sigma*pair.sigma)) / (2 * math.Pi * pair.sigma * pair.sigma)
					}
					for i := range panels {
						for j := range panels {
							x, y := -reach*pair.sigma+(float64(i)+0.5)*width, -reach*pair.sigma+(float64(j)+0.5)*width
							rest := (1 - pair.q) * density(x, y, 0, 0)
							delta += width * width * max(0, rest+pair.q*density(x, y, length, 0)-math.Exp(epsilon)*(rest+pair.q*density(x, y, v[0], v[1])))
						}
					}
					if delta > most+1e-4 {
						t.Errorf("%+v, epsilon %v: records (%v, 0) and %v have delta %v, opposite ones %v", pair, epsilon, length, v, delta, most)
					}
				}
			}
		}
	}
}

// mixtures are (1-q) N(0, sigma^2) + q N(1, sigma^2), and the same with -1.
type mixtures struct{ q, sigma float64 }

func (m mixtures) loss(x float64) float64 {
	ratio := func(x float64) float64 { return math.Log(1 - m.q + m.q*math.Exp((2*x-1)/(2*m.sigma*m.sigma))) }
	return ratio(x) - ratio(-x)
}

// delta is the hockey-stick divergence at epsilon, which may be below 0.
func (m mixtures) delta(epsilon float64) float64 {
	low, high := -1e4, 1e4
	for range 100 {
		if middle := (low + high) / 2; m.loss(middle) > epsilon {
			high = middle
		} else {
			low = middle
		}
	}
	above := func(mean float64) float64 { return math.Erfc((high-mean)/m.sigma/math.Sqrt2) / 2 }
	return (1-m.q)*above(0) + m.q*above(1) - math.Exp(epsilon)*((1-m.q)*above(0)+m.q*above(-1))
}

// mean is that of a function of an output of the first mixture.
func (m mixtures) mean(of func(x float64) float64) (sum float64) {
	const panels, reach = 4000, 9.0
	low, width := -reach*m.sigma, (2*reach*m.sigma+1)/panels
	for i := range panels {
		x := low + (float64(i)+0.5)*width
		density := func(mean float64) float64 {
			z := (x - mean) / m.sigma
			return math.Exp(-z*z/2) / (m.sigma * math.Sqrt(2*math.Pi))
		}
		sum += width * ((1-m.q)*density(0) + m.q*density(1)) * of(x)
	}
	return sum
}
