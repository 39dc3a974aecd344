package factorization

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/mechanisms/numeric"
)

// The blocks cover the steps once, and are single steps at the ends.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		c := newCoarse(n)
		if c.begin[0] != 0 || c.begin[c.blocks()] != n || c.blocks() > 150 {
			t.Fatalf("%d blocks from %d to %d", c.blocks(), c.begin[0], c.begin[c.blocks()])
		}
		for b, middle := range c.middle {
			begin, end := c.begin[b], c.begin[b+1]
			if middle < begin || middle >= end || float64(end-begin-1) > growth*float64(min(begin, n-end)+1) {
				t.Fatalf("block [%d, %d) of %d with middle %d", begin, end, n, middle)
			}
		}
	})
}

// With multipliers that are constant on blocks the coarse sums are exact, also
// after one was changed.
func TestCoarseSums(t *testing.T) {
	const n = 3000
	c := newCoarse(n)
	blocks, v := make([]float64, c.blocks()), make([]float64, n)
	for b := range blocks {
		blocks[b] = 5 + math.Sin(float64(b))
	}
	changed := c.blocks() / 3
	low, high := c.spectrum(blocks)
	r, _ := numeric.RationalWithin(low, high, 1e-6)
	m := c.at(blocks, r)
	blocks[changed] *= 2
	m.set(changed, blocks[changed])
	for b, x := range blocks {
		for i := c.begin[b]; i < c.begin[b+1]; i++ {
			v[i] = x
		}
	}
	got, want := make([]float64, c.blocks()), make([]float64, n)
	m.residual(got)
	newEvaluator(n).diagonal(want, v, r)
	for b, middle := range c.middle {
		if d := math.Log(want[middle] / v[middle]); math.Abs(got[b]-d) > 1e-11 {
			t.Errorf("block %d: %v, want %v", b, got[b], d)
		}
	}
	fineLow, fineHigh := spectrum(v)
	if low, high := c.spectrum(blocks); !near(low, fineLow, 1e-12) || !near(high, fineHigh, 1e-12) {
		t.Errorf("spectrum [%v, %v], want [%v, %v]", low, high, fineLow, fineHigh)
	}
}

// Where every block is a step, the coarse problem is the problem, and Newton's
// step divides by its Jacobian: I/2 times a vector of ones is where it takes one,
// since d(c v) = sqrt(c) d(v).
func TestCoarseStepOfAScale(t *testing.T) {
	for _, n := range []int{1, 4, 500} {
		c := newCoarse(n)
		v, err := c.solve()
		if err != nil {
			t.Fatal(err)
		}
		residual, err := c.linearize(v)
		if err != nil {
			t.Fatal(err)
		}
		// What is left is the error of the few poles.
		if largest := mat.Norm(mat.NewVecDense(len(residual), residual), math.Inf(1)); largest > 1e-3 {
			t.Errorf("n = %d: residual %v", n, largest)
		}
		for b := range residual {
			residual[b] = -0.5
		}
		for b, x := range c.step(residual) {
			if math.Abs(x+1) > 0.02 {
				t.Errorf("n = %d: block %d moves by %v, want -1", n, b, x)
			}
		}
	}
}
