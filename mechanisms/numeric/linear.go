package numeric

import (
	"math"

	"starling/mechanisms/kernel"
)

// Cholesky is the lower triangular factor L of a matrix L L'.
type Cholesky struct {
	n int
	l []float64
}

// NewCholesky factors a symmetric matrix. It does not read the upper triangle, and does not
// change the matrix. It is false if the matrix is not positive definite, or so near to one
// that is not that a pivot is at most least (>= 0) times the largest entry of the diagonal:
// with more than 0, a matrix that is singular but for rounding has no factor.
func NewCholesky(a []float64, n int, least float64) (*Cholesky, bool) {
	c := &Cholesky{n, make([]float64, n*n)}
	var largest float64
	for i := range n {
		largest = max(largest, a[i*n+i])
	}
	for i := range n {
		row := c.l[i*n:][:n]
		for j := range i + 1 {
			rest := a[i*n+j] - kernel.Dot(row[:j], c.l[j*n:][:j])
			if j < i {
				row[j] = rest / c.l[j*n+j]
			} else if !(rest > least*largest) || math.IsInf(rest, 1) {
				return nil, false
			} else {
				row[i] = math.Sqrt(rest)
			}
		}
	}
	return c, true
}

// Solve replaces x (len n) by the solution of L L' y = x.
func (c *Cholesky) Solve(x []float64) {
	for i := range c.n {
		row := c.l[i*c.n:][:c.n]
		x[i] = (x[i] - kernel.Dot(row[:i], x[:i])) / row[i]
	}
	for i := c.n - 1; i >= 0; i-- {
		row := c.l[i*c.n:][:c.n]
		x[i] /= row[i]
		kernel.Axpy(x[:i], -x[i], row[:i])
	}
}

// Inverse returns the inverse of L, lower triangular.
func (c *Cholesky) Inverse() []float64 {
	inverse := make([]float64, c.n*c.n)
	for i := range c.n {
		row := inverse[i*c.n:][:c.n]
		for j := range i {
			kernel.Axpy(row[:j+1], -c.l[i*c.n+j], inverse[j*c.n:][:j+1])
		}
		row[i] = 1
		for j := range i + 1 {
			row[j] /= c.l[i*c.n+i]
		}
	}
	return inverse
}

// LU is a matrix as a product of triangular ones, its rows exchanged so that the pivots
// are large.
type LU struct {
	n       int
	factors []float64 // L below the diagonal, which is 1 there, and U
	rows    []int     // row i of the factors was row rows[i]
	norm    float64   // the largest sum of the sizes of a row of the matrix
}

// NewLU factors a matrix, which it does not change. It is false if the matrix is
// singular, or not finite.
func NewLU(a []float64, n int) (*LU, bool) {
	f := &LU{n: n, factors: append([]float64(nil), a[:n*n]...), rows: make([]int, n)}
	for i := range n {
		f.rows[i] = i
		f.norm = max(f.norm, kernel.Norm1(a[i*n:][:n]))
	}
	for k := range n {
		pivot := k
		for i := k + 1; i < n; i++ {
			if math.Abs(f.factors[i*n+k]) > math.Abs(f.factors[pivot*n+k]) {
				pivot = i
			}
		}
		top, other := f.factors[k*n:][:n], f.factors[pivot*n:][:n]
		if pivot != k {
			for j := range top {
				top[j], other[j] = other[j], top[j]
			}
			f.rows[k], f.rows[pivot] = f.rows[pivot], f.rows[k]
		}
		if top[k] == 0 || math.IsNaN(top[k]) || math.IsInf(top[k], 0) {
			return nil, false
		}
		for i := k + 1; i < n; i++ {
			row := f.factors[i*n:][:n]
			row[k] /= top[k]
			kernel.Axpy(row[k+1:], -row[k], top[k+1:])
		}
	}
	return f, true
}

