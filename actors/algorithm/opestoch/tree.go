package opestoch

import (
	"math/bits"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
)

// freshDepth is the depth of the vertex of tree j, at which the depth-first walk to a leaf
// first leaves the path to the leaf before: 0, the root, for the tree's first leaf, and the
// depth of a right child for all others. Below it the path goes left, where children copy
// their parents.
func freshDepth(j, leaf int) int {
	if leaf == 0 {
		return 0
	}
	return j - bits.TrailingZeros(uint(leaf))
}

// estimate returns v_s at a leaf of tree j of the phase, leaves counted from 0
// and visited in order: Algorithm 3. It is valid until the next call.
func (c *Client) estimate(t *algorithm.Turn, p *Phase, j, leaf int) ([]float64, error) {
	d := len(c.x)
	if c.shared.Losses == nil {
		v := t.Scratch(d)
		for n, sum := range c.sums[(j-1)*d : j*d] {
			v[n] = sum / float64(p.Batch)
		}
		return v, nil
	}
	q := freshDepth(j, leaf)
	if err := c.refine(t, p, q); err != nil {
		return nil, err
	}
	for child := q + 1; child <= j; child++ { // line 9
		copy(c.row(c.v, child), c.row(c.v, q))
		copy(c.row(c.at, child), c.row(c.at, q))
	}
	return c.row(c.v, j), nil
}

// row is the vector of a depth.
func (c *Client) row(rows []float64, depth int) []float64 {
	d := len(c.x)
	return rows[depth*d : (depth+1)*d]
}

// refine computes v_s of a root, line 5, or of a right child, (3), at depth q,
// at the newest iterate. A right child without losses keeps its parent's v.
func (c *Client) refine(t *algorithm.Turn, p *Phase, q int) error {
	v, at := c.row(c.v, q), c.row(c.at, q)
	size := p.Batch >> q
	batch := c.drawn[c.used : c.used+size]
	c.used += size
	d := len(c.x)
	work := t.Scratch(3 * d)
	sum, here, there := work[:d], work[d:2*d], work[2*d:]
	clear(sum)
	steps := make([]int, size)
	for i, offset := range batch {
		steps[i] = c.shared.schedule.Phases[p.Number-2].First + int(offset)
	}
	atX, err := c.past(t, steps, c.x)
	if err != nil {
		return err
	}
	atParent := func(dst []float64, _ int) error { clear(dst); return nil } // a root has none
	if q > 0 {
		if atParent, err = c.past(t, steps, c.row(c.at, q-1)); err != nil {
			return err
		}
	}
	for i := range steps {
		if err := atX(here, i); err != nil {
			return err
		}
		if err := atParent(there, i); err != nil {
			return err
		}
		for n := range sum {
			sum[n] += here[n] - there[n]
		}
	}
	if q == 0 {
		clear(v)
	} else {
		copy(v, c.row(c.v, q-1))
	}
	if size > 0 {
		for n := range v {
			v[n] += sum[n] / float64(size)
		}
	}
	copy(at, c.x)
	return nil
}

// past returns a function that writes the gradient at x of the client's loss of one of the
// given past steps. Where losses are asked for together, all are asked for now.
func (c *Client) past(t *algorithm.Turn, steps []int, x []float64) (write func(dst []float64, i int) error, err error) {
	d := len(x)
	gradient := func(dst []float64, i int) { c.shared.Losses.Gradient(dst, c.node, steps[i], x) }
	if at := c.shared.past; at != nil && len(steps) > 0 {
		question := &batch.Steps{X: x, Steps: steps, Answer: make([]float64, len(steps)*d)}
		if err := t.Consult(at, question); err != nil {
			return nil, err
		}
		gradient = func(dst []float64, i int) { copy(dst, question.Answer[i*d:]) }
	}
	return func(dst []float64, i int) error {
		gradient(dst, i)
		return c.shared.checkEntries(dst, c.node, steps[i])
	}, nil
}
