package stream

import (
	"fmt"
	"math"
)

// RegretBound are the constants of Lemma IV.9, which bounds the dynamic regret
// of the algorithm with a noise on every step. All are explicit: it is for who
// knows them to give them, and for most problems nobody does.
type RegretBound struct {
	Shape
	Dim        int     // d
	LocalStep  float64 // eta
	GlobalStep float64 // eta_g

	Smoothness    float64 // L > 0, of every f_i^{r,t}
	GradientBound float64 // B_g >= 0, of every f_i^{r,t}
	// Alpha and Mu > 0 are those of Assumption IV.4 on the mean loss of a
	// round; 1 and mu for mu-strongly convex ones.
	Alpha, Mu float64
	// Sigma >= 0 is that of Assumption IV.3: 1 where the set of optima is
	// convex, and 0 where it is one point.
	Sigma float64

	// Scale is V_i >= 0, the standard deviation of the entries of every xi_i;
	// the paper's V^2 is V_i^2/n.
	Scale float64
	// RoundRows is ||B_R||_F^2, the sum over rounds of ||b^{r,tau-1}||^2.
	RoundRows float64
	// LargestRow is the largest ||b^{r,t}||^2.
	LargestRow float64

	// Start is ||x^0 - x*||^2, x* the projection of x^0 on the optima of all
	// data together.
	Start float64
	// Drift is C_R: the sum over rounds of the expected squared distance
	// between the projections of x^r on the optima of the round and of all
	// data together.
	Drift float64
}

// Step is eta~ = eta eta_g tau.
func (b *RegretBound) Step() float64 { return b.LocalStep * b.GlobalStep * float64(b.Tau) }

// Validate reports the first constant with which the lemma says nothing.
func (b *RegretBound) Validate() error {
	if b.Learners < 1 || b.Rounds < 1 || b.Tau < 1 || b.Dim < 1 {
		return fmt.Errorf("regret bound: n = %d, R = %d, tau = %d, d = %d, want at least 1 of each", b.Learners, b.Rounds, b.Tau, b.Dim)
	}
	for _, c := range []struct {
		name     string
		value    float64
		positive bool
	}{
		{"eta", b.LocalStep, true},
		{"eta_g", b.GlobalStep, true},
		{"L", b.Smoothness, true},
		{"B_g", b.GradientBound, false},
		{"alpha", b.Alpha, true},
		{"mu", b.Mu, true},
		{"sigma", b.Sigma, false},
		{"V_i", b.Scale, false},
		{"||B_R||_F^2", b.RoundRows, false},
		{"max ||b||^2", b.LargestRow, false},
		{"||x^0 - x*||^2", b.Start, false},
		{"C_R", b.Drift, false},
	} {
		if !(c.value >= 0) || math.IsInf(c.value, 1) || c.positive && c.value == 0 {
			return fmt.Errorf("regret bound: %s = %v, want a finite number %s", c.name, c.value, map[bool]string{true: "> 0", false: ">= 0"}[c.positive])
		}
	}
	if most := b.Alpha / (8 * b.Smoothness); !(b.Step() <= most) {
		return fmt.Errorf("regret bound: eta~ = eta eta_g tau = %v, want at most alpha/(8 L) = %v", b.Step(), most)
	}
	return nil
}

// PerStep is the bound of Lemma IV.9 on the expected dynamic regret divided by R
// tau. It fails where Validate does.
func (b *RegretBound) PerStep() (float64, error) {
	if err := b.Validate(); err != nil {
		return 0, err
	}
	n, rounds, tau, d := float64(b.Learners), float64(b.Rounds), float64(b.Tau), float64(b.Dim)
	step, l, alpha := b.Step(), b.Smoothness, b.Alpha
	variance := b.Scale * b.Scale / n // V^2
	start := b.Start / (alpha * rounds * step)
	noise := 24 * l * (1 + b.Sigma) * step * step / (alpha * alpha * rounds) * b.RoundRows * d * variance / (tau * tau)
	drift := (12*l + alpha*b.Mu) * b.Drift / (alpha * alpha * rounds)
	local := (step + alpha/(12*l) + 1/b.Mu) / alpha * 2 * l * l * b.LocalStep * b.LocalStep *
		(2*tau*tau*b.GradientBound*b.GradientBound + 8*b.LargestRow*d*n*variance)
	return start + noise + drift + local, nil
}

// Total is the bound on the expected dynamic regret of the whole run.
func (b *RegretBound) Total() (float64, error) {
	perStep, err := b.PerStep()
	return perStep * float64(b.Steps()), err
}
