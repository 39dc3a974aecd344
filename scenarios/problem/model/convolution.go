package model

import (
	"gonum.org/v1/gonum/blas"

	"starling/scenarios/problem/dataset"
)

// longPatch is from where on a filter is taken as an inner product with each
// patch of the input; shorter filters are taken as sums of shifted images, since
// inner products of few values cost more to begin than to compute.
const longPatch = 64

// convolution has filters of size x size x channels and stride 1, with the ReLU
// after it. It multiplies matrices: its input is unfolded to patches, the values
// that a filter sees at one position.
type convolution struct {
	in, out dataset.Shape
	filters int
	size    int
	margin  int // zeros on each side
	relu    bool
}

func newConvolution(layer Layer, in dataset.Shape) *convolution {
	c := &convolution{in: in, out: layer.output(in), filters: layer.Filters, size: layer.Size}
	if layer.Padding == PaddingSame {
		c.margin = layer.Size / 2
	}
	return c
}

func (c *convolution) output() dataset.Shape { return c.out }
func (c *convolution) rectified() bool       { return c.relu }
func (c *convolution) weights() int          { return c.filters * (c.patch() + 1) }

// patch is the number of values that a filter sees.
func (c *convolution) patch() int { return c.in.Channels * c.size * c.size }

// positions is the number of values of an output channel.
func (c *convolution) positions() int { return c.out.Rows * c.out.Columns }

func (c *convolution) unfolded() int { return c.patch() * c.positions() }

// padded is the shape of the input with its margin.
func (c *convolution) padded() dataset.Shape {
	return dataset.Shape{Channels: c.in.Channels, Rows: c.in.Rows + 2*c.margin, Columns: c.in.Columns + 2*c.margin}
}

// forward computes y = weights x patches + biases, filters x positions.
func (c *convolution) forward(w *Workspace, at place, x, y []float32) {
	params := w.parameters[at.block]
	n := c.filters * c.patch()
	weights, biases := matrix(c.filters, c.patch(), params[:n]), params[n:]
	p := c.positions()
	for f, b := range biases {
		channel := y[f*p : (f+1)*p]
		for k := range channel {
			channel[k] = b
		}
	}
	x, patches := c.pad(w, x), w.patches[:c.unfolded()]
	if c.patch() < longPatch {
		c.unfoldColumns(patches, x)
		multiply(blas.NoTrans, blas.NoTrans, weights, matrix(c.patch(), p, patches), 1, matrix(c.filters, p, y))
	} else {
		c.unfoldRows(patches, x)
		multiply(blas.NoTrans, blas.Trans, weights, matrix(p, c.patch(), patches), 1, matrix(c.filters, p, y))
	}
	// A max-pool and a ReLU would hide a sum that exceeds the range of float32.
	if !finite(y) {
		w.broken[at.slot] = true
	}
	if c.relu {
		rectify(y)
	}
}

// backward computes the gradient of the parameters from the input and from the
// derivatives by the output, of which it is given those that are not zero:
// behind a max-pool and a ReLU these are few. Unless below is nil it overwrites
// it with the derivatives by the input.
func (c *convolution) backward(w *Workspace, at place, x []float32, derivatives sparse, below []float32) {
	positions, patch, n := c.positions(), c.patch(), c.filters*c.patch()
	gradient := w.gradient(at)
	clear(gradient)
	patches := w.patches[:c.unfolded()]
	c.unfoldRows(patches, c.pad(w, x))
	for k, v := range derivatives.values {
		f, p := int(derivatives.indices[k])/positions, int(derivatives.indices[k])%positions
		addScaled(gradient[f*patch:(f+1)*patch], v, patches[p*patch:(p+1)*patch])
		gradient[n+f] += v
	}
	if below == nil {
		return
	}
	clear(patches)
	weights := w.parameters[at.block]
	for k, v := range derivatives.values {
		f, p := int(derivatives.indices[k])/positions, int(derivatives.indices[k])%positions
		addScaled(patches[p*patch:(p+1)*patch], v, weights[f*patch:(f+1)*patch])
	}
	c.fold(w, below, patches)
}

