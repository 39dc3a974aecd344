package mirror

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/option"
	"starling/mechanisms/numeric"
	"starling/mechanisms/portable"
)

// QuantityMove is a quantity that machines record, for meters: how far a mirror step goes, as a
// multiple of the most that a proof allows.
const QuantityMove = "move"

// Divergence is the Bregman divergence of a strongly convex phi,
// D_phi(x, y) = phi(x) - phi(y) - <grad phi(y), x - y>. Divergences are
// immutable and safe for concurrent use.
type Divergence interface {
	// Kind is the name used in scenarios: euclidean, mahalanobis, entropy.
	Kind() string
	// StrongConvexity is omega, the modulus of strong convexity of phi in the
	// 2-norm: D_phi(x, y) >= (omega/2) ||x - y||_2^2.
	StrongConvexity() float64
	// Smoothness is M, with D_phi(x, y) <= (M/2) ||x - y||_2^2; ok is false
	// where there is no such M, and Theorem 2 of DPDO-NC has no bound.
	Smoothness() (m float64, ok bool)
	// Value is D_phi(x, y) for x and y of equal length: never negative, and
	// +Inf where y is outside the domain of grad phi.
	Value(x, y []float64) float64
}

// Euclidean is phi(x) = c ||x||_2^2 with c = Scale, so D(x, y) = c ||x - y||_2^2.
// DPDO-NC's experiment has c = 1/2. NewSolver refuses a Scale that is not
// positive and finite.
type Euclidean struct {
	Scale float64
}

var _ Divergence = Euclidean{}

// NewEuclidean returns the divergence of c ||x||_2^2; c must be positive and
// finite.
func NewEuclidean(scale float64) (Euclidean, error) {
	e := Euclidean{Scale: scale}
	return e, e.validate()
}

func (e Euclidean) validate() error {
	if !(e.Scale > 0) || math.IsInf(e.Scale, 1) {
		return option.Errorf("scale", "euclidean: scale is %v, want a positive finite number", e.Scale)
	}
	return nil
}

// Kind implements Divergence.
func (e Euclidean) Kind() string { return KindEuclidean }

// StrongConvexity is 2c.
func (e Euclidean) StrongConvexity() float64 { return 2 * e.Scale }

// Smoothness is 2c.
func (e Euclidean) Smoothness() (m float64, ok bool) { return 2 * e.Scale, true }

// Value is c ||x - y||_2^2.
func (e Euclidean) Value(x, y []float64) float64 {
	distance := distance2(x, y)
	return e.Scale * distance * distance
}

// MaxCondition is the largest condition number of Q that NewMahalanobis
// accepts: beyond it double precision leaves the solver too few digits.
const MaxCondition = 1e8

// Mahalanobis is phi(x) = x'Qx with Q symmetric and positive definite, so
// D(x, y) = (x - y)'Q(x - y).
type Mahalanobis struct {
	dim     int
	q       []float64 // Q, row-major d x d
	values  []float64 // eigenvalues of Q, ascending
	vectors []float64 // V, row-major d x d: column j belongs to values[j]
}

var _ Divergence = (*Mahalanobis)(nil)

// NewMahalanobis returns the divergence of the matrix with the given rows,
// which are copied. Q must be square, finite, exactly symmetric and positive
// definite, with a condition number of at most MaxCondition.
func NewMahalanobis(rows [][]float64) (*Mahalanobis, error) {
	dim := len(rows)
	if err := checkDim("mahalanobis", dim); err != nil {
		return nil, err
	}
	m := &Mahalanobis{dim: dim, q: make([]float64, 0, dim*dim)}
	for i, row := range rows {
		if len(row) != dim {
			return nil, option.Errorf(fmt.Sprintf("matrix[%d]", i), "mahalanobis: Q[%d] has %d entries, want %d", i, len(row), dim)
		}
		if err := checkFinite(fmt.Sprintf("Q[%d]", i), row); err != nil {
			return nil, option.Errorf(fmt.Sprintf("matrix[%d]", i), "mahalanobis: %v", err)
		}
		for j := range i {
			if row[j] != rows[j][i] {
				return nil, option.Errorf(fmt.Sprintf("matrix[%d][%d]", i, j), "mahalanobis: Q is not symmetric: Q[%d][%d] is %v, Q[%d][%d] is %v",
					i, j, row[j], j, i, rows[j][i])
			}
		}
		m.q = append(m.q, row...)
	}
	if err := m.factorize(); err != nil {
		return nil, option.Errorf("matrix", "mahalanobis: %v", err)
	}
	return m, nil
}

