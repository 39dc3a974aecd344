package factorization

import (
	"math"
	"slices"

	"starling/mechanisms/numeric"
)

const (
	// block is the number of steps of the chains' backward recurrence that are computed again
	// from each stored one.
	block = 16
	// mostStored is the largest number of numbers for which the gains and decays of all steps
	// are stored; 32 MiB.
	mostStored = 1 << 22
)

// chains is the law of a sum of autoregressive chains, one for each pole s and
// weight w of r: y_t = phi_t y_{t-1} + sqrt(w v_t phi_t) z with phi_t = 1/(1 + v_t
// b_t), b_{n-1} = s, b_t = s + b_{t+1} phi_{t+1}, so that y is N(0, w (U + s)^(-1)).
//
// A stream does not draw a number for each chain but one for their sum, by its innovations
// (Kalman 1960): with x_t the mean of the chains given the sums up to t, the entries of which
// add up to the sum, x_t = phi_t x_{t-1} + K_t z, where the gain K_t comes from the covariance
// of the chains given the sums. The sum has the same law, at the price of a recurrence in
// P(P+1)/2 numbers for each step, P the number of chains, for any number of coordinates.
type chains struct {
	// v has len n, poles and weights len P. interval is 0 where gains are stored.
	v, poles, weights []float64
	ends              []float64 // b at the last step of each block, chain after chain
	stored            []float64 // gains and decays of every step, P each; nil if too many
	saved             []float64 // else the numbers that a filter holds before steps 0, interval, 2 interval, ..
	interval          int
}

// newChains stores at most most numbers as gains and decays.
func newChains(v []float64, r numeric.Rational, most int, w *watcher) *chains {
	c := &chains{v: v, poles: r.Poles, weights: r.Weights}
	c.buildEnds()
	c.buildGains(most, w)
	return c
}

// buildEnds runs the backward recurrence through all steps.
func (c *chains) buildEnds() {
	v, count := c.v, len(c.poles)
	c.ends = make([]float64, (len(v)+block-1)/block*count)
	b := slices.Clone(c.poles)
	for t := len(v) - 1; ; t-- {
		if t == len(v)-1 || t%block == block-1 {
			copy(c.ends[t/block*count:], b)
		}
		if t == 0 {
			return
		}
		for j, s := range c.poles {
			b[j] = s + b[j]/(1+float64(v[t]*b[j]))
		}
	}
}

// backward has the backward recurrence of one block of steps: b at step t and
// chain j is at [(t mod block)*chains + j].
type backward struct {
	*chains
	at int // the block
	b  []float64
}

// backward begins before any block: the first step asked for computes one.
func (c *chains) backward() *backward {
	return &backward{chains: c, at: -1, b: make([]float64, block*len(c.poles))}
}

// step returns all chains' b at step t.
func (s *backward) step(t int) []float64 {
	count := len(s.poles)
	if t/block != s.at {
		s.at = t / block
		last := min(len(s.v), (s.at+1)*block) - 1
		row := s.b[last%block*count:][:count]
		copy(row, s.ends[s.at*count:])
		for u := last; u > s.at*block; u-- {
			before := s.b[(u-1)%block*count:][:count]
			for j, pole := range s.poles {
				before[j] = pole + row[j]/(1+float64(s.v[u]*row[j]))
			}
			row = before
		}
	}
	return s.b[t%block*count:][:count]
}

// rowNorms yields the variances of the sum of the chains, w/(a + b) each, where a
// is the precision that comes from the steps before: a_0 = 1/v_0, 1/a_{t+1} =
// v_{t+1} + 1/(a_t + s).
func (c *chains) rowNorms(yield func(float64) bool) {
	back := c.backward()
	deviation := make([]float64, len(c.poles)) // 1/a
	for t, v := range c.v {
		sum := 0.0
		for j, b := range back.step(t) {
			if t == 0 {
				deviation[j] = v
			} else {
				deviation[j] = v + deviation[j]/(1+float64(c.poles[j]*deviation[j]))
			}
			sum += c.weights[j] * deviation[j] / (1 + float64(b*deviation[j]))
		}
		if !yield(sum) {
			return
		}
	}
}

// filter follows the gains of the innovations from step to step.
type filter struct {
	*backward
	t                   int       // the step that advance does next
	covariance          []float64 // of the chains at t-1 given the sums up to t-2, its lower triangle row by row
	gains, last, decays []float64 // of step t-1, t-2, t-1
}

