package stream

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"starling/scenarios/problem"
)

// mostIterations bounds Newton's method, which takes about ten where the data
// are not nearly separable.
const mostIterations = 200

// minimise runs Newton's method from 0. Of data that are not finite it knows
// nothing: NaN.
func (o *objective) minimise() Optimum {
	unknown := Optimum{Value: math.NaN(), Gap: math.NaN(), GradientNorm: math.NaN()}
	stop := &stopper{objective: o, reached: unknown}
	// The method ends with an error where rounding leaves it no further descent;
	// how good what it has reached is follows from the gap.
	_, _ = optimize.Minimize(
		optimize.Problem{
			Func: o.value, Grad: o.gradient,
			Hess: func(h *mat.SymDense, x []float64) { h.CopySym(o.hessian(x)) },
		},
		make([]float64, o.d),
		&optimize.Settings{MajorIterations: mostIterations, GradientThreshold: math.NaN(), Converger: stop},
		&optimize.Newton{})
	return stop.reached
}

// stopper ends a minimisation where the optimum is known.
type stopper struct {
	*objective
	reached Optimum
	below   float64 // the largest lower bound; the loss is at least 0
}

// Init implements optimize.Converger.
func (s *stopper) Init(int) {}

// Converged implements optimize.Converger.
func (s *stopper) Converged(at *optimize.Location) optimize.Status {
	if s.l2 == 0 && s.separates(at.X) {
		s.reached = separated(append([]float64(nil), at.X...))
		return optimize.MethodConverge
	}
	s.below = max(s.below, at.F-s.gap(at.X, at.Gradient))
	s.reached = Optimum{
		Value:        at.F,
		Gap:          at.F - s.below,
		GradientNorm: math.Sqrt(problem.Dot(at.Gradient, at.Gradient)),
		X:            append(s.reached.X[:0], at.X...),
	}
	if s.reached.Gap <= Tolerance {
		s.reached.Status = Solved
		return optimize.MethodConverge
	}
	return optimize.NotTerminated
}

// gap bounds f(x) minus the infimum of f by the duality gap of a point of the
// dual near x.
//
// Since log(1 + exp(-u)) is the largest of h(s) - s u over s in [0, 1], h being
// the binary entropy, the infimum is at least (1/m) sum_j h(s_j) for all s in
// [0, 1]^m with sum_j s_j z_j = 0. The weights at x miss that by the gradient.
// One Newton step p corrects them, s'_j = s_j - s_j (1 - s_j) <p, z_j>, and f(x) is
// above the bound by (1/m) sum_j KL(s'_j, s_j), the divergence of two coins. Near
// the optimum this is half the squared Newton decrement.
//
// What of s' leaves [0, 1] is cut off. With that and with rounding, a
// residual e = (1/m) sum_j s'_j z_j is left, for which the bound at a point y
// must give up <e, y>. Beyond residualLimit there is no bound, +Inf; below, it is
// allowed for as far from x as x is from 0, or 1.
//
// With a ridge term f is l2-strongly convex, and ||gradient||^2/(2 l2) is a bound.
func (o *objective) gap(x, gradient []float64) float64 {
	if o.l2 > 0 {
		return problem.Dot(gradient, gradient) / (2 * o.l2)
	}
	p := Descent(gradient, o.hessian(x))
	if p == nil {
		return math.Inf(1)
	}
	moves, dual := make([]float64, o.m), make([]float64, o.m)
	blas64.Gemv(blas.NoTrans, 1, o.z, vector(p), 0, vector(moves))
	var sum float64
	for j, t := range moves {
		s, rest := o.weights[j], problem.LogisticWeight(-o.margins[j]) // rest is 1 - s
		up, down := 1-rest*t, 1+s*t                                    // s'/s and (1 - s')/(1 - s)
		switch {
		case up <= 0:
			up, down = 0, 1/rest
		case down <= 0:
			up, down = 1/s, 0
		}
		dual[j] = s * up
		sum += max(0, s*timesLog(up)+rest*timesLog(down)) // below 0 by rounding only
	}
	residual := make([]float64, o.d)
	blas64.Gemv(blas.Trans, 1, o.z, vector(dual), 0, vector(residual))
	left := math.Sqrt(problem.Dot(residual, residual)) / float64(o.m)
	if !(left <= residualLimit) {
		return math.Inf(1)
	}
	return sum/float64(o.m) + left*max(1, math.Sqrt(problem.Dot(x, x)))
}

// residualLimit is what the dual may miss by rounding: at points up to a
// thousand away from 0 it is within Tolerance.
const residualLimit = Tolerance / 1000

// timesLog is v log v, 0 at 0.
func timesLog(v float64) float64 {
	if v == 0 {
		return 0
	}
	return v * math.Log(v)
}

// conditionLimit is the condition number up to which a Cholesky factor of the
// Hessian is used.
const conditionLimit = 1e12

// Descent solves hessian p = -gradient. The gradient is in the range of the
// Hessian, also where that is singular, as it is where the data do not span R^d:
// there the shortest p solves it. It is nil where nothing is solved.
func Descent(gradient []float64, hessian *mat.SymDense) []float64 {
	d := len(gradient)
	p := mat.NewVecDense(d, nil)
	right := mat.NewVecDense(d, nil)
	right.ScaleVec(-1, mat.NewVecDense(d, gradient))
	var factor mat.Cholesky
	if factor.Factorize(hessian) && factor.Cond() < conditionLimit {
		if err := factor.SolveVecTo(p, right); err == nil {
			return p.RawVector().Data
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(hessian, true) {
		return nil
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	smallest := values[d-1] * float64(d) * 0x1p-52
	for k, v := range values {
		if v > smallest {
			column := vectors.ColView(k)
			p.AddScaledVec(p, mat.Dot(column, right)/v, column)
		}
	}
	return p.RawVector().Data
}
