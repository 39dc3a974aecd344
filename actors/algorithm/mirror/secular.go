package mirror

import (
	"math"

	"starling/mechanisms/kernel"
)

// ballSolver is the Mahalanobis step on an l2 ball: the trust-region
// subproblem of a convex quadratic, by its secular equation in the eigenbasis
// of Q = V diag(lambda) V' (Conn, Gould and Toint 2000, section 7.3).
//
// With y = V'(x - c) and b = diag(lambda) V'(z - c) - (alpha/2) V'g the step is
// min y'diag(lambda)y - 2 b'y over ||y|| <= r, solved by y_i = b_i/(lambda_i + mu)
// with mu = 0 if that is in the ball, else with the mu > 0 that gives ||y|| = r.
type ballSolver struct {
	certificate
	ball *L2Ball
}

func newBallSolver(m *Mahalanobis, ball *L2Ball) (Solver, error) {
	c, err := newCertificate(m, ball)
	if err != nil {
		return nil, err
	}
	return &ballSolver{certificate: c, ball: ball}, nil
}

// WorkSize implements Solver.
func (s *ballSolver) WorkSize() int { return 3*s.divergence.dim + s.workSize() }

// Solve implements Solver.
func (s *ballSolver) Solve(dst, z, g []float64, alpha float64, work []float64) error {
	dim := s.divergence.dim
	if err := checkStep(dim, s.WorkSize(), dst, z, g, alpha, work); err != nil {
		return err
	}
	x, b, y, rest := work[:dim], work[dim:2*dim], work[2*dim:3*dim], work[3*dim:]
	vectors, center := s.divergence.vectors, s.ball.center
	for i, lambda := range s.divergence.values {
		b[i] = 0
		for k := range dim {
			pull := float64(lambda*(z[k]-center[k])) - float64(alpha/2*g[k])
			b[i] += float64(vectors[k*dim+i] * pull)
		}
	}
	s.shrink(y, b)
	for k := range x {
		x[k] = center[k] + kernel.Dot(vectors[k*dim:(k+1)*dim], y)
	}
	return s.finish(dst, x, z, g, alpha, rest)
}

// shrink writes y. Newton's method on 1/||y(mu)|| = 1/r, which is concave and
// nearly linear in mu, rises monotonically from any mu below the root; the
// bracket only guards against rounding.
func (s *ballSolver) shrink(y, b []float64) {
	radius := s.ball.radius
	norm := s.divide(y, b, 0)
	if norm <= radius {
		return
	}
	// ||b||/(lambda_max + mu) <= ||y(mu)|| <= ||b||/(lambda_min + mu).
	size := norm2(b) / radius
	low, high := max(0, size-s.divergence.largest()), size-s.divergence.smallest()
	mu := low
	for range newtonLimit {
		norm = s.divide(y, b, mu)
		if math.Abs(norm-radius) <= 0x1p-51*radius {
			return
		}
		if norm > radius {
			low = mu
		} else {
			high = mu
		}
		var slope float64 // sum_i (y_i/||y||)^2 / (lambda_i + mu), so -d||y||/dmu = slope ||y||
		for i, lambda := range s.divergence.values {
			part := y[i] / norm
			slope += float64(part*part) / (lambda + mu)
		}
		mu += (norm - radius) / (radius * slope)
		if !(mu >= low && mu <= high) {
			mu = low + float64((high-low)/2)
		}
	}
}

// newtonLimit is far above the handful of steps that Newton's method takes;
// bisection alone would need about 60. The certificate judges the result.
const newtonLimit = 100

// divide writes y_i = b_i/(lambda_i + mu) and returns ||y||.
func (s *ballSolver) divide(y, b []float64, mu float64) float64 {
	for i, lambda := range s.divergence.values {
		y[i] = b[i] / (lambda + mu)
	}
	return norm2(y)
}