// pad returns the input with its margin of zeros, in scratch unless there is no
// margin.
func (c *convolution) pad(w *Workspace, x []float32) []float32 {
	if c.margin == 0 {
		return x
	}
	shape := c.padded()
	wide := w.padded[:shape.Dim()]
	clear(wide)
	for row := range c.in.Channels * c.in.Rows {
		copy(wide[c.paddedRow(row):], x[row*c.in.Columns:(row+1)*c.in.Columns])
	}
	return wide
}

// paddedRow is where a row of the input, counted over all channels, begins in
// the padded one.
func (c *convolution) paddedRow(row int) int {
	shape := c.padded()
	channel, row := row/c.in.Rows, row%c.in.Rows
	return (channel*shape.Rows+row+c.margin)*shape.Columns + c.margin
}

// unfoldColumns writes the patches of a padded input, patch x positions.
func (c *convolution) unfoldColumns(patches, x []float32) {
	shape, columns := c.padded(), c.out.Columns
	for channel := range shape.Channels {
		for k := range c.size * c.size {
			start := (channel*shape.Rows+k/c.size)*shape.Columns + k%c.size
			for range c.out.Rows {
				copy(patches[:columns], x[start:])
				patches = patches[columns:]
				start += shape.Columns
			}
		}
	}
}

// unfoldRows writes the patches of a padded input, positions x patch.
func (c *convolution) unfoldRows(patches, x []float32) {
	shape := c.padded()
	area, square := shape.Rows*shape.Columns, c.size*c.size
	for position := range c.positions() {
		corner := position/c.out.Columns*shape.Columns + position%c.out.Columns
		for range shape.Channels {
			to, from := patches[:square], x[corner:]
			if c.size == 3 { // the papers' filters
				unfoldThree(to, from, shape.Columns)
			} else {
				for ; len(to) > 0; to = to[c.size:] {
					copy(to[:c.size], from)
					from = from[min(shape.Columns, len(from)):]
				}
			}
			patches = patches[square:]
			corner += area
		}
	}
}

// unfoldThree copies a square of 3 x 3 that begins at from, rows stride apart.
func unfoldThree(to, from []float32, stride int) {
	to = to[:9]
	a, b, c := from[:3], from[stride:stride+3], from[2*stride:2*stride+3]
	to[0], to[1], to[2] = a[0], a[1], a[2]
	to[3], to[4], to[5] = b[0], b[1], b[2]
	to[6], to[7], to[8] = c[0], c[1], c[2]
}

// foldThree adds a square of 3 x 3 where unfoldThree would copy it from.
func foldThree(from, to []float32, stride int) {
	from = from[:9]
	a, b, c := to[:3], to[stride:stride+3], to[2*stride:2*stride+3]
	a[0], a[1], a[2] = a[0]+from[0], a[1]+from[1], a[2]+from[2]
	b[0], b[1], b[2] = b[0]+from[3], b[1]+from[4], b[2]+from[5]
	c[0], c[1], c[2] = c[0]+from[6], c[1]+from[7], c[2]+from[8]
}

// fold overwrites below, the shape of the input, with the sums of the patches,
// positions x patch, at the values that they were unfolded from.
func (c *convolution) fold(w *Workspace, below, patches []float32) {
	shape := c.padded()
	sums := below
	if c.margin > 0 {
		sums = w.padded[:shape.Dim()]
	}
	clear(sums)
	area, square := shape.Rows*shape.Columns, c.size*c.size
	for position := range c.positions() {
		corner := position/c.out.Columns*shape.Columns + position%c.out.Columns
		for range shape.Channels {
			from, to := patches[:square], sums[corner:]
			if c.size == 3 {
				foldThree(from, to, shape.Columns)
			} else {
				for ; len(from) > 0; from = from[c.size:] {
					addScaled(to[:c.size], 1, from[:c.size])
					to = to[min(shape.Columns, len(to)):]
				}
			}
			patches = patches[square:]
			corner += area
		}
	}
	if c.margin == 0 {
		return
	}
	for row := range c.in.Channels * c.in.Rows {
		copy(below[row*c.in.Columns:(row+1)*c.in.Columns], sums[c.paddedRow(row):])
	}
}
