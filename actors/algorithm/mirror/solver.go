package mirror

import (
	"fmt"
	"math"
	"strings"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// Solver computes the mirror step of DPDO-NC (paper, (7)),
//
//	x* = argmin over x in Omega of D_phi(x, z) + alpha <g, x>,
//
// for one divergence and one set. Solvers are immutable and safe for
// concurrent use, each caller with its own work.
type Solver interface {
	// Solve writes x* to dst. z is any point of R^d (for the entropy with
	// positive entries), in Omega or not; g is the gradient; alpha >= 0 is the
	// step. dst, z and g have len d; dst may be z or g, which are otherwise
	// read only. work is scratch of len at least WorkSize, and no other argument
	// may overlap it. Solve does not allocate unless it fails. After an error,
	// which names the argument and index at fault, dst is unchanged.
	Solve(dst, z, g []float64, alpha float64, work []float64) error
	// WorkSize is the length of scratch that Solve needs.
	WorkSize() int
	// Tolerance is a relative bound on the error: Solve fails unless
	//
	//	||dst - x*||_2 <= Tolerance() * (||z||_2 + alpha ||g||_2 / omega + R),
	//
	// R the largest 2-norm of a point of Omega. It is 0 for closed forms,
	// which are exact up to rounding.
	Tolerance() float64
}

// RowSolver is a Solver that takes the steps of many nodes at once.
type RowSolver interface {
	Solver
	// SolveRows is Solve of every row of dst, z and g, which have rows of len d side by side:
	// to the same bits. It overwrites z. It returns false where Solve would fail for a row;
	// dst is then arbitrary.
	SolveRows(dst, z, g []float64, alpha float64, work []float64) bool
}

// SolveRows has a solver take the steps of many nodes, as RowSolver states it.
func SolveRows(s Solver, dst, z, g []float64, dim int, alpha float64, work []float64) bool {
	if rows, ok := s.(RowSolver); ok {
		return rows.SolveRows(dst, z, g, alpha, work)
	}
	for ; len(z) > 0; dst, z, g = dst[dim:], z[dim:], g[dim:] {
		if s.Solve(dst[:dim], z[:dim], g[:dim], alpha, work) != nil {
			return false
		}
	}
	return true
}

// Pair is a divergence and a set, by kind, that NewSolver has a method for.
type Pair struct {
	Divergence, Set string
	// Method says in a few words how the step is solved.
	Method string
}

// Pairs lists the pairs that work, in a fixed order; the caller owns the list.
func Pairs() []Pair {
	const projection = "projection, closed form"
	const activeSet = "dual active-set method, certified"
	return []Pair{
		{"euclidean", "l1-ball", projection},
		{"euclidean", "l2-ball", projection},
		{"euclidean", "box", projection},
		{"euclidean", "simplex", projection},
		{"mahalanobis", "l1-ball", activeSet},
		{"mahalanobis", "l2-ball", "secular equation, certified"},
		{"mahalanobis", "box", activeSet},
		{"mahalanobis", "simplex", activeSet},
		{"entropy", "simplex", "multiplicative update, closed form"},
	}
}

// UnsupportedPairError says that NewSolver has no method for the pair.
type UnsupportedPairError struct {
	Divergence, Set string // kinds
}

// Error names the pair and lists those that work.
func (e *UnsupportedPairError) Error() string {
	var known []string
	for _, pair := range Pairs() {
		known = append(known, pair.Divergence+" on "+pair.Set)
	}
	return fmt.Sprintf("no solver for the divergence %s on the set %s; these work: %s",
		e.Divergence, e.Set, strings.Join(known, ", "))
}

// NewSolver returns the solver of the pair. It fails with an
// *UnsupportedPairError where there is none, and with another error if Q and
// the set differ in dimension or the Euclidean scale is not positive.
func NewSolver(divergence Divergence, set Set) (Solver, error) {
	switch d := divergence.(type) {
	case Euclidean:
		switch set.(type) {
		case *L1Ball, *L2Ball, *Box, *Simplex:
			return newEuclideanSolver(d, set)
		}
	case *Mahalanobis:
		switch s := set.(type) {
		case *L2Ball:
			return newBallSolver(d, s)
		case polytope:
			return newPolytopeSolver(d, s)
		}
	case Entropy:
		if simplex, ok := set.(*Simplex); ok {
			return entropySolver{dim: simplex.dim}, nil
		}
	}
	return nil, &UnsupportedPairError{Divergence: divergence.Kind(), Set: set.Kind()}
}

// checkStep validates the arguments that all solvers share.
func checkStep(dim, workSize int, dst, z, g []float64, alpha float64, work []float64) error {
	switch {
	case len(dst) != dim:
		return fmt.Errorf("mirror step: dst has %d entries, want %d", len(dst), dim)
	case len(z) != dim:
		return fmt.Errorf("mirror step: z has %d entries, want %d", len(z), dim)
	case len(g) != dim:
		return fmt.Errorf("mirror step: g has %d entries, want %d", len(g), dim)
	case len(work) < workSize:
		return fmt.Errorf("mirror step: work has %d entries, want at least %d", len(work), workSize)
	case !(alpha >= 0) || math.IsInf(alpha, 1):
		return fmt.Errorf("mirror step: alpha is %v, want a finite number of at least 0", alpha)
	}
	if err := checkFinite("z", z); err != nil {
		return fmt.Errorf("mirror step: %w", err)
	}
	if err := checkFinite("g", g); err != nil {
		return fmt.Errorf("mirror step: %w", err)
	}
	return nil
}

// euclideanSolver projects z - alpha g / (2c): for D_phi(x, z) = c ||x - z||^2 the objective
// is c ||x - (z - alpha g / (2c))||^2 plus a term without x.
type euclideanSolver struct {
	set   Set
	scale float64
}

func newEuclideanSolver(e Euclidean, set Set) (Solver, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	return euclideanSolver{set: set, scale: e.Scale}, nil
}

func (s euclideanSolver) Tolerance() float64 { return 0 }

func (s euclideanSolver) WorkSize() int { return s.set.Dim() + s.set.WorkSize() }

func (s euclideanSolver) Solve(dst, z, g []float64, alpha float64, work []float64) error {
	dim := s.set.Dim()
	if err := checkStep(dim, s.WorkSize(), dst, z, g, alpha, work); err != nil {
		return err
	}
	target := work[:dim]
	step := alpha / (2 * s.scale)
	copy(target, z)
	kernel.Axpy(target, -step, g)
	if err := checkFinite("z - alpha g / (2c)", target); err != nil {
		return fmt.Errorf("mirror step: %w", err)
	}
	s.set.Project(dst, target, work[dim:])
	return nil
}

// SolveRows implements RowSolver.
func (s euclideanSolver) SolveRows(dst, z, g []float64, alpha float64, work []float64) bool {
	dim := s.set.Dim()
	if !(alpha >= 0) || math.IsInf(alpha, 1) || len(work) < s.WorkSize() || !kernel.AllFinite(z) || !kernel.AllFinite(g) {
		return false
	}
	kernel.Axpy(z, -(alpha / (2 * s.scale)), g)
	if !kernel.AllFinite(z) {
		return false
	}
	copy(dst, z)
	inside, many := s.set.(interface{ Inside(x []float64) int })
	for rest := dst[:len(z)]; ; rest = rest[dim:] {
		if many { // of these the projection is a copy
			rest = rest[inside.Inside(rest)*dim:]
		}
		if len(rest) == 0 {
			return true
		}
		s.set.Project(rest[:dim], rest[:dim], work[dim:])
	}
}

// entropySolver is the multiplicative update x_k ~ z_k exp(-alpha g_k) on the
// simplex. The minimizer does not depend on the sum of z.
type entropySolver struct {
	dim int
}

func (s entropySolver) Tolerance() float64 { return 0 }

func (s entropySolver) WorkSize() int { return s.dim }

func (s entropySolver) Solve(dst, z, g []float64, alpha float64, work []float64) error {
	if err := checkStep(s.dim, s.dim, dst, z, g, alpha, work); err != nil {
		return err
	}
	logs := work[:s.dim]
	largest := math.Inf(-1)
	for k, v := range z {
		if v <= 0 {
			return fmt.Errorf("mirror step: z[%d] is %v, want a positive number for the entropy", k, v)
		}
		logs[k] = portable.Log(v) - float64(alpha*g[k])
		largest = max(largest, logs[k])
	}
	if err := checkFinite("log z - alpha g", logs); err != nil {
		return fmt.Errorf("mirror step: %w", err)
	}
	// Shifted, the largest weight is 1: no overflow, and a sum of at least 1.
	var sum float64
	for k, v := range logs {
		logs[k] = portable.Exp(v - largest)
		sum += logs[k]
	}
	for k, v := range logs {
		dst[k] = v / sum
	}
	return nil
}
