package mirror

import (
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// Sums of squares between these bounds neither overflowed nor lost digits to
// underflow; outside them norms are computed by the slower portable.Hypot.
const (
	smallSquare = 1e-280
	largeSquare = 1e280
)

// norm2 is ||x||_2, also where the squares overflow or underflow.
func norm2(x []float64) float64 {
	sum := kernel.SquaredNorm(x)
	if sum > smallSquare && sum < largeSquare {
		return math.Sqrt(sum)
	}
	var norm float64
	for _, v := range x {
		norm = portable.Hypot(norm, v)
	}
	return norm
}

// distance2 is ||x - y||_2, also where the squares overflow or underflow.
func distance2(x, y []float64) float64 {
	sum := kernel.SquaredDistance(x, y)
	if sum > smallSquare && sum < largeSquare {
		return math.Sqrt(sum)
	}
	var norm float64
	for k, v := range x {
		norm = portable.Hypot(norm, v-y[k])
	}
	return norm
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkFinite returns an error that names the first entry of x that is NaN or
// infinite.
func checkFinite(name string, x []float64) error {
	if kernel.AllFinite(x) {
		return nil
	}
	for k, v := range x {
		if !isFinite(v) {
			return fmt.Errorf("%s[%d] is %v, want a finite number", name, k, v)
		}
	}
	return nil
}

// checkDim validates the dimension of a set.
func checkDim(kind string, dim int) error {
	if dim < 1 {
		return option.Errorf("dimension", "%s: dim is %d, want at least 1", kind, dim)
	}
	return nil
}

// ballCenter validates the dimension, radius and centre of a ball and returns
// a copy of the centre; nil stands for the origin.
func ballCenter(kind string, dim int, radius float64, center []float64) ([]float64, error) {
	if err := checkDim(kind, dim); err != nil {
		return nil, err
	}
	if !(radius > 0) || math.IsInf(radius, 1) {
		return nil, option.Errorf("radius", "%s: radius is %v, want a positive finite number", kind, radius)
	}
	own := make([]float64, dim)
	if center == nil {
		return own, nil
	}
	if len(center) != dim {
		return nil, option.Errorf("center", "%s: center has %d entries, want dim = %d", kind, len(center), dim)
	}
	if err := checkFinite("center", center); err != nil {
		return nil, option.Errorf("center", "%s: %v", kind, err)
	}
	copy(own, center)
	return own, nil
}

// violation turns an excess over a constraint into the result of Set.Violation.
func violation(excess float64) float64 {
	if math.IsNaN(excess) {
		return math.Inf(1)
	}
	return max(0, excess)
}

// smallScratch is the largest number of numbers that a distance from a small set needs: those
// are not allocated, because the check of a file takes millions of distances.
const smallScratch = 16

// scratch is space for a projection and its work, of small where that is enough.
func scratch(small []float64, dim, work int) (nearest, rest []float64) {
	if dim+work > len(small) {
		small = make([]float64, dim+work)
	}
	return small[:dim:dim], small[dim : dim+work]
}
