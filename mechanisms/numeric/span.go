package numeric

import (
	"math"

	"starling/mechanisms/kernel"
)

// Span is the space that vectors of one length span, as an orthonormal basis that grows
// with them.
type Span struct {
	basis [][]float64
	work  []float64
}

// A vector lies outside of a span if its residual after projection, relative to its length, is
// at least spanOutside, and inside if it is at most spanInside. The rounding of two
// subtractions of all projections leaves 1e-15 about, and of a direction of 1e-9 it changes a
// part in 1e6.
const (
	spanOutside = 1e-9
	spanInside  = 1e-13
)

// SpanError bounds the rounding error of Share.
const SpanError = 1e-5

// Add adds a vector, which it does not change, all of one length n. It is false, and the span
// unchanged, where rounding hides whether the vector lies in it: the residual is too short for
// a direction, and too long for an error of rounding.
func (s *Span) Add(x []float64) bool {
	length := math.Sqrt(kernel.Dot(x, x))
	if length == 0 || len(s.basis) == len(x) {
		return true
	}
	rest := append(s.work[:0], x...)
	s.work = rest
	for range 2 { // once more, for the rounding of the first time
		for _, b := range s.basis {
			along := kernel.Dot(rest, b)
			for k, v := range b {
				rest[k] -= float64(along * v)
			}
		}
	}
	left := math.Sqrt(kernel.Dot(rest, rest))
	switch {
	case left <= spanInside*length:
		return true
	case left < spanOutside*length:
		return false
	}
	for k := range rest {
		rest[k] /= left
	}
	s.basis = append(s.basis, rest)
	s.work = nil
	return true
}

// Dim is the dimension of the span.
func (s *Span) Dim() int { return len(s.basis) }

// Share is the squared length of the projection of the k-th unit vector onto the span, between
// 0 and 1, within SpanError. An observer sees the products of all coordinates with the vectors
// of the span, where each coordinate has noise of its own, all of the same size: Share is the
// share of coordinate k that it learns.
func (s *Span) Share(k int) (share float64) {
	for _, b := range s.basis {
		share += float64(b[k] * b[k])
	}
	return min(1, share)
}
