package selection_test

import (
	"errors"
	"math"
	"testing"

	"starling/mechanisms/rng"
	"starling/mechanisms/selection"
)

// noisyMaxLaw integrates, for every index, the density of its noisy utility
// times the chance that all others are below it.
func noisyMaxLaw(law selection.Law, utilities []float64, b float64) []float64 {
	density, below := func(x float64) float64 { return laplaceDensity(x, b) }, func(x float64) float64 { return laplaceBelow(x, b) }
	if law == selection.ExponentialLaw {
		density = func(x float64) float64 {
			if x < 0 {
				return 0
			}
			return math.Exp(-x/b) / b
		}
		below = func(x float64) float64 { return max(0, 1-math.Exp(-x/b)) }
	}
	p := make([]float64, len(utilities))
	for i, u := range utilities {
		p[i] = integrate(func(z float64) float64 {
			value := density(z - u)
			for j, v := range utilities {
				if j != i {
					value *= below(z - v)
				}
			}
			return value
		}, -10-40*b, 10+40*b, utilities...)
	}
	return p
}

var laws = []selection.Law{selection.LaplaceLaw, selection.ExponentialLaw}

func TestReportNoisyMaxHasItsLaw(t *testing.T) {
	for _, law := range laws {
		for name, test := range map[string]struct {
			utilities []float64
			scale     float64
		}{
			"one":    {[]float64{3}, 1},
			"two":    {[]float64{0, 1}, 1},
			"equal":  {[]float64{2, 2, 2}, 2},
			"spread": {[]float64{-1, 0, 0.5, 1.2}, 0.8},
		} {
			m := selection.ReportNoisyMax{Law: law, Scale: test.scale}
			checkFrequencies(t, string(law)+" "+name, noisyMaxLaw(law, test.utilities, test.scale), func(r *rng.Rand) int {
				i, _, err := m.Select(test.utilities, r, 1, accept)
				if err != nil {
					t.Fatal(err)
				}
				return i
			})
		}
	}
}

// With two candidates and Laplace noise the chance is a closed form: the
// difference of two Laplace variables exceeds g with probability
// exp(-g)(2+g)/4. It checks the integration that the other tests rest on.
func TestNoisyMaxReferenceForTwo(t *testing.T) {
	for _, gap := range []float64{0, 0.3, 1, 4} {
		got, want := noisyMaxLaw(selection.LaplaceLaw, []float64{gap, 0}, 1)[1], math.Exp(-gap)*(2+gap)/4
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("gap %v: integral %v, closed form %v", gap, got, want)
		}
	}
}

// All corners of the cube of neighbours of some utilities: the loss holds, and
// for moves in one direction half of it.
func TestReportNoisyMaxLossHolds(t *testing.T) {
	const b, sensitivity = 1.3, 0.8
	for _, law := range laws {
		general := selection.ReportNoisyMax{Law: law, Scale: b}.Loss(sensitivity).Epsilon
		monotone := selection.ReportNoisyMax{Law: law, Scale: b, Monotone: true}.Loss(sensitivity).Epsilon
		if general != 2*sensitivity/b || monotone != sensitivity/b {
			t.Fatalf("%s: losses %v and %v", law, general, monotone)
		}
		worst, worstMonotone := 0.0, 0.0
		for _, u := range [][]float64{{0, 0, 0}, {0, 1, -1}, {4, 0, 0}, {-6, 0, 0.2}} {
			p := noisyMaxLaw(law, u, b)
			for corner := range 27 {
				v, signs, c := make([]float64, 3), [2]bool{}, corner
				for i := range v {
					move := float64(c%3 - 1)
					v[i] = u[i] + sensitivity*move
					signs = [2]bool{signs[0] || move < 0, signs[1] || move > 0}
					c /= 3
				}
				ratio := worstRatio(p, noisyMaxLaw(law, v, b))
				worst = max(worst, ratio)
				if !(signs[0] && signs[1]) {
					worstMonotone = max(worstMonotone, ratio)
				}
			}
		}
		if worst > general+1e-6 || worstMonotone > monotone+1e-6 {
			t.Errorf("%s: log ratios %v and monotone %v, losses %v and %v", law, worst, worstMonotone, general, monotone)
		}
		if worst < 0.9*general || worstMonotone < 0.75*monotone {
			t.Errorf("%s: log ratios %v and monotone %v come nowhere near %v and %v", law, worst, worstMonotone, general, monotone)
		}
		if worst <= monotone {
			t.Errorf("%s: general utilities reach %v only, no more than the monotone loss %v", law, worst, monotone)
		}
	}
}

func TestReportNoisyMaxPaysFirst(t *testing.T) {
	for _, law := range laws {
		m := selection.ReportNoisyMax{Law: law, Scale: 2}
		r := generator(0)
		p := &till{refuse: true}
		if _, _, err := m.Select([]float64{1, 2, 3}, r, 3, p.pay); !errors.Is(err, errRefused) || *r != *generator(0) || p.paid[0] != 3 {
			t.Errorf("%s: %v, paid %v, or numbers are drawn", law, err, p.paid)
		}
		if _, _, err := m.Select([]float64{1, 2, 3}, r, 3, accept); err != nil || *r == *generator(0) {
			t.Errorf("%s: %v, or no number is drawn", law, err)
		}
		m.Scale = 0
		if i, _, err := m.Select([]float64{1, 5, 5}, r, 0, accept); err != nil || i != 1 {
			t.Errorf("%s without noise: %d, %v, want 1", law, i, err)
		}
	}
}

// Noise too small to be seen leaves a tie, which goes to the lowest index.
func TestReportNoisyMaxBreaksTies(t *testing.T) {
	for _, law := range laws {
		m := selection.ReportNoisyMax{Law: law, Scale: 1e-30}
		if i, _, err := m.Select([]float64{1, 2, 2}, generator(0), 1, accept); err != nil || i != 1 {
			t.Errorf("%s: %d, %v, want 1", law, i, err)
		}
	}
}
