package mirror

import (
	"errors"
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// activeSet is the state of one run of the dual active-set method: the point x,
// the facets N'x = offsets it is held on, their multipliers, and the
// factorization J'N = [R; 0] with J'QJ = I (Goldfarb and Idnani 1983, section
// 4). All slices are parts of the caller's work.
type activeSet struct {
	// dim is d; count is how many facets are active, at most d.
	dim, count int
	// pinned is how many leading facets are equations: these are never dropped.
	pinned int
	// steps is the number of steps left until the method gives up.
	steps int
	// x is the point: the minimizer on the active face.
	x []float64
	// basis is J transposed: row j is column j of J. The first count columns span the
	// normals of the active facets; the rest are the directions in which x may still
	// move.
	basis []float64
	// triangle is R, upper triangular: column c is at c*dim, entries 0..c.
	triangle []float64
	// normals is N: column c is at c*dim.
	normals []float64
	// offsets and multiplier have an entry for each active facet. Multipliers of inequalities
	// stay at 0 or above: the iterate is dual feasible.
	offsets    []float64
	multiplier []float64
	// normal is the normal of the facet that enters.
	normal []float64
	// image is J'normal: its first count entries say how far the normal is a combination
	// of active ones, the others how x can move.
	image []float64
	// dual is R^-1 times the active part of image: by how much the multipliers fall for
	// each unit of the step.
	dual []float64
	// direction is the direction in which x moves.
	direction []float64
}

// activeSetSize is the work length of an active set.
func activeSetSize(dim int) int { return 3*dim*dim + 7*dim }

func newActiveSet(dim, steps int, work []float64) activeSet {
	take := func(size int) []float64 {
		part := work[:size:size]
		work = work[size:]
		return part
	}
	return activeSet{
		dim: dim, steps: steps,
		x:     take(dim),
		basis: take(dim * dim), triangle: take(dim * dim), normals: take(dim * dim),
		offsets: take(dim), multiplier: take(dim),
		normal: take(dim), image: take(dim), dual: take(dim), direction: take(dim),
	}
}

// row is the part of a d x d matrix that starts at index*dim.
func (a *activeSet) row(matrix []float64, index int) []float64 {
	return matrix[index*a.dim : (index+1)*a.dim]
}

// pin makes the equation <normal, x> = offset the first active facet. The
// inequality that x violates is the one that enters.
func (a *activeSet) pin(offset float64) {
	if kernel.Dot(a.normal, a.x) > offset {
		offset = -offset
		for k := range a.normal {
			a.normal[k] = -a.normal[k]
		}
	}
	curvature, _ := a.prepare()
	step := max(0, offset-kernel.Dot(a.normal, a.x)) / curvature
	a.move(step)
	a.add(offset, step)
	a.pinned = 1
}

// Errors of enter: neither can occur on a set that is not empty, except by rounding.
var (
	errStepLimit  = errors.New("the active-set method reached its limit of steps")
	errInfeasible = errors.New("the active-set method found the constraints contradictory")
)

// dependent is the share of |J'n|^2 outside the active span below which a
// normal n counts as a combination of the active ones.
const dependent = 1e-24

// enter adds the violated facet <normal, x> >= offset, in steps that each drop
// one facet that is in the way, and one that reaches the new facet.
func (a *activeSet) enter(offset float64) error {
	var multiplier float64
	for {
		if a.steps--; a.steps < 0 {
			return errStepLimit
		}
		// The full step takes x onto the new facet. The largest step that keeps all
		// multipliers at 0 or above may be shorter; then the facet that blocks is
		// dropped, and the search goes on with one facet less.
		curvature, total := a.prepare()
		blocking, step := a.blockingStep()
		reached := false
		// A normal that depends on the active ones leaves x no direction: only
		// multipliers change until one of them blocks.
		if curvature > dependent*total {
			full := max(0, offset-kernel.Dot(a.normal, a.x)) / curvature
			reached = full <= step
			step = min(step, full)
			a.move(step)
		}
		if math.IsInf(step, 1) {
			return errInfeasible
		}
		for c := range a.count {
			a.multiplier[c] -= float64(step * a.dual[c])
			if c >= a.pinned {
				a.multiplier[c] = max(0, a.multiplier[c])
			}
		}
		multiplier += step
		if reached {
			a.add(offset, multiplier)
			return nil
		}
		a.drop(blocking)
	}
}

// prepare computes image = J'n, the primal direction J2 J2'n and the dual one
// R^-1 J1'n. It returns |J2'n|^2, the decrease of the violation per unit step,
// and |J'n|^2.
func (a *activeSet) prepare() (curvature, total float64) {
	clear(a.direction)
	for j := range a.dim {
		column := a.row(a.basis, j)
		v := kernel.Dot(column, a.normal)
		a.image[j] = v
		total += float64(v * v)
		if j >= a.count {
			curvature += float64(v * v)
			kernel.Axpy(a.direction, v, column)
		}
	}
	for c := a.count - 1; c >= 0; c-- {
		v := a.image[c]
		for later := c + 1; later < a.count; later++ {
			v -= float64(a.row(a.triangle, later)[c] * a.dual[later])
		}
		a.dual[c] = v / a.row(a.triangle, c)[c]
	}
	return curvature, total
}

// blockingStep returns the step at which the first multiplier reaches zero,
// +Inf if none does, and the facet it belongs to.
func (a *activeSet) blockingStep() (facet int, step float64) {
	facet, step = -1, math.Inf(1)
	for c := a.pinned; c < a.count; c++ {
		if a.dual[c] > 0 && a.multiplier[c]/a.dual[c] < step {
			facet, step = c, a.multiplier[c]/a.dual[c]
		}
	}
	return facet, step
}

// move adds step times the primal direction to x.
func (a *activeSet) move(step float64) {
	kernel.Axpy(a.x, step, a.direction)
}

// add appends the facet of normal, with its image up to date: rotations of the free columns of
// J turn the free part of the image into one entry.
func (a *activeSet) add(offset, multiplier float64) {
	for j := a.dim - 1; j > a.count; j-- {
		_, _, a.image[j-1] = a.rotate(j-1, a.image[j-1], a.image[j])
	}
	copy(a.row(a.triangle, a.count), a.image[:a.count+1])
	copy(a.row(a.normals, a.count), a.normal)
	a.offsets[a.count], a.multiplier[a.count] = offset, multiplier
	a.count++
}

// drop removes an active facet and makes R triangular again.
func (a *activeSet) drop(facet int) {
	for c := facet; c < a.count-1; c++ {
		next := a.row(a.triangle, c+1)
		copy(a.row(a.triangle, c)[:c+2], next[:c+2])
		copy(a.row(a.normals, c), a.row(a.normals, c+1))
		a.offsets[c], a.multiplier[c] = a.offsets[c+1], a.multiplier[c+1]
	}
	a.count--
	for c := facet; c < a.count; c++ {
		column := a.row(a.triangle, c)
		cosine, sine, norm := a.rotate(c, column[c], column[c+1])
		column[c] = norm
		for later := c + 1; later < a.count; later++ {
			column := a.row(a.triangle, later)
			u, v := column[c], column[c+1]
			column[c] = float64(cosine*u) + float64(sine*v)
			column[c+1] = float64(cosine*v) - float64(sine*u)
		}
	}
}

// rotate turns columns j and j+1 of J by the rotation that takes (x, y) to
// (norm, 0), and returns it.
func (a *activeSet) rotate(j int, x, y float64) (cosine, sine, norm float64) {
	norm = portable.Hypot(x, y)
	if norm == 0 {
		return 1, 0, 0
	}
	cosine, sine = x/norm, y/norm
	first, second := a.row(a.basis, j), a.row(a.basis, j+1)
	for k, u := range first {
		v := second[k]
		first[k] = float64(cosine*u) + float64(sine*v)
		second[k] = float64(cosine*v) - float64(sine*u)
	}
	return cosine, sine, norm
}

// correct moves x to the minimizer on the active face, given the gradient at
// x: by J1 R^-T (offsets - N'x) onto the face and by -J2 J2' gradient along it.
func (a *activeSet) correct(gradient []float64) {
	for c := range a.count {
		column := a.row(a.triangle, c)
		v := a.offsets[c] - kernel.Dot(a.row(a.normals, c), a.x)
		for earlier := range c {
			v -= float64(column[earlier] * a.image[earlier])
		}
		a.image[c] = v / column[c]
	}
	for j := a.count; j < a.dim; j++ {
		a.image[j] = -kernel.Dot(a.row(a.basis, j), gradient)
	}
	for j, v := range a.image {
		kernel.Axpy(a.x, v, a.row(a.basis, j))
	}
}
