package mirror

import (
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/portable"
)

// Box is the set {x : lo_k <= x_k <= hi_k for every k}.
type Box struct {
	lower, upper []float64
}

var _ Set = (*Box)(nil)

// NewBox returns the box with the given bounds per coordinate, both of len
// d >= 1 and copied. A coordinate may be fixed by equal bounds.
func NewBox(lower, upper []float64) (*Box, error) {
	if err := checkDim("box", len(lower)); err != nil {
		return nil, err
	}
	if len(upper) != len(lower) {
		return nil, option.Errorf("upper", "box: upper has %d entries, lower has %d", len(upper), len(lower))
	}
	if err := checkFinite("lower", lower); err != nil {
		return nil, option.Errorf("lower", "box: %v", err)
	}
	if err := checkFinite("upper", upper); err != nil {
		return nil, option.Errorf("upper", "box: %v", err)
	}
	for k := range lower {
		if lower[k] > upper[k] {
			return nil, option.Errorf(fmt.Sprintf("lower[%d]", k), "box: lower[%d] is %v, above upper[%d] = %v", k, lower[k], k, upper[k])
		}
	}
	return &Box{lower: append([]float64(nil), lower...), upper: append([]float64(nil), upper...)}, nil
}

// Kind implements Set.
func (b *Box) Kind() string { return KindBox }

// Dim implements Set.
func (b *Box) Dim() int { return len(b.lower) }

// Violation is the largest excess over a bound, max_k max(0, lo_k - x_k, x_k - hi_k).
func (b *Box) Violation(x []float64) float64 {
	var largest float64
	for k, v := range x {
		largest = max(largest, violation(max(b.lower[k]-v, v-b.upper[k])))
	}
	return largest
}

// WorkSize is 0.
func (b *Box) WorkSize() int { return 0 }

// Project implements Set.
func (b *Box) Project(dst, y, _ []float64) {
	for k, v := range y {
		dst[k] = min(max(v, b.lower[k]), b.upper[k])
	}
}

// Support is sum_k max(-lo_k g_k, -hi_k g_k).
func (b *Box) Support(g []float64) float64 {
	var sum float64
	for k, v := range g {
		sum += max(-b.lower[k]*v, -b.upper[k]*v)
	}
	return sum
}

// Maximizer writes lo_k where g_k >= 0 and hi_k where g_k < 0.
func (b *Box) Maximizer(dst, g []float64) {
	for k, v := range g {
		if v < 0 {
			dst[k] = b.upper[k]
		} else {
			dst[k] = b.lower[k]
		}
	}
}

// Diameter is ||hi - lo||_2.
func (b *Box) Diameter() float64 { return distance2(b.upper, b.lower) }

// MaxDistance implements Set: the farther bound of every coordinate.
func (b *Box) MaxDistance(s []float64) float64 {
	var norm float64
	for k, v := range s {
		norm = portable.Hypot(norm, max(math.Abs(v-b.lower[k]), math.Abs(v-b.upper[k])))
	}
	return norm
}

// MinDistance implements Set.
func (b *Box) MinDistance(s []float64) float64 {
	var small [smallScratch]float64
	nearest, work := scratch(small[:], b.Dim(), b.WorkSize())
	b.Project(nearest, s, work)
	return distance2(s, nearest)
}

// Center implements Set.
func (b *Box) Center(dst []float64) {
	for k := range dst {
		dst[k] = float64(b.lower[k]/2) + float64(b.upper[k]/2)
	}
}
