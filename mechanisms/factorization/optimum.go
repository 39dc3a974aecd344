package factorization

import (
	"fmt"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

const (
	iterations  = 200  // far more than are ever needed, which is about 15
	firstRipple = 1e-5 // less than the error of the coarse solution
)

// spectrum returns bounds low and high of the eigenvalues of T for the given v (see
// evaluator). The eigenvalues of (A'A)^(-1) are below 4, so the eigenvalues of T are below
// 4/min v; the inverse of the smallest is below the trace of T^(-1), which has the diagonal
// v_i (n - i).
func spectrum(v []float64) (low, high float64) {
	trace := 0.0
	for i, x := range v {
		trace += float64(x * float64(len(v)-i))
	}
	return 1 / trace, 4 / slices.Min(v)
}

// likelySpectrum is about the spectrum of the multipliers of the optimum over n
// steps: the least of them is 0.684, at the last step, and their mean grows with
// log(n).
func likelySpectrum(n int) (low, high float64) {
	steps := float64(n)
	return 1 / (steps * steps * max(1, portable.Log(steps))), 4 / 0.684
}

// search finds the optimum: the v > 0 with d(v) = v, where d(v), the diagonal of T^(-1/2) for
// D = diag(v), is the diagonal of (D^(1/2) A'A D^(1/2))^(1/2). v is then the Lagrange
// multiplier of the constraints in min ||B||_F^2 subject to unit column norms of C, and X =
// C'C solves X D X = A'A (Denisov et al. 2022, theorem 3.2).
type search struct {
	// gap is the largest value that 1 - mse*/mse may have at the end, certified by iterate.
	evaluator *evaluator
	coarse    *coarse
	gap       float64
	watch     *watcher
}

// multipliers returns v.
func (s *search) multipliers() ([]float64, error) {
	blocks, err := s.coarse.solve()
	if err != nil {
		return nil, err
	}
	for b := range blocks {
		blocks[b] = portable.Log(blocks[b])
	}
	v := make([]float64, s.coarse.n)
	s.coarse.spread(v, blocks)
	for i := range v {
		v[i] = portable.Exp(v[i])
	}
	return v, s.iterate(v)
}

// iterate brings v to the certified gap. For any v > 0
//
//	(sum d)^2 / sum v <= n mse* <= max(d/v) sum d,
//
// the left side by duality, the right as the cost of the factorization that v
// gives. An evaluation is as exact as the gap asks for at the time.
func (s *search) iterate(v []float64) error {
	d := make([]float64, len(v))
	mixing := numeric.NewMixing(len(v))
	gap := 1.0
	for range iterations {
		tolerance := max(s.gap/16, min(firstRipple, gap/100))
		r, ripple := inverseRootWithin(v, tolerance)
		s.evaluator.diagonal(d, v, r)
		largest := 0.0
		// The search is in logarithms, where v > 0 needs no care and the residual log(d/v)
		// is 0 at the optimum.
		for i, x := range v {
			largest = max(largest, d[i]/x)
		}
		gap = 1 - kernel.Sum(d)/(kernel.Sum(v)*largest)
		if gap+float64(4*ripple) <= s.gap {
			return nil
		}
		if !s.watch.Step(Progress{Doing: "search of the optimum", Gap: gap, Want: s.gap}) {
			return s.watch.Err()
		}
		for i, x := range v {
			d[i] = portable.Log(d[i] / x)
			v[i] = portable.Log(x)
		}
		s.coarse.precondition(d)
		mixing.Step(v, d)
		for i, x := range v {
			v[i] = portable.Exp(x)
		}
	}
	return fmt.Errorf("the search for the optimum came to a gap of %v in %d iterations, want %v", gap, iterations, s.gap)
}

// inverseRootWithin returns r(x) ~ x^(-1/2) on the spectrum of T with as few
// poles as keep the relative error within the tolerance, and that error.
func inverseRootWithin(v []float64, tolerance float64) (numeric.Rational, float64) {
	low, high := spectrum(v)
	return numeric.RationalWithin(low, high, tolerance)
}
