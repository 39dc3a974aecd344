package factorization

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// Strategy is a lower-triangular matrix C of N x N numbers. Of n sums its first n rows and columns are used. It is
// immutable.
type Strategy struct{ rows []StrategyRow }

// StrategyRow has the entries of a row of C from column First, from 0, to the diagonal. The entries before are 0.
type StrategyRow struct {
	First   int
	Entries []float64
}

// mostStrategy is the largest number of rows of a strategy: its sensitivity takes a third of a second for so many.
const mostStrategy = 2048

// NewStrategy returns the strategy with these rows, which it keeps. The error is of a row that does not end at
// the diagonal, with a number other than 0, or has an entry that is not finite.
func NewStrategy(rows []StrategyRow) (*Strategy, error) {
	if len(rows) < 1 || len(rows) > mostStrategy {
		return nil, fmt.Errorf("a strategy has %d rows; want 1 to %d", len(rows), mostStrategy)
	}
	for t, row := range rows {
		if row.First < 0 || row.First > t || row.First+len(row.Entries) != t+1 {
			return nil, fmt.Errorf("row %d of C ends before its diagonal, or after it", t+1)
		}
		for j, x := range row.Entries {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("entry (%d, %d) of C is %v; want a finite number", t+1, row.First+j+1, x)
			}
		}
		if row.Entries[len(row.Entries)-1] == 0 {
			return nil, fmt.Errorf("entry (%d, %d) of C, on its diagonal, is 0; without it no B has A = BC", t+1, t+1)
		}
	}
	return &Strategy{rows}, nil
}

// N is the number of rows and of columns.
func (s *Strategy) N() int { return len(s.rows) }

// bands is the number of diagonals with entries, in the first n rows: as many as the row with the most has.
func (s *Strategy) bands(n int) (bands int) {
	for _, row := range s.rows[:n] {
		bands = max(bands, len(row.Entries))
	}
	return bands
}

// buildOwn fills in a C of the author and B = A C^(-1).
func (f *Factorization) buildOwn(c *Strategy) {
	rows := c.rows[:f.n]
	x := newGram(rows)
	most := 0.0
	for t := range f.n {
		most = max(most, x.upper[x.place(t, t)])
	}
	f.sensitivity, f.spread = math.Sqrt(most), x
	f.rows = rowNorms(rows)
	f.law = recursion{rows, c.bands(f.n) - 1}
}

// gram is the matrix of absolute values of C'C, by rows of its upper triangle. A record moves the release by at most
// the root of the sum of the entries of its inputs, whatever directions its inputs move in (Choquette-Choo et al.
// 2023, Theorem 2), and at most that far if entries have both signs.
type gram struct {
	n     int
	upper []float64
}

func newGram(rows []StrategyRow) gram {
	n := len(rows)
	g := gram{n, make([]float64, n*(n+1)/2)}
	for _, row := range rows {
		for j, x := range row.Entries {
			into := g.upper[g.place(row.First+j, row.First+j):]
			for k, y := range row.Entries[j:] {
				into[k] += float64(x * y)
			}
		}
	}
	for i, x := range g.upper {
		g.upper[i] = math.Abs(x)
	}
	return g
}

// place is the place of entry (s, t), s <= t.
func (g gram) place(s, t int) int { return s*g.n - s*(s-1)/2 + t - s }

// entries implements spread.
func (g gram) entries() func(s, t int) float64 {
	return func(s, t int) float64 { return g.upper[g.place(s, t)] }
}

// whole implements spread.
func (g gram) whole() (sum float64) {
	for s := range g.n {
		sum += g.upper[g.place(s, s)]
		for _, x := range g.upper[g.place(s, s)+1 : g.place(s, g.n-1)+1] {
			sum += 2 * x
		}
	}
	return sum
}

// rowNorms yields the squared row norms of B = A C^(-1). Row t of B solves b C = (1, .., 1, 0, .., 0) with t+1
// ones, backwards from column t.
func rowNorms(rows []StrategyRow) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		b := make([]float64, len(rows))
		for t := range rows {
			for j := range t + 1 {
				b[j] = 1
			}
			sum := 0.0
			for row := t; row >= 0; row-- {
				of := &rows[row]
				last := len(of.Entries) - 1
				x := b[row] / of.Entries[last]
				sum += float64(x * x)
				for j, c := range of.Entries[:last] {
					b[of.First+j] -= float64(x * c)
				}
			}
			if !yield(sum) {
				return
			}
		}
	}
}

// recursion is the law of increments y = C^(-1) Z: y_t = (z_t - sum_{s<t} C_ts y_s) / C_tt. The state is a ring of
// the last increments, as many as a row of C reaches.
type recursion struct {
	rows []StrategyRow
	ring int
}

// memory and sampler implement law.
func (r recursion) memory() int      { return r.ring }
func (r recursion) sampler() sampler { return r }

// next implements sampler.
func (r recursion) next(dst, state []float64, t int, z Normals) {
	z.FillNormal(dst)
	d, row := len(dst), &r.rows[t]
	last := len(row.Entries) - 1
	for j, c := range row.Entries[:last] {
		begin := (row.First + j) % r.ring * d
		for i, y := range state[begin : begin+d] {
			dst[i] -= float64(c * y)
		}
	}
	for i := range dst {
		dst[i] /= row.Entries[last]
	}
	if r.ring > 0 {
		copy(state[t%r.ring*d:], dst)
	}
}

// checkStrategy refuses a strategy where there is none to be, or of another number of steps.
func (o *Options) checkStrategy() error {
	switch {
	case o.Kind != Own && o.Strategy != nil:
		return fmt.Errorf("factorization %s has no strategy of its own", o.Kind)
	case o.Kind == Own && o.Strategy == nil:
		return fmt.Errorf("factorization %s has no strategy C", o.Kind)
	case o.Kind == Own && o.Strategy.N() < o.N:
		return fmt.Errorf("C has %d rows, and there are %d sums; want a row for each", o.Strategy.N(), o.N)
	}
	return nil
}

// all lists the kinds of a Factorization.
func all() []Kind { return slices.Concat(Kinds(), []Kind{Own}) }
