package numeric

import (
	"starling/mechanisms/kernel"
)

// depth is the number of differences between steps that are kept.
const depth = 8

// Mixing accelerates the fixed-point iteration x <- x + r(x) by Anderson's method (Walker, Ni
// 2011): of the last steps it takes the combination with the least residual, by linear
// extrapolation. gram has the inner products of dr by slots of the ring. steps counts the
// steps taken.
type Mixing struct {
	x, r   []float64   // of the last step
	dx, dr [][]float64 // differences between steps, in a ring
	gram   [depth][depth]float64
	steps  int
}

// NewMixing returns a Mixing for vectors of len n >= 1. It keeps 2 + 2 depth of them.
func NewMixing(n int) *Mixing {
	m := &Mixing{x: make([]float64, n), r: make([]float64, n)}
	for range depth {
		m.dx = append(m.dx, make([]float64, n))
		m.dr = append(m.dr, make([]float64, n))
	}
	return m
}

// Step moves x, given its residual r, which it does not change. Both have the len of New.
func (m *Mixing) Step(x, r []float64) {
	if m.steps > 0 {
		slot := (m.steps - 1) % depth
		kernel.ScaledDifference(m.dx[slot], 1, x, m.x)
		kernel.ScaledDifference(m.dr[slot], 1, r, m.r)
		for other := range min(m.steps, depth) {
			product := kernel.Dot(m.dr[slot], m.dr[other])
			m.gram[slot][other], m.gram[other][slot] = product, product
		}
	}
	// x and r are kept as they come, before the step moves x.
	copy(m.x, x)
	copy(m.r, r)
	kernel.Add(x, r)
	for slot, share := range m.shares(r) {
		kernel.Axpy(x, -share, m.dx[slot])
		kernel.Axpy(x, -share, m.dr[slot])
	}
	m.steps++
}

// shares solves min ||r - sum_k shares[k] dr[k]||, by normal equations with a
// ridge: differences that are nearly dependent make no large step. Without a
// solution the step is a plain one.
func (m *Mixing) shares(r []float64) []float64 {
	const ridge = 1e-13
	k := min(m.steps, depth)
	if k == 0 {
		return nil
	}
	gram, shares := make([]float64, 0, k*k), make([]float64, k)
	for p := range k {
		gram = append(gram, m.gram[p][:k]...)
		gram[p*k+p] *= 1 + ridge
		shares[p] = kernel.Dot(m.dr[p], r)
	}
	factor, ok := NewCholesky(gram, k, 0)
	if !ok {
		return nil
	}
	factor.Solve(shares)
	return shares
}
