package stream

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
	"starling/scenarios/problem"
)

// mostIterations bounds the iterations of Newton's method, which takes about ten where the
// data are not nearly separable.
const mostIterations = 200

// minimise runs Newton's method from 0. Each step is halved until the value falls enough. For
// data that are not finite the result is NaN. The gap shows the accuracy of the result, so the
// method may end wherever rounding leaves no descent.
func (o *objective) minimise() Optimum {
	reached := Optimum{Value: math.NaN(), Gap: math.NaN(), GradientNorm: math.NaN()}
	x, next, gradient := make([]float64, o.d), make([]float64, o.d), make([]float64, o.d)
	value, below := o.value(x), 0.0 // the loss is at least 0
	for range mostIterations {
		o.gradient(gradient, x)
		if math.IsNaN(value) || !kernel.AllFinite(gradient) {
			break
		}
		if o.l2 == 0 && o.separates(x) {
			return separated(x)
		}
		p := Descent(gradient, o.hessian(x))
		below = max(below, value-o.gap(x, gradient, p))
		reached = Optimum{
			Value:        value,
			Gap:          value - below,
			GradientNorm: kernel.Norm(gradient),
			X:            append(reached.X[:0], x...),
		}
		if reached.Gap <= Tolerance {
			reached.Status = Solved
			break
		}
		var found bool
		if value, found = o.search(next, x, p, value, gradient); !found {
			break
		}
		x, next = next, x
	}
	return reached
}

// The share of the promised decrease that the search along a direction accepts, and the most
// halvings of the step.
const (
	enough      = 1e-4
	mostHalving = 40
)

// search writes x + t p to next, for the largest t of 1, 1/2, 1/4, .. at which the value falls
// by at least a share of the decrease that the slope promises (Armijo). found is false if none
// does, or p is nil or no direction of descent.
func (o *objective) search(next, x, p []float64, value float64, gradient []float64) (lower float64, found bool) {
	if p == nil {
		return value, false
	}
	slope := kernel.Dot(gradient, p)
	if !(slope < 0) {
		return value, false
	}
	step := 1.0
	for range mostHalving {
		copy(next, x)
		kernel.Axpy(next, step, p)
		if lower = o.value(next); lower <= value+float64(enough*step*slope) && lower < value {
			return lower, true
		}
		step /= 2
	}
	return value, false
}

// gap returns a bound on f(x) minus the infimum of f, the duality gap of a point of the dual
// near x.
//
// Since log(1 + exp(-u)) is the largest of h(s) - s u over s in [0, 1], h being
// the binary entropy, the infimum is at least (1/m) sum_j h(s_j) for all s in
// [0, 1]^m with sum_j s_j z_j = 0. The weights at x miss that by the gradient.
// One Newton step p corrects them, s'_j = s_j - s_j (1 - s_j) <p, z_j>, and f(x) is
// above the bound by (1/m) sum_j KL(s'_j, s_j), the divergence of two coins. Near
// the optimum this is half the squared Newton decrement.
//
// Entries of s' outside [0, 1] are cut off. This and rounding leave a residual e = (1/m) sum_j
// s'_j z_j, by which the bound at a point y falls by <e, y>. Beyond residualLimit there is no
// bound, +Inf. Below it the bound allows for points y as far from x as x is from 0, or as 1.
//
// With a ridge term f is l2-strongly convex, and ||gradient||^2/(2 l2) is a bound. p is nil
// where there is no step.
func (o *objective) gap(x, gradient, p []float64) float64 {
	if o.l2 > 0 {
		return kernel.SquaredNorm(gradient) / (2 * o.l2)
	}
	if p == nil {
		return math.Inf(1)
	}
	o.at(x)
	var sum float64
	dual := o.along(p)
	for j, t := range dual {
		s, rest := o.weights[j], problem.LogisticWeight(-o.margins[j]) // rest is 1 - s
		up, down := 1-float64(rest*t), 1+float64(s*t)                  // s'/s and (1 - s')/(1 - s)
		switch {
		case up <= 0:
			up, down = 0, 1/rest
		case down <= 0:
			up, down = 1/s, 0
		}
		dual[j] = s * up
		sum += max(0, float64(s*timesLog(up))+float64(rest*timesLog(down))) // below 0 by rounding only
	}
	residual := make([]float64, o.d)
	o.combine(residual, dual)
	left := kernel.Norm(residual) / float64(o.m)
	if !(left <= residualLimit) {
		return math.Inf(1)
	}
	return sum/float64(o.m) + float64(left*max(1, kernel.Norm(x)))
}

// along returns <p, z_j> of all data.
func (o *objective) along(p []float64) []float64 {
	list := make([]float64, 0, o.m)
	for s := range o.blocks() {
		for j := range s.rows {
			a, b := s.row(j)
			list = append(list, b*kernel.Dot(a, p))
		}
	}
	return list
}

// residualLimit is the largest residual of the dual by rounding: at points up to a thousand
// away from 0 its effect is within Tolerance.
const residualLimit = Tolerance / 1000

// timesLog returns v log v, 0 at 0.
func timesLog(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v * portable.Log(v)
}

// leastPivot is the share of its largest diagonal entry below which a pivot makes a matrix
// count as singular.
const leastPivot = 1e-12

// Descent solves hessian p = -gradient, for a d x d Hessian, which it does not change. Where
// the data do not span R^d the Hessian is singular, but the gradient is in its range; Descent
// then returns the shortest solution. It returns nil where it finds none.
func Descent(gradient, hessian []float64) []float64 {
	d := len(gradient)
	p := make([]float64, d)
	if factor, ok := numeric.NewCholesky(hessian, d, leastPivot); ok {
		kernel.Scale(p, -1, gradient)
		factor.Solve(p)
		return p
	}
	values, vectors, ok := numeric.Eigen(hessian, d)
	if !ok {
		return nil
	}
	smallest := values[d-1] * float64(d) * 0x1p-52
	for k, v := range values { // ascending
		if v > smallest {
			row := vectors[k*d : (k+1)*d]
			kernel.Axpy(p, -kernel.Dot(row, gradient)/v, row)
		}
	}
	return p
}
