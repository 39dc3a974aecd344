// Package symmetric solves small systems of equations whose matrix is symmetric, and
// finds its eigenvalues: with the same bits on every machine, as package kernel does
// what it does.
//
// It is for the few matrices of a run that a divergence or a least loss is about, of up
// to some hundred rows. It has no blocks, and no methods for large or sparse matrices.
//
// Matrices are n x n, row by row.
package symmetric

import (
	"cmp"
	"math"
	"slices"

	"starling/mechanisms/kernel"
)

// leastPivot is below which share of the largest pivot a matrix counts as singular.
const leastPivot = 1e-12

// Factorize overwrites the lower triangle of a with L of a = L L' (Cholesky). ok is false
// where a is not positive definite, or so near to a matrix that is not that a pivot is
// below 1e-12 times the largest; a is then undefined. The upper triangle is left.
func Factorize(a []float64, n int) (ok bool) {
	var largest float64
	for i := range n {
		largest = max(largest, a[i*n+i])
	}
	for i := range n {
		row := a[i*n : i*n+i+1]
		for j := range i {
			other := a[j*n : j*n+j+1]
			row[j] = (row[j] - kernel.Dot(row[:j], other[:j])) / other[j]
		}
		pivot := row[i] - kernel.SquaredNorm(row[:i])
		if !(pivot > leastPivot*largest) || math.IsInf(pivot, 1) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	return true
}

// Solve overwrites x, len n, with the solution of L L' y = x, for L of Factorize.
func Solve(x, factor []float64, n int) {
	for i := range n {
		row := factor[i*n : i*n+i+1]
		x[i] = (x[i] - kernel.Dot(row[:i], x[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := factor[i*n : i*n+i+1]
		x[i] /= row[i]
		kernel.Axpy(x[:i], -x[i], row[:i])
	}
}

// What Eigen takes at most, and how small an entry off the diagonal has to be: the method
// converges quadratically, in five to ten sweeps.
const (
	mostSweeps = 60
	negligible = 0x1p-60 // of the norm of the matrix
)

// Eigen finds the eigenvalues of a, ascending, and their eigenvectors: row j of vectors,
// n x n, belongs to values[j], len n, and has length 1. It overwrites a. ok is false where
// it does not converge, as of a matrix that is not finite. It is the cyclic method of
// Jacobi (Golub, Van Loan, Matrix Computations, section 8.5).
func Eigen(values, vectors, a []float64, n int) (ok bool) {
	clear(vectors)
	for i := range n {
		vectors[i*n+i] = 1
	}
	small := negligible * kernel.Norm(a)
	if math.IsNaN(small) || math.IsInf(small, 1) {
		return false
	}
	for range mostSweeps {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if math.Abs(a[p*n+q]) > small {
					annihilate(a, vectors, p, q, n)
					rotated = true
				}
			}
		}
		if !rotated {
			sortByValue(values, vectors, a, n)
			return true
		}
	}
	return false
}

// annihilate rotates rows and columns p and q of a so that entry (p, q) is 0, and rows p
// and q of vectors with them.
func annihilate(a, vectors []float64, p, q, n int) {
	theta := (a[q*n+q] - a[p*n+p]) / (2 * a[p*n+q])
	t := 1 / (math.Abs(theta) + math.Sqrt(1+float64(theta*theta)))
	t = math.Copysign(t, theta)
	c := 1 / math.Sqrt(1+float64(t*t))
	s := t * c
	rotate(vectors[p*n:(p+1)*n], vectors[q*n:(q+1)*n], c, s)
	rotate(a[p*n:(p+1)*n], a[q*n:(q+1)*n], c, s)
	for k := 0; k < n*n; k += n {
		u, v := a[k+p], a[k+q]
		a[k+p] = float64(c*u) - float64(s*v)
		a[k+q] = float64(s*u) + float64(c*v)
	}
	a[p*n+q], a[q*n+p] = 0, 0
}

// rotate computes x, y = c x - s y, s x + c y.
func rotate(x, y []float64, c, s float64) {
	for k, u := range x {
		v := y[k]
		x[k] = float64(c*u) - float64(s*v)
		y[k] = float64(s*u) + float64(c*v)
	}
}

// sortByValue takes the values from the diagonal of a and sorts them and their vectors.
func sortByValue(values, vectors, a []float64, n int) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(a[i*n+i], a[j*n+j]), cmp.Compare(i, j)) })
	unsorted := slices.Clone(vectors)
	for j, i := range order {
		values[j] = a[i*n+i]
		copy(vectors[j*n:(j+1)*n], unsorted[i*n:(i+1)*n])
	}
}
