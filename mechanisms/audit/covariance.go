package audit

import (
	"fmt"
	"math"

	"starling/mechanisms/factorization"
	"starling/mechanisms/kernel"
	"starling/mechanisms/linear"
)

// Separator tells two inputs of a stream of prefix sums apart by the released
// increments. The noise increments of a factorization's Stream have a covariance
// K, for unit noise; increments whose means differ by h are separated by
// h'K^(-1)h, and no statistic does better than h'K^(-1) times the increments
// (Neyman, Pearson). As K^(-1) = C'C where C is square, h = e_t is separated by
// the squared length of column t of C; a release of less than all of C G + Z is
// separated by less.
type Separator struct {
	n       int
	inverse []float64 // K^(-1), n x n
	whiten  []float64 // the inverse of K's Cholesky factor, lower, n x n
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
	factor, ok := linear.NewCholesky(covariance, n, 0)
	if !ok {
		return nil, fmt.Errorf("audit: the increments of factorization %s of %d steps have a singular covariance", f.Kind(), n)
	}
	s := &Separator{n, make([]float64, n*n), factor.Inverse()}
	for k := range n { // the rows of L^-1, each times its transpose
		row := s.whiten[k*n:][:k+1]
		for i, x := range row {
			kernel.Axpy(s.inverse[i*n:][:k+1], x, row)
		}
	}
	return s, nil
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

// Worst returns the input that is separated the most, and by how much: the square root
// of h'K^(-1)h for its unit vector h. Of a record that takes part in several inputs it is
// the first of those that are as near as they may be, which h is 1 at.
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

// response returns the increments of a stream in which the normal number of one
// draw is 1 and all others are 0, and how many draws it takes.
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
