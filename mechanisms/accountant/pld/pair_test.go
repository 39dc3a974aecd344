package pld

import (
	"math"
	"testing"
)

// Each direction alone, against its hockey-stick divergence in closed form: the
// larger of both hides what is wrong with the smaller.
func TestEachDirectionOfOneStep(t *testing.T) {
	for _, test := range []struct{ q, sigma, epsilon float64 }{
		{0.01, 1, 0.005}, {0.3, 0.7, 0.2}, {0.5, 2, 0.3}, {0.9, 1, 1.5},
	} {
		q, sigma, ratio := test.q, test.sigma, math.Exp(test.epsilon)
		upper := func(x float64) float64 { return math.Erfc(x/sigma/math.Sqrt2) / 2 }
		at := func(l float64) float64 { return sigma*sigma*math.Log((math.Exp(l)-1+q)/q) + 0.5 }
		x, y := at(test.epsilon), at(-test.epsilon)
		for way, delta := range map[direction]float64{
			remove: (1-q)*upper(x) + q*upper(x-1) - ratio*upper(x),
			add:    upper(-y) - ratio*((1-q)*upper(-y)+q*upper(1-y)),
		} {
			got, err := epsilonOf([]SampledGaussian{{q, sigma, 1}}, way, math.Log(delta), 0)
			if err != nil || got.Low > test.epsilon*(1+1e-9) || got.High < test.epsilon*(1-1e-9) || got.High > 1.01*test.epsilon {
				t.Errorf("q %v, sigma %v, direction %d, delta %v: %v, %v, want %v", q, sigma, way, delta, got, err, test.epsilon)
			}
		}
	}
}

// The pessimistic discretisation keeps both laws: the probabilities of all
// losses, and their sum weighted by e^-loss, which is the neighbour's law. Of a
// grid that ends early the infinite loss has the rest of the first, and the
// neighbour's has that much less.
func TestPessimisticKeepsBothLaws(t *testing.T) {
	for _, way := range []direction{remove, add} {
		for _, logMissed := range []float64{-60, -3} {
			s := source{SampledGaussian{0.1, 1, 1}, way, math.Inf(-1)}
			d := s.pessimistic(0.01, logMissed)
			p, q := math.Exp(d.LogInfinite), 0.0
			for i, m := range d.LogMass {
				p += math.Exp(m)
				q += math.Exp(m - d.At(i))
			}
			_, above := s.masses(d.At(len(d.LogMass)-1), math.Inf(1))
			if q += math.Exp(above); math.Abs(p-1) > 1e-12 || math.Abs(q-1) > 1e-12 {
				t.Errorf("direction %d, cut at %v: the laws sum to %.15g and %.15g", way, logMissed, p, q)
			}
			if cut := math.Exp(d.LogInfinite) > 1e-4; cut != (logMissed == -3) {
				t.Errorf("direction %d, cut at %v: ln of the infinite mass is %v", way, logMissed, d.LogInfinite)
			}
		}
	}
}