// held is the number of numbers that a filter holds, all its future depends on.
func (c *chains) held() int {
	count := len(c.poles)
	return count*(count+1)/2 + count
}

// filter is one before step 0, where the chains have no covariance yet.
func (c *chains) filter() *filter {
	count := len(c.poles)
	return &filter{
		backward:   c.backward(),
		covariance: make([]float64, count*(count+1)/2),
		gains:      make([]float64, count),
		last:       make([]float64, count),
		decays:     make([]float64, count),
	}
}

// advance does one step of the Riccati recurrence. Given the sums up to t-1, the
// chains at t have covariance phi phi' (S - K K') + diag(w v phi), S and K
// covariance and gain of the step before; its sums by rows over the root of their
// own sum are the gain.
func (f *filter) advance() {
	v, sum := f.v[f.t], 0.0
	for j, b := range f.step(f.t) {
		ratio := float64(v * b)
		f.decays[j] = ratio / (1 + ratio)
	}
	f.gains, f.last = f.last, f.gains
	rest := f.covariance
	for i, decay := range f.decays {
		row := rest[:i+1]
		rest = rest[i+1:]
		last, phi, rows := f.last[i], 1-decay, 0.0
		others, decays, gains := f.last[:i+1], f.decays[:i+1], f.gains[:i+1]
		for j, x := range row[:i] {
			x = float64(phi * (1 - decays[j]) * (x - float64(last*others[j])))
			row[j] = x
			rows += x
			gains[j] += x
		}
		own := float64(phi*phi*(row[i]-float64(last*last))) + float64(f.weights[i]*v*phi)
		row[i] = own
		gains[i] = rows + own
	}
	for _, x := range f.gains {
		sum += x
	}
	scale := 1 / math.Sqrt(sum)
	for i := range f.gains {
		f.gains[i] *= scale
	}
	f.t++
}

// at returns the gains and decays of step t, which are good until the next call.
func (f *filter) at(t int) (gains, decays []float64) {
	if t != f.t {
		start := t / f.interval
		held := f.saved[start*f.held():][:f.held()]
		copy(f.covariance, held)
		copy(f.gains, held[len(f.covariance):])
		f.t = start * f.interval
	}
	for f.t <= t {
		f.advance()
	}
	return f.gains, f.decays
}

// buildGains runs a filter through all steps and stores the numbers that streams need: at most
// most numbers, or the filter's own at intervals.
func (c *chains) buildGains(most int, w *watcher) {
	n, count := len(c.v), len(c.poles)
	f := c.filter()
	if n <= most/(2*count) {
		c.stored = make([]float64, 0, 2*n*count)
		for range n {
			f.advance()
			c.stored = append(append(c.stored, f.gains...), f.decays...)
		}
		return
	}
	// The interval is in proportion to the number of chains, so that the saved numbers, P^2/2
	// at a time, are about n P/8 in all, and a multiple of block, where the backward
	// recurrence begins anew.
	c.interval = (4*count + block - 1) / block * block
	c.saved = make([]float64, 0, (n+c.interval-1)/c.interval*c.held())
	for t := 0; t < n && w.At("gains of chains", t, n); t++ {
		if t%c.interval == 0 {
			c.saved = append(append(c.saved, f.covariance...), f.gains...)
		}
		f.advance()
	}
}

// memory implements law: the mean of each chain given the sums so far.
func (c *chains) memory() int { return len(c.poles) }

// sampler implements law. Stored gains are shared; a filter is scratch of one stream.
func (c *chains) sampler() sampler {
	if c.stored != nil {
		return c
	}
	return &filtered{c.filter()}
}

// next draws with stored gains.
func (c *chains) next(dst, state []float64, t int, z Normals) {
	row := c.stored[2*len(c.poles)*t:][:2*len(c.poles)]
	evolve(dst, state, row[:len(c.poles)], row[len(c.poles):], z)
}

// filtered draws with gains that it computes step by step.
type filtered struct{ filter *filter }

// next implements sampler. A step out of order costs up to interval steps of the filter.
func (s *filtered) next(dst, state []float64, t int, z Normals) {
	gains, decays := s.filter.at(t)
	evolve(dst, state, gains, decays, z)
}
