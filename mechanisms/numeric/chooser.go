package numeric

// Chooser finds the largest sum of a choice among n numbers: at most times of them, with
// places at least apart from each other.
type Chooser struct {
	times, apart int
	fewer, more  []float64 // by the first numbers allowed: 0 .. n
}

// NewChooser keeps two rows of n + 1 numbers for all searches.
func NewChooser(n, times, apart int) *Chooser {
	return &Chooser{times, apart, make([]float64, n+1), make([]float64, n+1)}
}

// Of takes n numbers that are not negative, and does not keep them.
func (c *Chooser) Of(x []float64) float64 {
	clear(c.fewer)
	for range c.times {
		for t, v := range x {
			// The best of the first t+1 numbers either leaves number t out or takes it,
			// and then the rest ends b before it.
			c.more[t+1] = max(c.more[t], v+c.fewer[max(0, t+1-c.apart)])
		}
		c.fewer, c.more = c.more, c.fewer
	}
	return c.fewer[len(x)]
}

// Evenly is the largest sum of entries of a symmetric matrix, given for s <= t, over numbers
// s, s+apart, .. < n: times of them, or as many as fit, beginning at one of the first starts
// places.
func Evenly(entry func(s, t int) float64, n, times, apart, starts int) (largest float64) {
	for start := range starts {
		sum := 0.0
		for i, t := 0, start; i < times && t < n; i, t = i+1, t+apart {
			sum += entry(t, t)
			for s := start; s < t; s += apart {
				sum += 2 * entry(s, t)
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// Apart bounds the sum of such entries, none negative, over a choice among n numbers: times of
// them, with places at least apart from each other. The bound is the largest sum of the
// largest sums of rows.
func Apart(entry func(s, t int) float64, n, times, apart int) float64 {
	rows, row := make([]float64, n), make([]float64, n)
	best := NewChooser(n, times, apart)
	for s := range rows {
		for t := range row {
			row[t] = entry(min(s, t), max(s, t))
		}
		rows[s] = best.Of(row)
	}
	return best.Of(rows)
}
