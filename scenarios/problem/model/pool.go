package model

import (
	"math"

	"starling/scenarios/problem/dataset"
)

// maxPool takes the maximum of squares of size x size that do not overlap, with
// the ReLU after it.
type maxPool struct {
	in, out dataset.Shape
	size    int
	relu    bool
}

func newMaxPool(layer Layer, in dataset.Shape) *maxPool {
	return &maxPool{in: in, out: layer.output(in), size: layer.Size}
}

func (p *maxPool) output() dataset.Shape { return p.out }
func (p *maxPool) rectified() bool       { return p.relu }
func (p *maxPool) weights() int          { return 0 }
func (p *maxPool) unfolded() int         { return 0 }

// forward notes where each maximum is; of equal values the first counts.
func (p *maxPool) forward(w *Workspace, at place, x, y []float32) {
	from := w.sources(at)
	for row := range p.out.Channels * p.out.Rows {
		channel, r := row/p.out.Rows, row%p.out.Rows
		start := (channel*p.in.Rows + r*p.size) * p.in.Columns
		if p.size == 2 && p.relu {
			p.rectifyPairs(x, start, y[:p.out.Columns], from)
		} else {
			p.forwardRow(x, start, y[:p.out.Columns], from)
		}
		y, from = y[p.out.Columns:], from[p.out.Columns:]
	}
	if p.relu && p.size != 2 {
		rectify(w.slot(at.stage, at.slot))
	}
}

// forwardRow computes a row of the output from the rows that begin at start.
//
// Images hold no pattern that a processor could learn, so it does not branch on
// values: a value and its index become one whole number. These numbers are in the order of the
// values, and for equal values in the order of the indices from the last to the first. Values
// are finite; otherwise the results are not used.
func (p *maxPool) forwardRow(x []float32, start int, y []float32, from []int32) {
	for k := range y {
		best := int64(math.MinInt32) << indexBits
		for r := range p.size {
			first := start + r*p.in.Columns
			for j, v := range x[first : first+p.size] {
				best = larger(best, ranked(v, first+j))
			}
		}
		from[k] = int32(indexMask - best&indexMask)
		y[k] = x[from[k]]
		start += p.size
	}
}

// rectifyPairs is forwardRow and the ReLU for squares of 2 x 2, which would take most of the
// time. The bits of float32 have the order of the numbers, except among numbers below 0. These
// all become 0, and their indices are not used. Two further bits hold the place among the
// four, larger for the first.
func (p *maxPool) rectifyPairs(x []float32, start int, y []float32, from []int32) {
	columns := p.in.Columns
	offset := [4]int{columns + 1, columns, 1, 0}
	upper, lower := x[start:start+2*len(y)], x[start+columns:start+columns+2*len(y)]
	from = from[:len(y)]
	for k := range y {
		a := int64(uint64(math.Float32bits(upper[0]))<<32)>>1 | 3
		b := int64(uint64(math.Float32bits(upper[1]))<<32)>>1 | 2
		c := int64(uint64(math.Float32bits(lower[0]))<<32)>>1 | 1
		d := int64(uint64(math.Float32bits(lower[1]))<<32) >> 1
		best := larger(larger(a, b), larger(c, d))
		y[k] = math.Float32frombits(uint32(larger(best, 0) >> 31))
		from[k] = int32(start + offset[best&3])
		start += 2
		upper, lower = upper[2:], lower[2:]
	}
}

// larger returns the maximum of two numbers. Their difference must not overflow. The built-in
// function branches.
func larger(a, b int64) int64 {
	d := a - b
	return a - d&(d>>63)
}

// An index takes 30 bits of a ranked number. That leaves one bit of 64 unused, so that
// differences do not overflow.
const (
	indexBits = 30
	indexMask = 1<<indexBits - 1
)

// ranked returns a value and its index as one whole number.
func ranked(v float32, index int) int64 {
	return int64(ordered(v))<<indexBits | int64(indexMask-index)
}

// ordered maps float32 to whole numbers in the same order: to the bits, inverted except for
// the sign if the number is negative. The bits of -0 and 0 differ, so 0 is added first.
func ordered(v float32) int32 {
	bits := int32(math.Float32bits(v + 0))
	return bits ^ int32(uint32(bits>>31)>>1)
}

// scatter overwrites below, the derivatives by the input, with the derivatives by the output
// at the places of the maxima.
func (p *maxPool) scatter(w *Workspace, at place, delta, below []float32) {
	clear(below)
	for k, from := range w.sources(at) {
		below[from] = delta[k]
	}
}
