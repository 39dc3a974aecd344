package factorization

import (
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

const (
	// exactRipple is the relative error of inverse roots that are meant to be exact but for
	// rounding. rippleOfGap is the error of the covariance of Optimal's stream as a share of
	// the gap. Cost and sensitivity are computed for the stream itself and not for its ideal,
	// so this costs optimality only.
	exactRipple = 1e-12
	rippleOfGap = 1e-2
	// polishedRows is up to which n the interval of ARSum is chosen by exact costs.
	polishedRows = 1 << 15
)

// buildChains fills in the factorization that the multipliers v of the optimum
// give when the inverse square root is replaced by a rational function r with
// few poles (ARSum), or with as many as the gap takes (Optimal). The prefix noise
// B Z is a sum of autoregressive chains with covariance B B' = r(U), where U = (A D
// A')^(-1) is tridiagonal.
//
// Cost and sensitivity are of this very process. U and T have the same eigenvalues, so the
// trace of B B' is the trace of r(T); and the least C with B C = A has C'C = A' r(U)^(-1) A =
// D^(-1/2) f(T) D^(-1/2), f(x) = 1/(x r(x)), which has the form of r again.
func (f *Factorization) buildChains(o Options, w *watcher) error {
	gap := o.Gap
	if gap == 0 {
		gap = DefaultGap
	}
	e, blocks := newEvaluator(o.N), newCoarse(o.N)
	solver := search{evaluator: e, coarse: blocks, gap: gap / 2, watch: w}
	v, err := solver.multipliers()
	if err != nil {
		return err
	}
	c := candidate{evaluator: e, v: v, diagonal: make([]float64, o.N), watch: w}
	var r numeric.Rational
	if o.Kind == Optimal {
		r, _ = inverseRootWithin(v, max(exactRipple, rippleOfGap*gap))
	} else if r, err = c.tuned(blocks, o.Chains); err != nil {
		return err
	}
	squared := c.squaredSensitivity(r)
	// The weights take the squared sensitivity in, which leaves the cost as it is: the
	// trace grows by the same factor.
	for j := range r.Weights { // from here on sensitivity 1
		r.Weights[j] *= squared
	}
	f.sensitivity = 1
	f.law = newChains(v, r, mostStored, w)
	f.spread = spreadOfChains{v, r}
	f.rows = f.law.(*chains).rowNorms
	f.gap = 1 - c.lowerBound()/c.trace(r)
	return nil
}

// spreadOfChains is X = D^(-1/2) f(T) D^(-1/2), D = diag(v), for the reciprocal f of r: a
// sum of inverses of M + s D, M = (A'A)^(-1), with weights > 0. Each is of a tridiagonal
// matrix with positive pivots and nothing positive beside the diagonal, so that no entry
// of X is negative. Pivots are 1 + q, by the recurrence of pass.add.
type spreadOfChains struct {
	v []float64
	r numeric.Rational
}

// whole implements spread: y solves L y = 1 for the unit factor L.
func (c spreadOfChains) whole() (sum float64) {
	f := c.r.Reciprocal()
	for j, s := range f.Poles {
		q, y, part := 0.0, 0.0, 0.0
		for t, x := range c.v {
			if t > 0 {
				y /= 1 + q
				q /= 1 + q
			}
			q += float64(s * x)
			y++
			part += float64(y*y) / (1 + q)
		}
		sum += float64(f.Weights[j] * part)
	}
	for _, x := range c.v {
		sum += f.Constant / x
	}
	return sum
}

// entries implements spread. An inverse has the entry G_st = G_tt prod_{u=s}^{t-1} 1/(1 +
// q_u), s <= t, of which it keeps weighted diagonals and sums of logarithms.
func (c spreadOfChains) entries() func(s, t int) float64 {
	f, n := c.r.Reciprocal(), len(c.v)
	// Products of many factors below 1 underflow; sums of their logarithms do not.
	diagonals, logs := make([]float64, n*len(f.Poles)), make([]float64, n*len(f.Poles))
	for j, s := range f.Poles {
		diagonal, log := diagonals[j*n:(j+1)*n], logs[j*n:(j+1)*n]
		q, past := 0.0, 0.0
		for t, x := range c.v {
			q = float64(s*x) + q/(1+q)
			diagonal[t], log[t] = q, past
			past += portable.Log1p(q)
		}
		// Pivots from the other end, with which the diagonal of the inverse is known.
		after := 1.0
		for t := n - 1; t >= 0; t-- {
			diagonal[t] = f.Weights[j] / (diagonal[t] + after)
			after += float64(s * c.v[t])
			after /= 1 + after
		}
	}
	return func(s, t int) (sum float64) {
		for j := range f.Poles {
			sum += float64(diagonals[j*n+t] * portable.Exp(logs[j*n+s]-logs[j*n+t]))
		}
		if s == t {
			sum += f.Constant / c.v[t]
		}
		return sum
	}
}

// candidate measures a rational function for given multipliers.
type candidate struct {
	evaluator   *evaluator
	v, diagonal []float64
	watch       *watcher
}

// trace returns ||B||_F^2 = tr r(T).
func (c *candidate) trace(r numeric.Rational) float64 {
	c.evaluator.diagonal(c.diagonal, c.v, r)
	return kernel.Sum(c.diagonal)
}

// squaredSensitivity returns max_i f(T)_ii/v_i.
func (c *candidate) squaredSensitivity(r numeric.Rational) float64 {
	c.evaluator.diagonal(c.diagonal, c.v, r.Reciprocal())
	for i, v := range c.v {
		c.diagonal[i] /= v
	}
	return slices.Max(c.diagonal)
}

// lowerBound returns (sum d)^2/sum v <= n mse*, rational error included.
func (c *candidate) lowerBound() float64 {
	r, ripple := inverseRootWithin(c.v, exactRipple)
	sum := c.trace(r) / (1 + ripple)
	return sum * sum / kernel.Sum(c.v)
}

// tuned returns the function with count poles and the least cost among those for
// x^(-1/2) on an interval. It is better to give up the ends of the spectrum, where
// there are few eigenvalues, than to be equally good on all of it. The coarse
// problem chooses the interval to about 1e-4 of the cost; where an evaluation
// takes little, the search goes on with exact costs.
func (c *candidate) tuned(blocks *coarse, count int) (numeric.Rational, error) {
	low, high := spectrum(c.v)
	width := portable.Log(high / low)
	on := func(x []float64) numeric.Rational {
		r, _ := numeric.InverseRoot(low*portable.Exp(x[0]*width), high*portable.Exp(-x[1]*width), count)
		return r
	}
	bounded := func(cost func(numeric.Rational) float64) func([]float64) float64 {
		return func(x []float64) float64 {
			if math.Abs(x[0])+math.Abs(x[1]) > 0.95 || x[0]+x[1] > 0.95 {
				return math.Inf(1)
			}
			return portable.Log(cost(on(x)))
		}
	}
	grid := []float64{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3}
	best, err := numeric.Minimize(bounded(blocks.costs(c.v)), grid, grid, 0.02)
	if err == nil && len(c.v) <= polishedRows {
		best, err = numeric.Minimize(bounded(c.cost), best[:1], best[1:], 0.01)
	}
	if err != nil {
		return numeric.Rational{}, fmt.Errorf("searching the interval of %d chains: %w", count, err)
	}
	return on(best), nil
}

// cost returns n times the mean squared error.
func (c *candidate) cost(r numeric.Rational) float64 {
	if c.watch.Err() != nil {
		return math.Inf(1)
	}
	cost := c.trace(r) * c.squaredSensitivity(r)
	c.watch.Step(Progress{Doing: "choice of chains", MSE: cost / float64(len(c.v))})
	return cost
}
