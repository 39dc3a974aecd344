package numeric

import (
	"errors"
	"math"
)

const (
	mostCosts  = 150  // calls of the function by the simplex
	sameCost   = 1e-7 // the largest gain that counts as none
	patience   = 10   // steps without a gain that end the search
	onceLarger = 2.0
	onceHalved = 0.5
)

// Minimize looks for the least value of a function of two numbers that may have
// several minima: from the best of a grid by the method of Nelder and Mead, with
// a simplex of the given size.
func Minimize(cost func([]float64) float64, first, second []float64, size float64) ([]float64, error) {
	var start []float64
	least := math.Inf(1)
	for _, x := range first {
		for _, y := range second {
			if c := cost([]float64{x, y}); c < least {
				start, least = []float64{x, y}, c
			}
		}
	}
	if start == nil {
		return nil, errors.New("no finite cost on the grid")
	}
	s := &simplex{of: cost}
	for i, shift := range [3][2]float64{{0, 0}, {size, 0}, {0, size}} {
		s.corners[i] = s.measured([2]float64{start[0] + shift[0], start[1] + shift[1]})
	}
	s.search()
	return s.corners[0].at[:], nil
}

// LargestOf is the largest absolute value.
func LargestOf(x []float64) (largest float64) {
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// A corner is a point of the plane and its cost.
type corner struct {
	at   [2]float64
	cost float64
}

// simplex is a triangle that the method of Nelder and Mead (1965) moves towards the
// least cost.
type simplex struct {
	of      func([]float64) float64
	corners [3]corner // the best first, once ordered
	calls   int
}

// measured is the corner at a point. A NaN costs as much as can be.
func (s *simplex) measured(at [2]float64) corner {
	s.calls++
	c := s.of([]float64{at[0], at[1]})
	if math.IsNaN(c) {
		c = math.Inf(1)
	}
	return corner{at, c}
}

// order brings the best corner to the front and the worst to the end; of equals the
// first stays before.
func (s *simplex) order() {
	c := &s.corners
	if c[1].cost < c[0].cost {
		c[0], c[1] = c[1], c[0]
	}
	if c[2].cost < c[1].cost {
		c[1], c[2] = c[2], c[1]
	}
	if c[1].cost < c[0].cost {
		c[0], c[1] = c[1], c[0]
	}
}

// search moves the simplex until its best corner has not gained for some steps.
func (s *simplex) search() {
	s.order()
	best := s.corners[0].cost
	for idle := 0; idle < patience && s.calls < mostCosts; idle++ {
		s.move()
		s.order()
		if s.corners[0].cost < best-sameCost {
			best, idle = s.corners[0].cost, -1
		}
	}
}

// move replaces the worst corner: by its image in the middle of the others, or twice as
// far if that is the best yet, or half as far; or all come nearer to the best.
func (s *simplex) move() {
	c := &s.corners
	toward := func(share float64) corner { // from the middle, away from the worst
		var at [2]float64
		for k := range at {
			middle := float64((c[0].at[k] + c[1].at[k]) / 2)
			at[k] = middle + float64(share*(middle-c[2].at[k]))
		}
		return s.measured(at)
	}
	image := toward(1)
	switch {
	case image.cost < c[0].cost:
		if farther := toward(onceLarger); farther.cost < image.cost {
			image = farther
		}
		c[2] = image
		return
	case image.cost < c[1].cost:
		c[2] = image
		return
	}
	share := -onceHalved
	if image.cost < c[2].cost {
		share = onceHalved
	}
	if nearer := toward(share); nearer.cost < min(image.cost, c[2].cost) {
		c[2] = nearer
		return
	}
	for i := 1; i < len(c); i++ {
		var at [2]float64
		for k := range at {
			at[k] = float64((c[0].at[k] + c[i].at[k]) / 2)
		}
		c[i] = s.measured(at)
	}
}
