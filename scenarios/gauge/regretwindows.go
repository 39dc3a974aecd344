package gauge

import (
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/kernel"
	"starling/messages"
)

// regretWindows are the linear regrets of a measured node over all intervals of tau steps. The
// largest is its strongly adaptive regret (Daniely, Gonen, Shalev-Shwartz 2015, definition
// 1.1). Over intervals of any length it would be the adaptive regret of Hazan, Seshadhri 2009.
// It is linear as (3) of DPDO-NC.
//
// The sum over an interval is the sum over the end of one block of tau steps and over the
// beginning of the next. Nothing is ever subtracted, so that sums are as good as their terms,
// and a step takes O(d), whatever tau is. Rows of sums are functionals: inner, then the
// gradient.
type regretWindows struct {
	set    mirror.Set
	tau    int
	offset int       // the step of now, from 0 at the first
	now    []float64 // the sums of that step, so far
	begun  []float64 // the sum over the block so far
	sum    []float64 // working memory
	// block has rows by step of a block: those before now are of their step alone, and the
	// others are sums to the end of the block before, from their step on.
	block []float64
	worst float64 // NaN before an interval is over
}

// newRegretWindows returns windows of decisions of length d.
func newRegretWindows(set mirror.Set, d, tau int) *regretWindows {
	width := d + 1
	memory := make([]float64, (tau+3)*width)
	return &regretWindows{
		set: set, tau: tau, worst: math.NaN(),
		now: memory[:width], begun: memory[width : 2*width], sum: memory[2*width : 3*width], block: memory[3*width:],
	}
}

// row returns the row of a step of a block.
func (w *regretWindows) row(i int) []float64 { return w.block[i*len(w.now) : (i+1)*len(w.now)] }

// add adds a share of a point that is played in a step, and of the gradient there.
func (w *regretWindows) add(offset int, share float64, x, gradient []float64) {
	w.through(offset - 1)
	for i, g := range gradient {
		w.now[0] += float64(share * float64(g*x[i]))
		w.now[1+i] += float64(share * g)
	}
}

// through ends all steps up to one. A step in which the node did not play adds nothing.
func (w *regretWindows) through(offset int) {
	for w.offset <= offset {
		w.end()
	}
}

// end ends a step, and with it an interval.
func (w *regretWindows) end() {
	at := w.offset % w.tau
	kernel.Add(w.begun, w.now)
	copy(w.row(at), w.now)
	clear(w.now)
	if w.offset >= w.tau-1 {
		copy(w.sum, w.begun)
		if at < w.tau-1 {
			kernel.Add(w.sum, w.row(at+1))
		}
		if regret := w.sum[0] + w.set.Support(w.sum[1:]); !(regret <= w.worst) {
			w.worst = regret
		}
	}
	if at == w.tau-1 {
		for i := at - 1; i >= 0; i-- {
			kernel.Add(w.row(i), w.row(i+1))
		}
		clear(w.begun)
	}
	w.offset++
}

// State goes through all that was taken in.
func (w *regretWindows) State(c *messages.Codec) {
	c.Int("offset", &w.offset)
	c.Floats("now", w.now)
	c.Floats("begun", w.begun)
	c.Floats("block", w.block)
	c.Float("worst", &w.worst)
	c.Check(w.offset >= 0, "step %d", w.offset)
}
