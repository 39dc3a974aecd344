package factorization

import (
	"iter"
	"slices"
)

// rootSeries returns the first n coefficients h of (1-x)^(-1/2), the first column
// of A^(1/2): h(0) = 1, h(j) = (1 - 1/(2j)) h(j-1).
func rootSeries(n int) []float64 {
	h := make([]float64, n)
	h[0] = 1
	for j := 1; j < n; j++ {
		h[j] = h[j-1] * (1 - 1/float64(2*j))
	}
	return h
}

// buildToeplitz fills in B = C = A^(1/2). Sensitivity and row norms are the exact sums (the
// bound of the former that is printed beside it, v2, (8), is too small for every n); the
// stream's are equal to them up to an error of the size of rounding.
func (f *Factorization) buildToeplitz() {
	h := rootSeries(f.n)
	f.sensitivity = norm(h)
	f.spread = columns{f.n, func() iter.Seq[float64] { return slices.Values(h) }}
	f.rows = runningSums(h)
	f.law = rootModes(f.n)
}

// goal is the goal that coefficients are fitted to, for a record that takes part so often.
func (p Participation) goal(n int) *goal {
	return &goal{N: n, Times: p.Within(n).Times, Apart: p.Apart}
}

// buildBanded fills in C = T(h(0), .., h(bands-1)), or the fitted coefficients, and B = A
// C^(-1).
func (f *Factorization) buildBanded(o Options, w *watcher) {
	c := rootSeries(o.Bands)
	if o.Fit.Times > 0 {
		c = o.Fit.goal(f.n).Banded(o.Bands, w.Fit())
	}
	f.sensitivity = norm(c)
	f.spread = columns{f.n, func() iter.Seq[float64] { return padded(c, f.n) }}
	f.law = banded{slices.Clone(c[1:])}
	f.rows = f.responses()
}

// padded yields c, and zeros up to n numbers.
func padded(c []float64, n int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for j := range n {
			x := 0.0
			if j < len(c) {
				x = c[j]
			}
			if !yield(x) {
				return
			}
		}
	}
}

// responses yields the squared row norms of B for a law of increments T(c) Z with one draw a
// step: row t of B has as entries the sums of c_0..c_j, j <= t, and c is the law's response to
// a unit impulse.
func (f *Factorization) responses() func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		stream := Stream{n: f.n, d: 1, state: make([]float64, f.law.memory()), sampler: f.law.sampler()}
		impulse := impulse{}
		var increment [1]float64
		response, sum := 0.0, 0.0
		for range f.n {
			stream.next(increment[:], &impulse)
			response += increment[0]
			sum += float64(response * response)
			if !yield(sum) {
				return
			}
		}
	}
}

// impulse is 1 at the first draw and 0 after it.
type impulse struct{ over bool }

// FillNormal implements Normals. A law that draws an impulse answers with the
// coefficients of its increments.
func (p *impulse) FillNormal(dst []float64) {
	clear(dst)
	if len(dst) > 0 && !p.over {
		p.over, dst[0] = true, 1
	}
}

// banded is the law of increments y = C^(-1) Z for a banded C with ones on the
// diagonal: y_t = z_t - sum_{j=1}^{bands-1} c_j y_{t-j}. The state is a ring of
// the last bands-1 increments; row t mod (bands-1) is the oldest.
type banded struct{ below []float64 } // c_1, c_2, ..

// memory and sampler implement law.
func (b banded) memory() int      { return len(b.below) }
func (b banded) sampler() sampler { return b }

// next implements sampler. The new increment takes the place of the oldest.
func (b banded) next(dst, state []float64, t int, z Normals) {
	z.FillNormal(dst)
	d, ring := len(dst), len(b.below)
	if ring == 0 {
		return
	}
	row := func(j int) []float64 { // y_{t-1-j}
		begin := ((t-1-j)%ring + ring) % ring * d
		return state[begin : begin+d]
	}
	j := 0
	// Four rows at once: each pass over dst costs a load and a store. The brackets fix
	// the order of the sum, and so its bits.
	for ; j+4 <= ring; j += 4 {
		c0, c1, c2, c3 := b.below[j], b.below[j+1], b.below[j+2], b.below[j+3]
		y0, y1, y2, y3 := row(j), row(j+1), row(j+2), row(j+3)
		for i := range dst {
			dst[i] -= (float64(c0*y0[i]) + float64(c1*y1[i])) + (float64(c2*y2[i]) + float64(c3*y3[i]))
		}
	}
	for ; j < ring; j++ {
		c := b.below[j]
		for i, y := range row(j) {
			dst[i] -= float64(c * y)
		}
	}
	copy(state[t%ring*d:], dst)
}
