package factorization

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"starling/mechanisms/numeric"
)

// Participation states in how many inputs of a stream a record takes part, and how far apart.
type Participation struct {
	// Times is k, the most inputs that a record is in, at least 1.
	Times int
	// Apart is b, at least 1: inputs of a record are at least b steps apart.
	Apart int
	// Even means that they are among k inputs that are exactly b steps apart, as with data
	// that are gone through again and again in one order. A record that may leave out inputs
	// and take others for them is not in k such inputs: k is then all that fit, or Even is
	// false.
	Even bool
}

// Once is the participation of a record in one input at most.
var Once = Participation{Times: 1, Apart: 1}

// Within is the participation as n inputs see it: no more inputs than fit.
func (p Participation) Within(n int) Participation {
	p.Times = min(p.Times, (n-1)/p.Apart+1)
	return p
}

// Or is the participation of a record of which one or the other is known.
func (p Participation) Or(q Participation) Participation {
	switch {
	case q.Times <= 1:
		return p
	case p.Times <= 1:
		return q
	}
	return Participation{max(p.Times, q.Times), min(p.Apart, q.Apart), p.Even && q.Even && p.Apart == q.Apart}
}

// Rounds is the participation in rounds of tau inputs each, of a record that takes part in
// inputs as p: rounds have less of it than their inputs do.
func (p Participation) Rounds(tau int) Participation {
	if p.Times == 1 {
		return p
	}
	return Participation{p.Times, max(1, p.Apart/tau), p.Even && p.Apart%tau == 0}
}

// Validate refuses numbers below 1.
func (p Participation) Validate() error {
	if p.Times < 1 || p.Apart < 1 {
		return fmt.Errorf("a record is in %d inputs, %d apart; want at least 1 of both", p.Times, p.Apart)
	}
	return nil
}

// starts is the number of first inputs of even participations that have to be looked at. A
// first input from b on leaves out an input that an earlier one has, unless k inputs follow
// it.
func (p Participation) starts(n int) int { return max(p.Apart, n-(p.Times-1)*p.Apart) }

// spread is X = A'(B B')^(-1)A, of which no entry is negative.
type spread interface {
	// whole is 1'X 1, of the absolute values of X where it has entries of both signs.
	whole() float64
	// entries returns a function that returns X_st, 0 <= s <= t < n, or its absolute value.
	entries() func(s, t int) float64
}

// mostEntries is the largest number of entries of X that a sensitivity takes, some seconds.
const mostEntries = 1 << 24

// SensitivityOf returns the largest distance by which a record that takes part so often moves
// the release, each input by at most 1 in 2-norm, in standard deviations of unit noise: the
// largest
//
//	sqrt(sum_st X_st <u_s, u_t>), ||u_t|| <= 1, X = A'(B B')^(-1)A,
//
// over all sets of steps that the record can be in. No entry of X is negative, for any kind,
// so that the largest is where all its inputs move alike, and a record that leaves some out
// moves the release no further. So it is also where inputs are chosen in view of earlier
// releases.
//
// It is exact up to rounding where C is Toeplitz, with coefficients that are not negative and
// do not increase: columns 0, b, 2b, .. are the worst (Kalinin, Lampert 2024, Theorem 2), and
// orthogonal where C has b bands at most. For the other kinds it is exact where inputs are
// evenly apart, or all are taken. Where they are at least b apart it is a bound: the largest
// sum, over such a set, of the largest sums over such sets of the rows of X (Choquette-Choo et
// al. 2023). It returns an error without a proof, or where CheckWork fails.
func (f *Factorization) SensitivityOf(p Participation) (float64, error) {
	if err := p.Validate(); err != nil {
		return 0, err
	}
	moved, err := f.sensitivityOf(p)
	if err == nil && !positive(moved) {
		return 0, fmt.Errorf("factorization %s of %d steps: sensitivity %v to a record in %d inputs; want a finite number above 0", f.kind, f.n, moved, p.Times)
	}
	return moved, err
}

// sensitivityOf is SensitivityOf for a valid participation; the result may be no number.
func (f *Factorization) sensitivityOf(p Participation) (float64, error) {
	p = p.Within(f.n)
	if p.Times == 1 {
		return f.sensitivity, nil
	}
	if c, ok := f.spread.(columns); ok {
		square, err := c.apart(p)
		if err != nil {
			return 0, fmt.Errorf("factorization %s: %w", f.kind, err)
		}
		return math.Sqrt(square), nil
	}
	if p.Times == f.n {
		return f.FullSensitivity(), nil
	}
	if err := CheckWork(f.kind, f.n, p); err != nil {
		return 0, err
	}
	if p.Even {
		return math.Sqrt(numeric.Evenly(f.spread.entries(), f.n, p.Times, p.Apart, p.starts(f.n))), nil
	}
	return math.Sqrt(numeric.Apart(f.spread.entries(), f.n, p.Times, p.Apart)), nil
}

// CheckWork refuses sensitivities that SensitivityOf takes too long for. The factorization of
// the kind need not be built.
func CheckWork(kind Kind, n int, p Participation) error {
	p = p.Within(n)
	taken := map[bool]float64{true: float64(p.starts(n)) * float64(p.Times) * float64(p.Times) / 2, false: float64(n) * float64(n)}[p.Even]
	if taken <= mostEntries || p.Times == 1 || p.Times == n || slices.Contains([]Kind{Independent, Toeplitz, BandedToeplitz, BLT}, kind) {
		return nil
	}
	return fmt.Errorf("the sensitivity of factorization %s of %d steps to a record in %d inputs takes %.3g numbers; want at most %d: a Toeplitz kind takes one for each step", kind, n, p.Times, taken, mostEntries)
}

// columns is X = C'C for a lower-triangular Toeplitz C, by the n coefficients of C.
type columns struct {
	// coefficients yields the n coefficients of C from the first, anew for each loop.
	n            int
	coefficients func() iter.Seq[float64]
}

// whole implements spread.
func (c columns) whole() float64 {
	row, sum := 0.0, 0.0
	for x := range c.coefficients() {
		row += x
		sum += float64(row * row)
	}
	return sum
}

// entries implements spread. No sensitivity uses it: columns yield sensitivities at once.
func (c columns) entries() func(s, t int) float64 {
	all := make([]float64, 0, c.n)
	for x := range c.coefficients() {
		all = append(all, x)
	}
	return func(s, t int) (sum float64) {
		for row := t; row < c.n; row++ {
			sum += float64(all[row-s] * all[row-t])
		}
		return sum
	}
}

// apart is the squared length of the sum of columns 0, b, .., (k-1) b. Row i of it is row i-b,
// with the coefficient of i, less the coefficient of i - k b.
func (c columns) apart(p Participation) (sum float64, err error) {
	rows, last := make([]float64, p.Apart), math.Inf(1) // a ring of the last b rows
	var all []float64
	ends := p.Times * p.Apart // the first row that a column leaves out
	i := 0
	for x := range c.coefficients() {
		if !(x >= 0 && x <= last) {
			return 0, fmt.Errorf("coefficient %d of C is %v after %v; without coefficients that fall to 0 there is no proof of the sensitivity to a record in several inputs", i, x, last)
		}
		last = x
		row := rows[i%p.Apart] + x
		if ends < c.n {
			if all = append(all, x); i >= ends {
				row -= all[i-ends]
			}
		}
		rows[i%p.Apart] = row
		sum += float64(row * row)
		i++
	}
	return sum, nil
}
