package mirror

import (
	"fmt"
	"math"

	"starling/mechanisms/kernel"
)

// Relative error that the Mahalanobis solvers promise, Solver.Tolerance: fixed up to a
// condition number of 1e4. Beyond it the error grows with the condition number, as the
// rounding error of the certificate does.
const (
	baseTolerance         = 1e-10
	tolerancePerCondition = 1e-14
)

// certificate finishes a Mahalanobis step: it holds the parts that the solvers share and
// proves the error of their results.
//
// Halved, the objective is F(x) = (x-z)'Q(x-z)/2 + <alpha g/2, x>, with the
// Hessian Q, mu = lambda_min and L = lambda_max. The projected gradient step
// P(x) = Project(x - grad F(x)/L) is a contraction with the factor 1 - mu/L, as
// Project is non-expansive and the eigenvalues of I - Q/L are in [0, 1 - mu/L];
// its fixed point is x*. From ||P(x) - x*|| <= (1 - mu/L) ||x - x*|| and the
// triangle inequality, with kappa = L/mu,
//
//	||x - x*|| <= kappa ||x - P(x)||,  ||P(x) - x*|| <= (kappa - 1) ||x - P(x)||.
//
// So P(x), which is in the set, is returned, and its error is known.
type certificate struct {
	divergence *Mahalanobis
	set        Set
	reach      float64 // R, the largest 2-norm of a point of the set
	tolerance  float64 // relative to scale
}

func newCertificate(m *Mahalanobis, set Set) (certificate, error) {
	if m.dim != set.Dim() {
		return certificate{}, fmt.Errorf("mahalanobis: Q is of order %d, the set %s has dimension %d",
			m.dim, set.Kind(), set.Dim())
	}
	return certificate{
		divergence: m,
		set:        set,
		reach:      set.MaxDistance(make([]float64, m.dim)),
		tolerance:  max(baseTolerance, tolerancePerCondition*m.Condition()),
	}, nil
}

// Tolerance implements Solver.
func (c *certificate) Tolerance() float64 { return c.tolerance }

// scale is the size of the data that Tolerance is relative to.
func (c *certificate) scale(z, g []float64, alpha float64) float64 {
	return norm2(z) + float64(alpha*norm2(g)/c.divergence.StrongConvexity()) + c.reach
}

// gradient writes grad F(x) = Q(x - z) + alpha g / 2 to dst; work has len d.
func (c *certificate) gradient(dst, x, z, g []float64, alpha float64, work []float64) {
	dim := c.divergence.dim
	for k, v := range x {
		work[k] = v - z[k]
	}
	for i := range dst {
		dst[i] = kernel.Dot(c.divergence.q[i*dim:(i+1)*dim], work[:dim]) + float64(alpha/2*g[i])
	}
}

// workSize is the scratch length finish needs.
func (c *certificate) workSize() int { return 2*c.divergence.dim + c.set.WorkSize() }

// finish writes P(x) to dst, which may be z or g, if its error is within the
// tolerance; otherwise it fails and leaves dst as it is.
func (c *certificate) finish(dst, x, z, g []float64, alpha float64, work []float64) error {
	dim := c.divergence.dim
	allowed := c.tolerance * c.scale(z, g, alpha)
	if math.IsInf(allowed, 1) {
		return fmt.Errorf("mirror step: mahalanobis on %s: z or alpha g is too large for floating-point numbers",
			c.set.Kind())
	}
	step, scratch := work[:dim], work[dim:]
	c.gradient(step, x, z, g, alpha, scratch)
	largest := c.divergence.largest()
	for k, v := range x {
		step[k] = v - step[k]/largest
	}
	c.set.Project(step, step, scratch)
	condition := c.divergence.Condition()
	bound := (condition - 1) * distance2(x, step)
	if !(bound <= allowed) {
		return fmt.Errorf("mirror step: mahalanobis on %s (condition number %.3g): error bound %.3g, want at most %.3g",
			c.set.Kind(), condition, bound, allowed)
	}
	copy(dst, step)
	return nil
}
