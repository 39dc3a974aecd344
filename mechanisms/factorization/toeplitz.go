package factorization

import (
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
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

// buildToeplitz fills in B = C = A^(1/2). The sensitivity is the exact sum: the
// bound that is printed beside it (v2, (8)) is too small for every n.
func (f *Factorization) buildToeplitz() {
	h := rootSeries(f.n)
	f.sensitivity = norm(h)
	f.rows = runningSums(h)
	// Increments are A^(-1) B Z: the coefficients of (1-x)^(1/2), which are
	// -h(j)/(2j-1).
	increments := make([]float64, f.n)
	for j := range increments {
		increments[j] = -h[j] / float64(2*j-1)
	}
	f.law = newConvolution(increments)
}

// convolution is the law of increments T(c) Z with T(c) the lower-triangular
// Toeplitz matrix with first column c. The noise does not depend on data, so
// all of Z is drawn at step 0 and convolved at once: O(log n) amortised for a
// step and coordinate, and n floats.
type convolution struct {
	n, size  int
	spectrum []complex128 // of c, padded to size, divided by size
}

func newConvolution(c []float64) *convolution {
	v := &convolution{n: len(c), size: smoothSize(2*len(c) - 1)}
	padded := make([]float64, v.size)
	copy(padded, c)
	v.spectrum = fourier.NewFFT(v.size).Coefficients(nil, padded)
	for i := range v.spectrum {
		v.spectrum[i] /= complex(float64(v.size), 0)
	}
	return v
}

// smoothSize returns the smallest number >= n without prime factors above 5,
// for which the transform is fast.
func smoothSize(n int) int {
	for ; ; n++ {
		rest := n
		for _, p := range []int{2, 3, 5} {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			return n
		}
	}
}

func (v *convolution) memory() int { return v.n }

func (v *convolution) sampler(int) sampler {
	return &convolutionSampler{
		convolution: v,
		transform:   fourier.NewFFT(v.size),
		sequence:    make([]float64, v.size),
		frequencies: make([]complex128, len(v.spectrum)),
	}
}

// convolutionSampler has the scratch of step 0, which is dropped after it: about
// 6 n floats.
type convolutionSampler struct {
	*convolution
	transform   *fourier.FFT
	sequence    []float64
	frequencies []complex128
}

// next keeps in state the increments of coordinate i at [n*i, n*i+n).
func (s *convolutionSampler) next(dst, state []float64, t int, z normals) {
	if t == 0 {
		for i := range dst {
			s.draw(state[s.n*i:s.n*i+s.n], z)
		}
	}
	s.transform, s.sequence, s.frequencies = nil, nil, nil
	for i := range dst {
		dst[i] = state[s.n*i+t]
	}
}

// draw writes all the increments of a coordinate.
func (s *convolutionSampler) draw(increments []float64, z normals) {
	for j := range increments {
		s.sequence[j] = z.NormFloat64()
	}
	clear(s.sequence[s.n:])
	s.transform.Coefficients(s.frequencies, s.sequence)
	for k, c := range s.spectrum {
		s.frequencies[k] *= c
	}
	s.transform.Sequence(s.sequence, s.frequencies)
	copy(increments, s.sequence)
}

// buildBanded fills in C = T(h(0), .., h(bands-1)), B = A C^(-1).
func (f *Factorization) buildBanded(bands int) {
	c := rootSeries(bands)
	f.sensitivity = norm(c)
	f.law = banded{slices.Clone(c[1:])}
	f.rows = f.responses()
}

// responses yields the squared row norms of B for a law whose increments are
// T(c) Z with one draw a step: row t of B has as entries the sums of c_0..c_j,
// j <= t, and c is what the law answers to a unit impulse.
func (f *Factorization) responses() func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		stream := Stream{n: f.n, d: 1, state: make([]float64, f.law.memory()), sampler: f.law.sampler(1)}
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

func (p *impulse) NormFloat64() float64 {
	if p.over {
		return 0
	}
	p.over = true
	return 1
}

// banded is the law of increments y = C^(-1) Z for a banded C with ones on the
// diagonal: y_t = z_t - sum_{j=1}^{bands-1} c_j y_{t-j}. The state is a ring of
// the last bands-1 increments; row t mod (bands-1) is the oldest.
type banded struct{ below []float64 } // c_1, c_2, ..

func (b banded) memory() int         { return len(b.below) }
func (b banded) sampler(int) sampler { return b }

func (b banded) next(dst, state []float64, t int, z normals) {
	for i := range dst {
		dst[i] = z.NormFloat64()
	}
	d, ring := len(dst), len(b.below)
	if ring == 0 {
		return
	}
	for j, c := range b.below {
		row := ((t-1-j)%ring + ring) % ring
		for i, y := range state[row*d : row*d+d] {
			dst[i] -= float64(c * y)
		}
	}
	copy(state[t%ring*d:], dst)
}
