package factorization

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The dense matrices below are built from the definitions, in ways that share
// nothing with the code under test.

// triangle is A, the n x n lower triangle of ones.
func triangle(n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			a.Set(i, j, 1)
		}
	}
	return a
}

type interval struct{ begin, size int }

// dyadic lists the dyadic intervals that lie whole inside [0, n).
func dyadic(n int) (nodes []interval) {
	for size := 1; size <= n; size *= 2 {
		for begin := 0; begin+size <= n; begin += size {
			nodes = append(nodes, interval{begin, size})
		}
	}
	return nodes
}

// treeMatrix has a row for each of the nodes.
func treeMatrix(n int, nodes []interval) *mat.Dense {
	c := mat.NewDense(len(nodes), n, nil)
	for k, node := range nodes {
		for j := range node.size {
			c.Set(k, node.begin+j, 1)
		}
	}
	return c
}

// leastSquares returns the row b of least norm in b C = target for a C with full
// column rank: b = target (C'C)^(-1) C'.
func leastSquares(t *testing.T, c *mat.Dense, target mat.Matrix) *mat.Dense {
	t.Helper()
	var gram, solved, b mat.Dense
	gram.Mul(c.T(), c)
	if err := solved.Solve(&gram, target.T()); err != nil {
		t.Fatal(err)
	}
	b.Mul(solved.T(), c.T())
	return &b
}

// greedy covers [0, t+1) by dyadic intervals, largest first.
func greedy(t int) (cover []interval) {
	for begin, rest := 0, t+1; rest > 0; {
		size := 1
		for 2*size <= rest {
			size *= 2
		}
		cover = append(cover, interval{begin, size})
		begin, rest = begin+size, rest-size
	}
	return cover
}

func treeFactors(t *testing.T, kind Kind, n int) (b, c *mat.Dense) {
	nodes := dyadic(n)
	c = treeMatrix(n, nodes)
	if kind == TreeFull {
		return leastSquares(t, c, triangle(n)), c
	}
	b = mat.NewDense(n, len(nodes), nil)
	for row := range n {
		for _, dark := range greedy(row) {
			if kind == Tree {
				b.Set(row, slices.Index(nodes, dark), 1)
				continue
			}
			subtree := dyadic(dark.size)
			ones := mat.NewDense(1, dark.size, slices.Repeat([]float64{1}, dark.size))
			weights := leastSquares(t, treeMatrix(dark.size, subtree), ones)
			for k, node := range subtree {
				b.Set(row, slices.Index(nodes, interval{dark.begin + node.begin, node.size}), weights.At(0, k))
			}
		}
	}
	return b, c
}

// lowerToeplitz is the n x n matrix with coefficient(i-j) at (i, j).
func lowerToeplitz(n int, coefficient func(int) float64) *mat.Dense {
	c := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			c.Set(i, j, coefficient(i-j))
		}
	}
	return c
}

// binomial is h(j) = binom(2j, j)/4^j by the gamma function.
func binomial(j int) float64 {
	above, _ := math.Lgamma(float64(j) + 0.5)
	below, _ := math.Lgamma(float64(j) + 1)
	return math.Exp(above-below) / math.Sqrt(math.Pi)
}

// factors returns dense B and C with B C = A of a factorization with the given
// options. For the chains C is the least one, a triangle that belongs to the
// covariance of the chains.
func factors(t *testing.T, o Options, f *Factorization) (b, c *mat.Dense) {
	t.Helper()
	n := o.N
	switch o.Kind {
	case Independent:
		return triangle(n), lowerToeplitz(n, func(k int) float64 { return float64(max(0, 1-k)) })
	case Tree, TreeOnline, TreeFull:
		return treeFactors(t, o.Kind, n)
	case Toeplitz:
		c = lowerToeplitz(n, binomial)
		return c, c
	case BandedToeplitz:
		c = lowerToeplitz(n, func(k int) float64 {
			switch {
			case k >= o.Bands:
				return 0
			case k > 0 && o.Fit.Times > 0: // fitted bands have tests of their own
				return f.law.(banded).below[k-1]
			}
			return binomial(k)
		})
	case BLT:
		law := f.law.(blt)
		c = lowerToeplitz(n, func(k int) float64 {
			sum := 0.0
			for l, scale := range law.scale {
				sum += scale * math.Pow(law.decay[l], float64(k-1))
			}
			if k == 0 {
				return 1
			}
			return sum
		})
	default:
		return chainFactors(t, f.law.(*chains))
	}
	var inverse mat.Dense
	if err := inverse.Inverse(c); err != nil {
		t.Fatal(err)
	}
	b = mat.NewDense(n, n, nil)
	b.Mul(triangle(n), &inverse)
	return b, c
}

