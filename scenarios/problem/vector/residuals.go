package vector

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/scenarios/problem/stream"
)

// mostFits bounds the number of weighted least squares of a least loss of residuals: squared
// losses take one, and Huber's about fifty.
const mostFits = 200

// leastResiduals returns the least mean loss of residuals over data on R^d, which some x
// attains. It uses least squares, weighted anew by slope/residual until they settle (Huber,
// Robust Statistics, 1981). It is solved to stream.Tolerance, or undecided.
func (m residuals) leastResiduals(data []float64) stream.Optimum {
	rows := len(data) / (m.dim + 1)
	f := &fit{margin: m.margin, table: table{data, m.dim, float64(rows)}, slopes: make([]float64, rows)}
	x := make([]float64, m.dim)
	best := stream.Optimum{Gap: math.Inf(1)}
	for range mostFits {
		gradient, hessian, value := f.at(x)
		if gap := max(0, f.gap(x, gradient, value)); gap < best.Gap {
			best = stream.Optimum{Value: value, Gap: gap, GradientNorm: kernel.Norm(gradient), X: append([]float64(nil), x...)}
		}
		p := stream.Descent(gradient, hessian)
		if best.Gap <= stream.Tolerance || p == nil {
			break
		}
		kernel.Add(x, p)
	}
	if best.Gap <= stream.Tolerance {
		best.Status = stream.Solved
	}
	return best
}

// fit is a loss of residuals over data.
type fit struct {
	margin
	table
	slopes []float64 // at the point of at
}

// at returns the gradient of the mean loss at x, the Hessian of the squares that bound it from
// above and touch it at x, and its value.
func (f *fit) at(x []float64) (gradient, hessian []float64, value float64) {
	gradient, hessian = make([]float64, f.dim), make([]float64, f.dim*f.dim)
	f.each(func(j int, a []float64, y float64) {
		z := kernel.Dot(a, x)
		f.slopes[j] = f.Curve.Slope(z, y)
		weight := 1.0
		if z != y {
			weight = f.slopes[j] / (z - y)
		}
		value += f.Curve.Loss(z, y) / f.rows
		addOuter(hessian, a, weight/f.rows)
		kernel.Axpy(gradient, f.slopes[j]/f.rows, a)
	})
	for k := range gradient {
		hessian[k*f.dim+k] += f.l2
	}
	addRidge(gradient, f.l2, x)
	return gradient, hessian, value + ridge(f.l2, x)
}

// addOuter adds weight a a' to h.
func addOuter(h, a []float64, weight float64) {
	for i, v := range a {
		kernel.Axpy(h[i*len(a):(i+1)*len(a)], weight*v, a)
	}
}

// gap returns a bound on the value at x minus the least mean loss, by a point of the dual. As
// loss(r) is the largest of s r - s^2/2 over |s| <= delta, the least loss is at least the mean
// of -s_j y_j - s_j^2/2 for all such s with sum_j s_j a_j = 0. The slopes at x miss that by
// the gradient; the shortest correction makes up for it, and scaling keeps it within delta.
// The rest by rounding is allowed for at points as far from x as x is from 0, or as 1. With a
// ridge term f is l2-strongly convex, and ||gradient||^2/(2 l2) is a bound.
func (f *fit) gap(x, gradient []float64, value float64) float64 {
	if f.l2 > 0 {
		return kernel.SquaredNorm(gradient) / (2 * f.l2)
	}
	// The correction is a combination of the features, found by one more system of normal
	// equations.
	squares := make([]float64, f.dim*f.dim)
	f.each(func(_ int, a []float64, _ float64) { addOuter(squares, a, 1/f.rows) })
	p := stream.Descent(gradient, squares)
	if p == nil {
		return math.Inf(1)
	}
	largest, scale := 0.0, 1.0
	f.each(func(j int, a []float64, _ float64) {
		largest = max(largest, math.Abs(f.slopes[j]+kernel.Dot(a, p)))
	})
	if delta := f.Steepest(math.Inf(1), 0); largest > delta {
		scale = delta / largest
	}
	below, missed := 0.0, make([]float64, f.dim)
	f.each(func(j int, a []float64, y float64) {
		s := scale * (f.slopes[j] + kernel.Dot(a, p))
		below -= (float64(s*y) + float64(s*s/2)) / f.rows
		kernel.Axpy(missed, s/f.rows, a)
	})
	return value - below + float64(kernel.Norm(missed)*max(1, kernel.Norm(x)))
}
