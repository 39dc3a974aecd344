package mirror

import "starling/actors/option"

// Set is a closed, bounded, convex decision set Omega in R^d. Sets are
// immutable and safe for concurrent use. Every slice argument has length
// Dim(); arguments are read only unless a comment says otherwise.
type Set interface {
	// Kind is the name used in scenarios: l1-ball, l2-ball, box, simplex.
	Kind() string
	// Dim is d.
	Dim() int
	// Violation is 0 inside the set and a positive measure of the distance
	// from it outside, in the units of x; NaN entries give +Inf.
	Violation(x []float64) float64
	// Project writes the Euclidean projection of y to dst (dst may be y). The
	// entries of y are finite, and may be huge: the result has the precision of
	// the set, not of y. A point of Violation 0 is copied; the result may have
	// a Violation of a few units in the last place of the largest coordinate.
	// work is scratch of length at least WorkSize(), apart from dst and y.
	Project(dst, y, work []float64)
	// WorkSize is the scratch length Project needs.
	WorkSize() int
	// Support is max over x in the set of -<g, x>: the comparator's part of
	// the linear regret of DPDO-NC, g its summed gradients.
	Support(g []float64) float64
	// Maximizer writes to dst (dst may be g) a point that attains Support, the
	// one of the lowest index among ties.
	Maximizer(dst, g []float64)
	// Diameter is eta, the largest 2-norm distance of two points of the set.
	Diameter() float64
	// MaxDistance is the largest 2-norm distance of a point of the set from s.
	MaxDistance(s []float64) float64
	// MinDistance is the smallest 2-norm distance of a point of the set from
	// s. It may allocate.
	MinDistance(s []float64) float64
	// Center writes a point of the set from which it extends alike in all
	// directions: the centre of a ball or box, the uniform point of a simplex.
	Center(dst []float64)
}

// startTolerance is how far outside the set rounding may leave a start.
const startTolerance = 1e-9

// CheckStart refuses a start that is no point of the set, up to rounding: an
// [option.Error] of the option start.
func CheckStart(set Set, start []float64) error {
	if d := set.Dim(); len(start) != d {
		return option.Errorf("start", "start has %d entries; the set %s has dimension %d", len(start), set.Kind(), d)
	}
	if v := set.Violation(start); !(v <= startTolerance) {
		return option.Errorf("start", "start %v lies outside the %s, by %.3g", start, set.Kind(), v)
	}
	return nil
}
