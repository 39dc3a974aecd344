package mirror

import (
	"fmt"
	"math"
)

// Inner returns the set about its centre scaled by 1 - xi, xi = radius/r with r the radius of
// the largest ball about the centre that the set holds: every ball of the radius > 0 about a
// point of it lies in the set, up to rounding (Flaxman, Kalai, McMahan 2005, Observation 3.2).
// It returns an error for a set that holds no larger ball.
func Inner(set Set, radius float64) (Set, error) {
	d := float64(set.Dim())
	left := func(holds float64) (float64, error) {
		if !(radius > 0 && radius < holds) {
			return 0, fmt.Errorf("radius %v; the largest ball in the %s has radius %.6g, and want one > 0 that is smaller", radius, set.Kind(), holds)
		}
		return 1 - radius/holds, nil
	}
	switch s := set.(type) {
	case *L2Ball:
		scale, err := left(s.radius)
		if err != nil {
			return nil, err
		}
		return NewL2Ball(s.Dim(), scale*s.radius, s.center)
	case *L1Ball: // a ball touches the facets, all of which are r/sqrt d away
		scale, err := left(s.radius / math.Sqrt(d))
		if err != nil {
			return nil, err
		}
		return NewL1Ball(s.Dim(), scale*s.radius, s.center)
	case *Box:
		return s.inner(left)
	}
	return nil, fmt.Errorf("the %s holds no ball, as it has no interior", set.Kind())
}

// inner is Inner of a box.
func (b *Box) inner(left func(holds float64) (float64, error)) (Set, error) {
	center, narrowest := make([]float64, b.Dim()), math.Inf(1)
	b.Center(center)
	for k := range center {
		narrowest = min(narrowest, (b.upper[k]-b.lower[k])/2)
	}
	scale, err := left(narrowest)
	if err != nil {
		return nil, err
	}
	lower, upper := make([]float64, b.Dim()), make([]float64, b.Dim())
	for k, c := range center {
		lower[k], upper[k] = c-float64(scale*(c-b.lower[k])), c+float64(scale*(b.upper[k]-c))
	}
	return NewBox(lower, upper)
}
