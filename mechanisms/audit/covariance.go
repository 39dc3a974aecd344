package audit

import (
	"fmt"
	"math"

	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
)

// Separator tells two inputs of a stream of prefix sums apart by the released increments. The
// noise increments of a factorization's Stream have a covariance K, for unit noise; increments
// with means that differ by h are separated by h'K^(-1)h, and no statistic does better than
// h'K^(-1) times the increments (Neyman, Pearson). As K^(-1) = C'C where C is square, h = e_t
// is separated by the squared length of column t of C; a release of less than all of C G + Z
// is separated by less.
type Separator struct {
	n          int
	covariance []float64 // K, n x n, lower
	inverse    []float64 // K^(-1), n x n
	whiten     []float64 // the inverse of K's Cholesky factor, lower, n x n
	// independent means that K is diagonal: increments are independent of each other.
	independent bool
}

// mostSeparated is the largest n of a Separator, which takes O(n^3).
const mostSeparated = 512

// NewSeparator measures K on the streams that the factorization itself draws.
func NewSeparator(f *factorization.Factorization) (*Separator, error) {
	if f.N() > mostSeparated {
		return nil, fmt.Errorf("audit: factorization of %d steps; want at most %d", f.N(), mostSeparated)
	}
	_, drawn, err := response(f, -1)
	if err != nil {
		return nil, err
	}
	// The stream is linear in its normal numbers. Its response to each of them, one at a
	// time, is a column of a matrix B with K = B B'. Nothing about the factorization's
	// formulas is used: the code that runs is measured.
	n := f.N()
	responses := make([]float64, n*drawn)
	for k := range drawn {
		increments, _, err := response(f, k)
		if err != nil {
			return nil, err
		}
		for i, v := range increments {
			responses[i*drawn+k] = v
		}
	}
	covariance := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			covariance[i*n+j] = kernel.Dot(responses[i*drawn:][:drawn], responses[j*drawn:][:drawn])
		}
	}
	s, ok := separatorOf(covariance, n)
	if !ok {
		return nil, fmt.Errorf("audit: the increments of factorization %s of %d steps have a singular covariance", f.Kind(), n)
	}
	s.independent = f.MemoryPerCoordinate() == 0
	return s, nil
}

// separatorOf is the Separator of increments with a covariance, n x n, of which the lower
// triangle counts; false where it is singular.
func separatorOf(covariance []float64, n int) (*Separator, bool) {
	factor, ok := numeric.NewCholesky(covariance, n, 0)
	if !ok {
		return nil, false
	}
	s := &Separator{n: n, covariance: covariance, inverse: make([]float64, n*n), whiten: factor.Inverse()}
	for k := range n { // the rows of L^-1, each times its transpose
		row := s.whiten[k*n:][:k+1]
		for i, x := range row {
			kernel.Axpy(s.inverse[i*n:][:k+1], x, row)
		}
	}
	return s, true
}

// Of is the Separator of the releases of some inputs, ascending and at least one, where all
// others are zero and not released: their noise is as factorization.Stream.NextAt draws it,
// a row for each of the inputs.
func (s *Separator) Of(inputs []int) *Separator {
	m := len(inputs)
	covariance := make([]float64, m*m)
	of := func(i, j int) float64 { return s.covariance[max(i, j)*s.n+min(i, j)] }
	for a, last := range inputs {
		for b, end := range inputs[:a+1] {
			for i := s.since(inputs, a); i <= last; i++ {
				for j := s.since(inputs, b); j <= end; j++ {
					covariance[a*m+b] += of(i, j)
				}
			}
		}
	}
	restricted, ok := separatorOf(covariance, m)
	if !ok { // sums of disjoint sets of increments with a covariance that is not singular
		panic("audit: the covariance of sums of increments is singular")
	}
	restricted.independent = s.independent
	return restricted
}

// since is the first increment that is in the release of input a of those released.
func (s *Separator) since(inputs []int, a int) int {
	switch {
	case s.independent:
		return inputs[a]
	case a == 0:
		return 0
	}
	return inputs[a-1] + 1
}

// Separation is the root of h'K^(-1)h, the separation of increments with means that differ by
// h, len n.
func (s *Separator) Separation(h []float64) float64 {
	square := 0.0
	for i, x := range h {
		if x != 0 {
			square += float64(x * kernel.Dot(s.inverse[i*s.n:][:s.n], h))
		}
	}
	return math.Sqrt(max(0, square))
}

// Whiten multiplies rows, at most n and equally long, from the left by the inverse of
// the Cholesky factor of K: noise increments in the order in which they are drawn
// become independent numbers of variance 1.
func (s *Separator) Whiten(rows [][]float64) {
	for i := len(rows) - 1; i >= 0; i-- { // rows before i are still as they were
		for k := range rows[i] {
			var sum float64
			for j := range i + 1 {
				sum += float64(s.whiten[i*s.n+j] * rows[j][k])
			}
			rows[i][k] = sum
		}
	}
}

// Worst returns the input that is separated the most, and its separation: the square root of
// h'K^(-1)h for its unit vector h. For a record that takes part in several inputs, h is 1 at
// inputs as near to each other as they may be, and Worst returns the first of them.
func (s *Separator) Worst(p factorization.Participation) (input int, separation float64) {
	n := s.n
	for first := range n {
		square := 0.0
		for i := range p.Times {
			for j := range p.Times {
				if at, other := first+i*p.Apart, first+j*p.Apart; at < n && other < n {
					square += s.inverse[at*n+other]
				}
			}
		}
		if square > separation*separation {
			input, separation = first, math.Sqrt(square)
		}
	}
	return input, separation
}

// Statistic is row input of K^(-1) times the increments, len n.
func (s *Separator) Statistic(input int, increments []float64) (sum float64) {
	for t, v := range increments {
		sum += float64(s.inverse[input*s.n+t] * v)
	}
	return sum
}

// impulse has normal numbers that are all 0 but for one, which is 1.
type impulse struct{ drawn, at int }

// FillNormal implements factorization.Normals.
func (p *impulse) FillNormal(dst []float64) {
	clear(dst)
	if k := p.at - p.drawn; k >= 0 && k < len(dst) {
		dst[k] = 1
	}
	p.drawn += len(dst)
}

// response returns the increments of a stream in which the normal number of one draw is 1 and
// all others are 0, and the number of draws that it takes.
func response(f *factorization.Factorization, at int) (increments []float64, drawn int, err error) {
	stream, err := f.Stream(1)
	if err != nil {
		return nil, 0, err
	}
	numbers, row := &impulse{at: at}, make([]float64, 1)
	for range f.N() {
		if err := stream.Next(row, numbers); err != nil {
			return nil, 0, err
		}
		increments = append(increments, row[0])
	}
	return increments, numbers.drawn, nil
}