// chainFactors returns the Cholesky factor of sum_j w_j ((A D A')^(-1) + s_j)^(-1)
// and C = B^(-1) A.
func chainFactors(t *testing.T, law *chains) (b, c *mat.Dense) {
	n := len(law.v)
	precision := mat.NewSymDense(n, nil) // A^(-T) D^(-1) A^(-1)
	for i, v := range law.v {
		precision.SetSym(i, i, precision.At(i, i)+1/v)
		if i > 0 {
			precision.SetSym(i-1, i-1, precision.At(i-1, i-1)+1/v)
			precision.SetSym(i-1, i, -1/v)
		}
	}
	covariance := mat.NewSymDense(n, nil)
	for j, s := range law.poles {
		var shifted, inverse mat.SymDense
		shifted.ScaleSym(1, precision)
		for i := range n {
			shifted.SetSym(i, i, shifted.At(i, i)+s)
		}
		var factor mat.Cholesky
		if !factor.Factorize(&shifted) {
			t.Fatal("a chain has no positive precision")
		}
		if err := factor.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		inverse.ScaleSym(law.weights[j], &inverse)
		covariance.AddSym(covariance, &inverse)
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		t.Fatal("the covariance of the chains is not positive")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	b, c = mat.DenseCopyOf(&lower), mat.NewDense(n, n, nil)
	if err := c.Solve(b, triangle(n)); err != nil {
		t.Fatal(err)
	}
	return b, c
}

// incrementCovariance is A^(-1) B B' A^(-T).
func incrementCovariance(b *mat.Dense) *mat.SymDense {
	rows, columns := b.Dims()
	difference := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			x := b.At(i, j)
			if i > 0 {
				x -= b.At(i-1, j)
			}
			difference.Set(i, j, x)
		}
	}
	covariance := mat.NewSymDense(rows, nil)
	covariance.SymOuterK(1, difference)
	return covariance
}

// solveDense is the optimum's multipliers by dense eigendecompositions and the
// fixed-point iteration v <- v (d/v)^3, and the mean squared error: n times it
// is (sum d)^2/sum v, which is stationary there and so has twice the digits of v.
func solveDense(t *testing.T, n int) (v []float64, mse float64) {
	t.Helper()
	v = slices.Repeat([]float64{1}, n)
	for range 2000 {
		_, d := denseRoot(t, v)
		change := 0.0
		for i := range v {
			change = max(change, math.Abs(d[i]/v[i]-1))
		}
		if change < 1e-9 {
			return v, floats.Sum(d) * floats.Sum(d) / floats.Sum(v) / float64(n)
		}
		for i := range v {
			v[i] *= math.Pow(d[i]/v[i], 3)
		}
	}
	t.Fatalf("the dense solver does not converge at n = %d", n)
	return nil, 0
}

// denseRoot returns (D^(1/2) A'A D^(1/2))^(1/2) and its diagonal.
func denseRoot(t *testing.T, v []float64) (*mat.SymDense, []float64) {
	t.Helper()
	n := len(v)
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			m.SetSym(i, j, math.Sqrt(v[i]*v[j])*float64(n-j))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		t.Fatal("no eigendecomposition")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for k, value := range eigen.Values(nil) {
		for i := range n {
			vectors.Set(i, k, vectors.At(i, k)*math.Pow(max(0, value), 0.25))
		}
	}
	root := mat.NewSymDense(n, nil)
	root.SymOuterK(1, &vectors)
	d := make([]float64, n)
	for i := range d {
		d[i] = root.At(i, i)
	}
	return root, d
}
