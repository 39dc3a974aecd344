package topology

import "math"

// tridiagonal is a symmetric tridiagonal matrix T of order len(diagonal); beside holds the
// entries next to the diagonal, at least order - 1 of them.
type tridiagonal struct{ diagonal, beside []float64 }

// largest returns the largest eigenvalue theta of T, and beta times the modulus
// of the last entry of its unit vector: the residual that theta has in the
// iteration that made T, beta being the entry that would come next.
func (t tridiagonal) largest(beta float64) (theta, residual float64) {
	n := len(t.diagonal)
	lo, hi := math.Inf(-1), math.Inf(-1)
	for i, a := range t.diagonal { // Gershgorin's circles
		radius := 0.
		if i > 0 {
			radius += math.Abs(t.beside[i-1])
		}
		if i < n-1 {
			radius += math.Abs(t.beside[i])
		}
		lo, hi = max(lo, a), max(hi, a+radius)
	}
	hi += float64(1e-15 * math.Abs(hi))
	pivots := make([]float64, n)
	for {
		middle := lo + float64((hi-lo)/2)
		if middle <= lo || middle >= hi {
			break
		}
		if t.above(middle, pivots) {
			hi = middle
		} else {
			lo = middle
		}
	}
	if !t.above(hi, pivots) {
		hi = math.Nextafter(hi, math.Inf(1)) // a matrix of one entry, or of zeros
		t.above(hi, pivots)
	}
	return hi, beta * t.lastEntry(pivots)
}

// above reports whether s is above all eigenvalues of T: whether the pivots of
// sI - T, which it sets, are all positive.
func (t tridiagonal) above(s float64, pivots []float64) bool {
	for i, a := range t.diagonal {
		p := s - a
		if i > 0 {
			p -= float64(t.beside[i-1]*t.beside[i-1]) / pivots[i-1]
		}
		if !(p > 0) {
			return false
		}
		pivots[i] = p
	}
	return true
}

// lastEntry returns the modulus of the last entry of the unit eigenvector of the
// largest eigenvalue, by inverse iteration with the pivots of sI - T, s just
// above it; these being positive, elimination needs no exchanges.
func (t tridiagonal) lastEntry(pivots []float64) float64 {
	n := len(pivots)
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	for range 3 {
		normalize(x)
		for i := 1; i < n; i++ {
			x[i] += float64(t.beside[i-1] / pivots[i-1] * x[i-1])
		}
		for i := n - 1; i >= 0; i-- {
			if i < n-1 {
				x[i] += float64(t.beside[i] * x[i+1])
			}
			x[i] /= pivots[i]
		}
	}
	normalize(x)
	return math.Abs(x[n-1])
}
