package factorization

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// blt is the law of increments y = C^(-1) Z, C the lower-triangular Toeplitz
// matrix with coefficients 1 and sum_k scale[k] decay[k]^(j-1), j >= 1: y_t = z_t -
// sum_k scale[k] s_k, then s_k = decay[k] s_k + y_t (Dvijotham et al. 2024). The
// state is the buffers s_k.
type blt struct{ scale, decay []float64 }

// memory and sampler implement law. A blt has no scratch, and streams share it.
func (b blt) memory() int      { return len(b.decay) }
func (b blt) sampler() sampler { return b }

// next implements sampler. All buffers enter the new increment before any of them takes it
// in.
func (b blt) next(dst, state []float64, _ int, z Normals) {
	z.FillNormal(dst)
	d := len(dst)
	for k, scale := range b.scale {
		for i, s := range state[k*d : k*d+d] {
			dst[i] -= float64(scale * s)
		}
	}
	for k, decay := range b.decay {
		buffer := state[k*d : k*d+d]
		for i, y := range dst {
			buffer[i] = float64(decay*buffer[i]) + y
		}
	}
}

// rootBLT returns the blt with a generating function that is, up to a factor, the rational
// approximation of (1-x)^(-1/2) with the given number of poles that is best for 1-x in [low,
// high]: w/(1 - x + s) is a geometric sequence with decay 1/(1+s). The coefficients are scaled
// so that the coefficients of C begin with 1; the common factor is left to the calibration.
func rootBLT(low, high float64, buffers int) blt {
	r, _ := numeric.InverseRoot(low, high, buffers)
	b := blt{scale: make([]float64, buffers), decay: make([]float64, buffers)}
	first := 0.0
	for k, s := range r.Poles {
		b.decay[k] = 1 / (1 + s)
		b.scale[k] = r.Weights[k] * b.decay[k]
		first += b.scale[k]
	}
	for k := range b.scale {
		b.scale[k] *= b.decay[k] / first
	}
	return b
}

// sensitivity is the norm of the first column of C, from the sums of products of geometric
// sequences. It takes O(buffers^2) time for any n.
func (b blt) sensitivity(n int) float64 {
	sum := 1.0
	for k, a := range b.scale {
		for l, c := range b.scale {
			sum += float64(a * c * geometric(b.decay[k]*b.decay[l], n-1))
		}
	}
	return math.Sqrt(sum)
}

// columns are the first n coefficients of C.
func (b blt) columns(n int) func() iter.Seq[float64] {
	return func() iter.Seq[float64] { return b.coefficients(n) }
}

// coefficients yields the first n coefficients of C.
func (b blt) coefficients(n int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		terms := slices.Clone(b.scale)
		for j := range n {
			c := 1.0
			if j > 0 {
				c = 0
				for k, decay := range b.decay {
					c += terms[k]
					terms[k] *= decay
				}
			}
			if !yield(c) {
				return
			}
		}
	}
}

// geometric returns 1 + x + .. + x^(count-1) for 0 <= x <= 1: a decay may round to 1.
func geometric(x float64, count int) float64 {
	switch x {
	case 0:
		return min(1, float64(count))
	case 1:
		return float64(count)
	}
	return portable.Expm1(float64(count)*portable.Log(x)) / (x - 1)
}

// buildBLT fills in the blt of the interval [low, high] that gives the least MSE. Near 1-x =
// 1/n and at the other end of the unit circle, 1-x = 2, the interval of an approximation that
// is good for the first n coefficients has its ends; the search finds how near. Where the
// coefficients are to be fitted, this is the start.
func (f *Factorization) buildBLT(o Options, w *watcher) error {
	n, buffers := float64(f.n), o.Buffers
	candidate := func(x []float64) blt {
		low := float64(2 / (1 + n) * portable.Exp(x[0]))
		return rootBLT(low, low+float64(4*portable.Exp(x[1])), buffers)
	}
	set := func(b blt) {
		f.law = b
		f.sensitivity = b.sensitivity(f.n)
		f.spread = columns{f.n, b.columns(f.n)}
		f.rows = f.responses()
	}
	// The cost is the logarithm of n mse. Steps beyond e^20 are off the scale, where the
	// search must not wander.
	cost := func(x []float64) float64 {
		if numeric.LargestOf(x) > 20 || w.Err() != nil {
			return math.Inf(1)
		}
		set(candidate(x))
		total := 0.0
		for row := range f.rows {
			total += row
		}
		w.Step(Progress{Doing: "choice of an interval", MSE: total / n * f.sensitivity * f.sensitivity})
		return portable.Log(total) + 2*portable.Log(f.sensitivity)
	}
	// The starting points span e^-4 to e^4 times the natural lower end and e^-2 to e^2
	// times the natural length.
	best, err := numeric.Minimize(cost, []float64{-4, -2, 0, 2, 4}, []float64{-2, 0, 2}, 0.5)
	if err != nil {
		return fmt.Errorf("searching the interval of %d buffers: %w", buffers, err)
	}
	chosen := candidate(best)
	if o.Fit.Times > 0 {
		chosen.scale, chosen.decay = o.Fit.goal(f.n).Buffers(chosen.scale, chosen.decay, w.Fit())
	}
	set(chosen)
	return nil
}
