package factorization

import (
	"errors"
	"fmt"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// coarse is the problem of the optimum with multipliers that are constant on blocks of steps:
// single steps at both ends, and growing in proportion to the distance from the nearer one,
// which is how the multipliers vary. The search begins at its solution, and divides the
// residual by its Jacobian. Neither need be exact.
type coarse struct {
	// n is the number of steps of the real problem. There are O(log n / growth) blocks.
	n        int
	begin    []int       // of each block, and n
	middle   []int       // a step in each block
	position []float64   // odds of middle
	newton   *numeric.LU // of the Jacobian of residual
}

const (
	growth       = 0.15 // length of a block as a share of its distance from the end
	coarseRipple = 1e-3 // relative error of the coarse problem's inverse square root
	perturbation = 1e-5 // of a logarithm, for derivatives
	rest         = 4    // power of d/v by which v moves in variations that the blocks do not see
)

// newCoarse cuts n >= 1 steps into blocks. It takes no multipliers: the solution of the
// coarse problem is found by solve.
func newCoarse(n int) *coarse {
	c := &coarse{n: n}
	for at := 0; at < n; {
		c.begin = append(c.begin, at)
		length := 1 + int(growth*float64(min(at, n-1-at)))
		// A block does not reach beyond the distance that its length stands for.
		length = min(length, 1+int(growth/(1+growth)*float64(n-1-at)))
		c.middle = append(c.middle, at+length/2)
		at += length
	}
	c.begin = append(c.begin, n)
	for _, step := range c.middle {
		c.position = append(c.position, c.odds(step))
	}
	return c
}

// blocks is the number of unknowns.
func (c *coarse) blocks() int { return len(c.middle) }

// odds is the logarithm of the ratio of the distances before and after a step, the coordinate
// in which the multipliers are smooth.
func (c *coarse) odds(step int) float64 {
	return portable.Log((float64(step) + 0.5) / (float64(c.n-step) - 0.5))
}

// jumps are the jumps of a block: to its middle, included, and through it, forward; to before
// its middle, backward.
type jumps struct{ middle, through, after numeric.Jump }

// jumps makes the jumps of a block for one pole, a = s v.
func (c *coarse) jumps(block int, a float64) jumps {
	begin, end, middle := c.begin[block], c.begin[block+1], c.middle[block]
	return jumps{numeric.NewJump(a, middle-begin+1), numeric.NewJump(a, end-begin), numeric.NewJump(a, end-1-middle)}
}

// model is a coarse problem at given multipliers, which can be changed one by
// one.
type model struct {
	*coarse
	// r is the inverse root of the problem; forwards is scratch, a number for each block.
	r        numeric.Rational
	jumps    [][]jumps // by pole and block
	forwards []float64
}

// at is the coarse problem at multipliers v, one for each block.
func (c *coarse) at(v []float64, r numeric.Rational) *model {
	m := &model{coarse: c, r: r, forwards: make([]float64, len(v))}
	for _, s := range r.Poles {
		row := make([]jumps, len(v))
		for b := range row {
			row[b] = c.jumps(b, s*v[b])
		}
		m.jumps = append(m.jumps, row)
	}
	return m
}

// set changes a multiplier.
func (m *model) set(block int, v float64) {
	for j, s := range m.r.Poles {
		m.jumps[j][block] = m.coarse.jumps(block, s*v)
	}
}

// sums writes the diagonal of D^(-1/2) (r(T) - constant) D^(-1/2), at the middles of
// the blocks, to dst.
func (m *model) sums(dst []float64) {
	clear(dst)
	for j, row := range m.jumps {
		q, t := 0.0, 1.0
		for b := range row {
			m.forwards[b] = row[b].middle.Forward(q)
			q = row[b].through.Forward(q)
		}
		for b := len(row) - 1; b >= 0; b-- {
			dst[b] += m.r.Weights[j] / (m.forwards[b] + row[b].after.Backward(t))
			t = row[b].through.Backward(t)
		}
	}
}

// residual writes log(d/v) to dst, if r is an inverse square root.
func (m *model) residual(dst []float64) {
	m.sums(dst)
	for b := range dst {
		dst[b] = portable.Log(dst[b])
	}
}

// costs returns a function that estimates the cost of a rational function at the
// multipliers v (len n) of the optimum, as candidate.cost computes it. The error
// that blocks make is nearly the same for all functions, so it is divided out: the
// sums of the inverse square root itself are 1 at the optimum.
func (c *coarse) costs(v []float64) func(numeric.Rational) float64 {
	at := make([]float64, c.blocks())
	for b, step := range c.middle {
		at[b] = v[step]
	}
	low, high := c.spectrum(at)
	root, _ := numeric.RationalWithin(low, high, exactRipple)
	exact, sums := make([]float64, len(at)), make([]float64, len(at))
	c.at(at, root).sums(exact)
	return func(r numeric.Rational) float64 {
		trace, squared := 0.0, 0.0
		c.at(at, r).sums(sums)
		for b, x := range at {
			trace += float64(c.begin[b+1]-c.begin[b]) * x * sums[b] / exact[b]
		}
		f := r.Reciprocal()
		c.at(at, f).sums(sums)
		for b, x := range at {
			squared = max(squared, (sums[b]+f.Constant/x)/exact[b])
		}
		return trace * squared
	}
}

// spectrum is the spectrum of the multipliers, spread over their blocks.
func (c *coarse) spectrum(v []float64) (low, high float64) {
	trace := 0.0
	for b, x := range v {
		begin, end := c.begin[b], c.begin[b+1]
		trace += float64(x * float64(end-begin) * (float64(c.n-begin) + float64(c.n-end+1)) / 2)
	}
	return 1 / trace, 4 / slices.Min(v)
}

// linearize sets newton to the factors of the Jacobian of the residual by the
// logarithms of the multipliers v, and returns the residual.
func (c *coarse) linearize(v []float64) ([]float64, error) {
	low, high := c.spectrum(v)
	r, _ := numeric.RationalWithin(low, high, coarseRipple)
	m := c.at(v, r)
	residual, changed := make([]float64, len(v)), make([]float64, len(v))
	m.residual(residual)
	jacobian := make([]float64, len(v)*len(v))
	for b, x := range v {
		m.set(b, x*portable.Exp(perturbation))
		m.residual(changed)
		m.set(b, x)
		for i := range changed {
			jacobian[i*len(v)+b] = (changed[i] - residual[i]) / perturbation
		}
	}
	var ok bool
	if c.newton, ok = numeric.NewLU(jacobian, len(v)); !ok {
		return nil, errors.New("the coarse problem is singular")
	}
	if condition := c.newton.Condition(); condition > 1e12 {
		return nil, fmt.Errorf("the coarse problem is singular, condition %v", condition)
	}
	return residual, nil
}

// step returns -J^(-1) residual.
func (c *coarse) step(residual []float64) []float64 {
	change := c.newton.Solve(residual)
	for i, x := range change {
		change[i] = -x
	}
	return change
}

// solve returns the multipliers of the blocks, by Newton's method in their
// logarithms, with steps of at most a factor e.
func (c *coarse) solve() ([]float64, error) {
	const tolerance, most = 1e-4, 50
	v := slices.Repeat([]float64{1 + portable.Log(float64(c.n))}, c.blocks())
	for range most {
		residual, err := c.linearize(v)
		if err != nil {
			return nil, err
		}
		change := c.step(residual)
		largest := numeric.LargestOf(change)
		kernel.Scale(change, min(1, 1/largest), change)
		for b := range v {
			v[b] *= portable.Exp(change[b])
		}
		if largest < tolerance {
			return v, nil
		}
	}
	return nil, fmt.Errorf("the coarse problem of %d blocks is not solved in %d steps", c.blocks(), most)
}

// spread writes to dst (len n) the smooth function that has the values v at the
// middles.
func (c *coarse) spread(dst, v []float64) {
	if len(v) < 2 {
		for i := range dst {
			dst[i] = v[0]
		}
		return
	}
	smooth := numeric.NewSpline(c.position, v)
	for i := range dst {
		dst[i] = smooth.Predict(c.odds(i))
	}
}

// restrict writes the means of x (len n) over the blocks to dst.
func (c *coarse) restrict(dst, x []float64) {
	for b := range dst {
		part := x[c.begin[b]:c.begin[b+1]]
		dst[b] = kernel.Sum(part) / float64(len(part))
	}
}

// precondition replaces the residual log(d/v), of len n, by a step of log v. The part that the
// blocks can see moves by Newton's method. The rest moves rest times as far as the residual,
// for the diagonal hardly answers to fast variations.
func (c *coarse) precondition(residual []float64) {
	means := make([]float64, c.blocks())
	c.restrict(means, residual)
	change := c.step(means)
	for b := range means {
		change[b] -= float64(rest * means[b])
	}
	smooth := make([]float64, len(residual))
	c.spread(smooth, change)
	for i := range residual {
		residual[i] = float64(rest*residual[i]) + smooth[i]
	}
}
