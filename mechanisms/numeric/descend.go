package numeric

import (
	"math"

	"starling/mechanisms/kernel"
)

const (
	remembered  = 12    // steps that the curvature is estimated from
	enough      = 1e-4  // share of the gain that the gradient promises
	mostHalved  = 40    // times that a step is halved
	sameDescent = 1e-13 // relative gain that is none
	idleSteps   = 3     // steps in a row without a gain that end the descent
)

// Descend goes down a smooth function from a start, which it changes in place and returns with
// the least cost: by at most steps steps of the limited-memory method of Broyden, Fletcher,
// Goldfarb and Shanno (Nocedal 1980), each halved until it gains (Armijo). cost writes its
// gradient at x, both of one length. A cost that is no number is infinite.
func Descend(cost func(gradient, x []float64) float64, x []float64, steps int) ([]float64, float64) {
	n := len(x)
	d := descent{make([]float64, n), make([]float64, n), nil}
	next, gradient := make([]float64, n), make([]float64, n)
	least := cost(d.gradient, x)
	for idle := 0; steps > 0 && idle < idleSteps; steps-- {
		slope := d.direct()
		if !(slope < 0) { // nowhere to go
			break
		}
		share, found := 1.0, math.Inf(1)
		if len(d.past) == 0 {
			share = min(1, 1/kernel.Norm(d.gradient))
		}
		for range mostHalved {
			for k, v := range d.direction {
				next[k] = x[k] + float64(share*v)
			}
			if found = cost(gradient, next); found <= least+float64(enough*share*slope) {
				break
			}
			share /= 2
		}
		if !(found < least) {
			break
		}
		if idle++; found < least-float64(sameDescent*math.Abs(least)) {
			idle = 0
		}
		d.remember(x, next, gradient)
		least = found
	}
	return x, least
}

// descent is the state of a descent: its gradient, and its next direction.
type descent struct {
	gradient, direction []float64
	past                []step
}

// step is a move and the change of the gradient along it, with one over their product.
type step struct {
	move, change []float64
	scale        float64
}

// direct makes the direction of the next step by the two loops over past ones, and
// returns the slope along it.
func (d *descent) direct() float64 {
	q := d.direction
	kernel.Scale(q, -1, d.gradient)
	shares := make([]float64, len(d.past))
	for i := len(d.past) - 1; i >= 0; i-- {
		p := &d.past[i]
		shares[i] = p.scale * kernel.Dot(p.move, q)
		kernel.Axpy(q, -shares[i], p.change)
	}
	if n := len(d.past); n > 0 {
		p := &d.past[n-1]
		kernel.Scale(q, 1/(p.scale*kernel.Dot(p.change, p.change)), q)
	}
	for i := range d.past {
		p := &d.past[i]
		kernel.Axpy(q, shares[i]-float64(p.scale*kernel.Dot(p.change, q)), p.move)
	}
	return kernel.Dot(q, d.gradient)
}

// remember moves x to next, where the gradient is another. A step along which the slope
// fell says nothing of a curvature.
func (d *descent) remember(x, next, gradient []float64) {
	s := step{move: make([]float64, len(x)), change: make([]float64, len(x))}
	for k := range x {
		s.move[k], s.change[k] = next[k]-x[k], gradient[k]-d.gradient[k]
	}
	if product := kernel.Dot(s.move, s.change); product > 0 {
		s.scale = 1 / product
		if d.past = append(d.past, s); len(d.past) > remembered {
			d.past = d.past[1:]
		}
	}
	copy(x, next)
	copy(d.gradient, gradient)
}
