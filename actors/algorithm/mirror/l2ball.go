package mirror

import (
	"starling/mechanisms/kernel"
)

// L2Ball is the set {x : ||x - c||_2 <= r}.
type L2Ball struct {
	center []float64
	radius float64
	// inside is the square of a distance from the center, rounded, with a root that is surely
	// at most the radius; below 0 where squares overflow or underflow.
	inside float64
}

var _ Set = (*L2Ball)(nil)

// NewL2Ball returns the l2 ball of the given dimension (at least 1) and radius
// (positive, finite) about center (len dim, copied; nil is the origin).
func NewL2Ball(dim int, radius float64, center []float64) (*L2Ball, error) {
	own, err := ballCenter("l2-ball", dim, radius, center)
	if err != nil {
		return nil, err
	}
	b := &L2Ball{center: own, radius: radius, inside: -1}
	if square := float64(radius * radius); square > smallSquare && square < largeSquare {
		b.inside = square * (1 - 1e-12)
	}
	return b, nil
}

// holds reports whether a point surely lies in the ball, without a root.
func (b *L2Ball) holds(x []float64) bool { return kernel.SquaredDistance(x, b.center) <= b.inside }

// Kind implements Set.
func (b *L2Ball) Kind() string { return KindL2Ball }

// Dim implements Set.
func (b *L2Ball) Dim() int { return len(b.center) }

// Radius is r.
func (b *L2Ball) Radius() float64 { return b.radius }

// Violation is max(0, ||x - c||_2 - r).
func (b *L2Ball) Violation(x []float64) float64 {
	if b.holds(x) {
		return 0
	}
	return violation(distance2(x, b.center) - b.radius)
}

// Inside returns how many points, side by side in x and from the first on, surely lie in the
// ball.
func (b *L2Ball) Inside(x []float64) (points int) { return kernel.RowsNear(x, b.center, b.inside) }

// WorkSize is 0.
func (b *L2Ball) WorkSize() int { return 0 }

// Project implements Set.
func (b *L2Ball) Project(dst, y, _ []float64) {
	if b.holds(y) {
		copy(dst, y)
		return
	}
	norm := distance2(y, b.center)
	if norm <= b.radius {
		copy(dst, y)
		return
	}
	for k, v := range y {
		// Divided first: r / norm may underflow.
		dst[k] = b.center[k] + float64((v-b.center[k])/norm*b.radius)
	}
}

// Support is -<g, c> + r ||g||_2.
func (b *L2Ball) Support(g []float64) float64 {
	return float64(b.radius*norm2(g)) - kernel.Dot(g, b.center)
}

// Maximizer writes c - r g / ||g||_2, or c if g = 0.
func (b *L2Ball) Maximizer(dst, g []float64) {
	norm := norm2(g)
	if norm == 0 {
		copy(dst, b.center)
		return
	}
	for k, v := range g {
		dst[k] = b.center[k] - float64(v/norm*b.radius)
	}
}

// Diameter is 2r.
func (b *L2Ball) Diameter() float64 { return 2 * b.radius }

// MaxDistance is ||s - c||_2 + r.
func (b *L2Ball) MaxDistance(s []float64) float64 { return distance2(s, b.center) + b.radius }

// MinDistance is max(0, ||s - c||_2 - r).
func (b *L2Ball) MinDistance(s []float64) float64 {
	return max(0, distance2(s, b.center)-b.radius)
}

// Center implements Set.
func (b *L2Ball) Center(dst []float64) { copy(dst, b.center) }