// factorize fills in the eigendecomposition and checks the spectrum.
func (m *Mahalanobis) factorize() error {
	values, rows, ok := numeric.Eigen(m.q, m.dim)
	if !ok {
		return errors.New("the eigendecomposition of Q did not converge")
	}
	m.values, m.vectors = values, make([]float64, m.dim*m.dim)
	for i := range m.dim {
		for j := range m.dim {
			m.vectors[i*m.dim+j] = rows[j*m.dim+i]
		}
	}
	smallest, largest := m.values[0], m.values[m.dim-1]
	if smallest <= 0 {
		//lint:ignore ST1005 Q is the paper's symbol
		return fmt.Errorf("Q is not positive definite: its smallest eigenvalue is %.6g", smallest)
	}
	if condition := largest / smallest; !(condition <= MaxCondition) {
		//lint:ignore ST1005 Q is the paper's symbol
		return fmt.Errorf("Q has the condition number %.3g, want at most %g", condition, MaxCondition)
	}
	return nil
}

// Kind implements Divergence.
func (m *Mahalanobis) Kind() string { return KindMahalanobis }

// Dim is d, the order of Q.
func (m *Mahalanobis) Dim() int { return m.dim }

// Condition is the condition number lambda_max(Q) / lambda_min(Q).
func (m *Mahalanobis) Condition() float64 { return m.largest() / m.smallest() }

func (m *Mahalanobis) smallest() float64 { return m.values[0] }
func (m *Mahalanobis) largest() float64  { return m.values[m.dim-1] }

// StrongConvexity is 2 lambda_min(Q).
func (m *Mahalanobis) StrongConvexity() float64 { return 2 * m.smallest() }

// Smoothness is 2 lambda_max(Q).
func (m *Mahalanobis) Smoothness() (bound float64, ok bool) { return 2 * m.largest(), true }

// Value is (x - y)'Q(x - y).
func (m *Mahalanobis) Value(x, y []float64) float64 {
	var sum float64
	for i := range m.dim {
		row := m.q[i*m.dim : (i+1)*m.dim]
		var entry float64
		for j, v := range row {
			entry += float64(v * (x[j] - y[j]))
		}
		sum += float64((x[i] - y[i]) * entry)
	}
	return max(0, sum)
}

// Entropy is the negative entropy phi(x) = sum_k x_k log x_k on the
// probability simplex. On positive vectors D(x, y) = sum_k x_k log(x_k/y_k) -
// x_k + y_k, the relative entropy when both sum to 1.
type Entropy struct{}

var _ Divergence = Entropy{}

// Kind implements Divergence.
func (Entropy) Kind() string { return KindEntropy }

// StrongConvexity is 1, on the simplex (Pinsker; there ||.||_2 <= ||.||_1).
func (Entropy) StrongConvexity() float64 { return 1 }

// Smoothness has no bound: grad phi is unbounded at the faces.
func (Entropy) Smoothness() (m float64, ok bool) { return 0, false }

// Value implements Divergence, with 0 log 0 = 0. It is +Inf if x has a negative
// entry, or y one that is not positive where x is not 0.
func (Entropy) Value(x, y []float64) float64 {
	var sum float64
	for k, v := range x {
		switch {
		case v == 0 && y[k] >= 0:
			sum += y[k]
		case v > 0 && y[k] > 0:
			// Each term is non-negative; max keeps it so after rounding.
			sum += max(0, float64(v*portable.Log(v/y[k]))-v+y[k])
		case math.IsNaN(v) || math.IsNaN(y[k]):
			return math.NaN()
		default:
			return math.Inf(1)
		}
	}
	return sum
}