// Solve returns the solution (len n) of A y = x (len n), which it does not change.
func (f *LU) Solve(x []float64) []float64 {
	y := make([]float64, f.n)
	for i, from := range f.rows {
		y[i] = x[from] - kernel.Dot(f.factors[i*f.n:][:i], y[:i])
	}
	for i := f.n - 1; i >= 0; i-- {
		row := f.factors[i*f.n:][:f.n]
		y[i] = (y[i] - kernel.Dot(row[i+1:], y[i+1:])) / row[i]
	}
	return y
}

// Condition is the condition number of the matrix in the norm of the largest row, by
// its inverse: O(n^3).
func (f *LU) Condition() float64 {
	sums, unit := make([]float64, f.n), make([]float64, f.n)
	for j := range f.n {
		clear(unit)
		unit[j] = 1
		for i, x := range f.Solve(unit) {
			sums[i] += math.Abs(x)
		}
	}
	largest := 0.0
	for _, s := range sums {
		largest = max(largest, s)
	}
	return f.norm * largest
}

// Eigen returns the eigenvalues of a symmetric matrix, ascending, and orthonormal
// eigenvectors: row k of vectors is the eigenvector of value k. It does not change the matrix,
// and reads all of it. The method is Jacobi's, by rows (Golub, Van Loan, Matrix Computations,
// section 8.5): it is false where that has not converged, as with numbers that are not finite.
func Eigen(a []float64, n int) (values, vectors []float64, ok bool) {
	m := append([]float64(nil), a[:n*n]...)
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	floor := 0x1p-100 * kernel.Norm(m)
	for range mostSweeps {
		if turned := sweep(m, v, n, floor); !turned {
			values, vectors = ascending(m, v, n)
			return values, vectors, kernel.AllFinite(values)
		}
	}
	return nil, nil, false
}

// mostSweeps is many times the number of sweeps that are needed: Jacobi's method converges
// quadratically.
const mostSweeps = 60

// sweep turns each pair of rows and columns so that their shared entry vanishes. It reports
// whether any shared entry was larger than rounding, and larger than floor: the remaining
// entries of a singular matrix are all rounding.
func sweep(m, v []float64, n int, floor float64) (turned bool) {
	for p := range n {
		for q := p + 1; q < n; q++ {
			shared := m[p*n+q]
			if math.Abs(shared) <= 0x1p-54*math.Sqrt(math.Abs(m[p*n+p]))*math.Sqrt(math.Abs(m[q*n+q])) && !math.IsNaN(shared) ||
				math.Abs(shared) <= floor {
				continue
			}
			turned = true
			theta := (m[q*n+q] - m[p*n+p]) / (2 * shared)
			t := 1 / (math.Abs(theta) + math.Sqrt(1+float64(theta*theta)))
			if theta < 0 {
				t = -t
			}
			c := 1 / math.Sqrt(1+float64(t*t))
			s := float64(t * c)
			low, high := m[p*n+p]-float64(t*shared), m[q*n+q]+float64(t*shared)
			for k := range n { // columns
				x, y := m[k*n+p], m[k*n+q]
				m[k*n+p], m[k*n+q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
			}
			turnRows(m[p*n:][:n], m[q*n:][:n], c, s)
			turnRows(v[p*n:][:n], v[q*n:][:n], c, s)
			m[p*n+p], m[q*n+q], m[p*n+q], m[q*n+p] = low, high, 0, 0
		}
	}
	return turned
}

func turnRows(p, q []float64, c, s float64) {
	for k, x := range p {
		y := q[k]
		p[k], q[k] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}

// ascending sorts the diagonal of m and the rows of v with it, the first of equals
// first.
func ascending(m, v []float64, n int) (values, vectors []float64) {
	taken := make([]bool, n)
	for range n {
		least := -1
		for i := range n {
			if !taken[i] && (least < 0 || m[i*n+i] < m[least*n+least]) {
				least = i
			}
		}
		taken[least] = true
		values = append(values, m[least*n+least])
		vectors = append(vectors, v[least*n:][:n]...)
	}
	return values, vectors
}
