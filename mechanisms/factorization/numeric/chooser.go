package numeric

// Chooser finds the largest sum of so many of n numbers, at least so many apart.
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
