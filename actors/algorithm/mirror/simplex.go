package mirror

import (
	"math"

	"starling/mechanisms/portable"
)

// Simplex is the probability simplex {x : x_k >= 0, sum_k x_k = 1}.
type Simplex struct {
	dim int
}

var _ Set = (*Simplex)(nil)

// NewSimplex returns the probability simplex in R^dim, dim at least 1.
func NewSimplex(dim int) (*Simplex, error) {
	if err := checkDim("simplex", dim); err != nil {
		return nil, err
	}
	return &Simplex{dim: dim}, nil
}

// Kind implements Set.
func (s *Simplex) Kind() string { return KindSimplex }

// Dim implements Set.
func (s *Simplex) Dim() int { return s.dim }

// simplexSlack is the amount, per entry, by which the sum of a probability vector may miss 1
// and still count as inside: one unit in the last place of 1.
const simplexSlack = 0x1p-52

// Violation is the larger of |sum_k x_k - 1| and the largest -x_k. It is 0
// where the sum misses 1 by rounding only, at most d 2^-52.
func (s *Simplex) Violation(x []float64) float64 {
	var sum, largest float64
	for _, v := range x {
		sum += v
		largest = max(largest, violation(-v))
	}
	excess := math.Abs(sum - 1)
	if excess <= simplexSlack*float64(s.dim) {
		excess = 0
	}
	return max(largest, violation(excess))
}

// WorkSize is d.
func (s *Simplex) WorkSize() int { return s.dim }

// Project implements Set (Duchi et al. 2008, figure 1). A point of Violation 0
// is left as it is.
func (s *Simplex) Project(dst, y, work []float64) {
	if s.Violation(y) == 0 {
		copy(dst, y)
		return
	}
	sorted := work[:s.dim]
	copy(sorted, y)
	largest, threshold := simplexThreshold(sorted, 1)
	for k, v := range y {
		dst[k] = max(0, (v-largest)-threshold)
	}
}

// Support is -min_k g_k.
func (s *Simplex) Support(g []float64) float64 { return -g[smallestEntry(g)] }

// Maximizer writes the vertex e_k with k the first index of the smallest g_k.
func (s *Simplex) Maximizer(dst, g []float64) {
	smallest := smallestEntry(g)
	for k := range dst {
		dst[k] = 0
	}
	dst[smallest] = 1
}

// smallestEntry is the first index of the smallest entry.
func smallestEntry(g []float64) int {
	first := 0
	for k, v := range g {
		if v < g[first] {
			first = k
		}
	}
	return first
}

// Diameter is sqrt(2), the distance of two vertices; 0 if d = 1.
func (s *Simplex) Diameter() float64 {
	if s.dim == 1 {
		return 0
	}
	return math.Sqrt2
}

// MaxDistance implements Set. A convex function is largest at a vertex: e_k of
// the smallest s_k, as ||s - e_k||^2 = ||s||^2 - 2 s_k + 1.
func (s *Simplex) MaxDistance(point []float64) float64 {
	smallest := smallestEntry(point)
	var norm float64
	for k, v := range point {
		if k == smallest {
			v--
		}
		norm = portable.Hypot(norm, v)
	}
	return norm
}

// MinDistance implements Set.
func (s *Simplex) MinDistance(point []float64) float64 {
	var small [smallScratch]float64
	nearest, work := scratch(small[:], s.Dim(), s.WorkSize())
	s.Project(nearest, point, work)
	return distance2(point, nearest)
}

// Center writes the uniform distribution.
func (s *Simplex) Center(dst []float64) {
	for k := range dst {
		dst[k] = 1 / float64(s.dim)
	}
}
