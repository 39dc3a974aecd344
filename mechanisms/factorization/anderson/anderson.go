// Package anderson accelerates fixed-point iterations in many dimensions.
//
// It takes residuals and moves a point. It evaluates no residual, and when to stop is its
// caller's concern.
package anderson

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// depth is how many differences between steps are kept.
const depth = 8

// Mixing accelerates the fixed-point iteration x <- x + r(x) by Anderson's method
// (Walker, Ni 2011): of the last steps it takes the combination whose residual
// is the least, by linear extrapolation. gram has the inner products of dr by slots of the
// ring. steps counts the steps taken.
type Mixing struct {
	x, r   []float64   // of the last step
	dx, dr [][]float64 // differences between steps, in a ring
	gram   *mat.SymDense
	steps  int
}

// New is for vectors of len n >= 1 and keeps 2 + 2 depth of them.
func New(n int) *Mixing {
	m := &Mixing{x: make([]float64, n), r: make([]float64, n), gram: mat.NewSymDense(depth, nil)}
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
		floats.SubTo(m.dx[slot], x, m.x)
		floats.SubTo(m.dr[slot], r, m.r)
		for other := range min(m.steps, depth) {
			m.gram.SetSym(slot, other, floats.Dot(m.dr[slot], m.dr[other]))
		}
	}
	// x and r are kept as they come, before the step moves x.
	copy(m.x, x)
	copy(m.r, r)
	floats.Add(x, r)
	for slot, share := range m.shares(r) {
		floats.AddScaled(x, -share, m.dx[slot])
		floats.AddScaled(x, -share, m.dr[slot])
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
	gram := mat.NewSymDense(k, nil)
	right := mat.NewVecDense(k, nil)
	for p := range k {
		for q := range p {
			gram.SetSym(p, q, m.gram.At(p, q))
		}
		gram.SetSym(p, p, m.gram.At(p, p)*(1+ridge))
		right.SetVec(p, floats.Dot(m.dr[p], r))
	}
	var factor mat.Cholesky
	var shares mat.VecDense
	if !factor.Factorize(gram) || factor.SolveVecTo(&shares, right) != nil {
		return nil
	}
	return shares.RawVector().Data
}
