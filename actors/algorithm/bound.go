package algorithm

import "math"

// boundSlack allows for the rounding of a gradient whose length is the bound.
const boundSlack = 1e-9

// WithinBound returns the 2-norm of a gradient, and whether it is at most bound, up to
// rounding. A gradient with an entry that is no number is within none.
func WithinBound(gradient []float64, bound float64) (length float64, ok bool) {
	var square float64
	for _, v := range gradient {
		square += float64(v * v)
	}
	length = math.Sqrt(square)
	return length, length <= bound*(1+boundSlack)
}
