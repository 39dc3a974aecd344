package mirror

import (
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// L1Ball is the set {x : ||x - c||_1 <= r}, the decision set of the printed
// experiment of DPDO-NC (c = 0, r = 3).
type L1Ball struct {
	center []float64
	radius float64
}

var _ Set = (*L1Ball)(nil)

// NewL1Ball returns the l1 ball of the given dimension (at least 1) and radius
// (positive, finite) about center (len dim, copied; nil is the origin).
func NewL1Ball(dim int, radius float64, center []float64) (*L1Ball, error) {
	own, err := ballCenter("l1-ball", dim, radius, center)
	if err != nil {
		return nil, err
	}
	return &L1Ball{center: own, radius: radius}, nil
}

// Kind implements Set.
func (b *L1Ball) Kind() string { return KindL1Ball }

// Dim implements Set.
func (b *L1Ball) Dim() int { return len(b.center) }

// Radius is r.
func (b *L1Ball) Radius() float64 { return b.radius }

// Violation is max(0, ||x - c||_1 - r).
func (b *L1Ball) Violation(x []float64) float64 {
	return violation(kernel.Distance1(x, b.center) - b.radius)
}

// WorkSize is d.
func (b *L1Ball) WorkSize() int { return len(b.center) }

// Project implements Set: outside the ball, |y - c| is projected on the
// simplex of size r and gets its signs back (Duchi et al. 2008, section 4).
func (b *L1Ball) Project(dst, y, work []float64) {
	if kernel.Distance1(y, b.center) <= b.radius {
		copy(dst, y)
		return
	}
	sorted := work[:len(b.center)]
	for k, v := range y {
		sorted[k] = math.Abs(v - b.center[k])
	}
	largest, threshold := simplexThreshold(sorted, b.radius)
	for k, v := range y {
		difference := v - b.center[k]
		size := max(0, (math.Abs(difference)-largest)-threshold)
		dst[k] = b.center[k] + math.Copysign(size, difference)
	}
}

// simplexThreshold returns the largest entry of v and the threshold tau with
// sum_k max(0, (v_k - largest) - tau) = size, by sorting (Duchi et al. 2008,
// figure 1). Entries count from the largest one because only those within size
// of it are in the support: tau, in [-size, 0], then has the precision of size
// however far out v is. It sorts v in place.
func simplexThreshold(v []float64, size float64) (largest, threshold float64) {
	slices.Sort(v)
	largest = v[len(v)-1]
	var sum float64
	for count := 1; count <= len(v); count++ {
		shifted := v[len(v)-count] - largest
		candidate := (sum + shifted - size) / float64(count)
		if shifted <= candidate {
			break
		}
		sum += shifted
		threshold = candidate
	}
	return largest, threshold
}

// Support is -<g, c> + r ||g||_inf.
func (b *L1Ball) Support(g []float64) float64 {
	return float64(b.radius*math.Abs(g[largestEntry(g)])) - kernel.Dot(g, b.center)
}

// Maximizer writes the vertex c - r sign(g_k) e_k with k the first index of
// the largest |g_k|; sign(0) = 1.
func (b *L1Ball) Maximizer(dst, g []float64) {
	k := largestEntry(g)
	shift := -b.radius
	if g[k] < 0 {
		shift = b.radius
	}
	copy(dst, b.center)
	dst[k] += shift
}

// largestEntry is the first index of the entry that is largest in magnitude.
func largestEntry(g []float64) int {
	first := 0
	for k, v := range g {
		if math.Abs(v) > math.Abs(g[first]) {
			first = k
		}
	}
	return first
}

// Diameter is 2r.
func (b *L1Ball) Diameter() float64 { return 2 * b.radius }

// MaxDistance implements Set. A convex function is largest at a vertex: with
// v = s - c the one of the largest |v_k|, at the squared distance
// ||v||^2 + 2 r |v_k| + r^2.
func (b *L1Ball) MaxDistance(s []float64) float64 {
	var largest float64
	for k, v := range s {
		largest = max(largest, math.Abs(v-b.center[k]))
	}
	cross := math.Sqrt(b.radius) * math.Sqrt(2*largest+b.radius)
	return portable.Hypot(distance2(s, b.center), cross)
}

// MinDistance implements Set.
func (b *L1Ball) MinDistance(s []float64) float64 {
	var small [smallScratch]float64
	nearest, work := scratch(small[:], b.Dim(), b.WorkSize())
	b.Project(nearest, s, work)
	return distance2(s, nearest)
}

// Center implements Set.
func (b *L1Ball) Center(dst []float64) { copy(dst, b.center) }
