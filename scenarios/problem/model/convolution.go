package model

import (
	"starling/mechanisms/kernel"
	"starling/scenarios/problem/dataset"
)

// longPatch is the least length of a filter that is applied as an inner product with each
// patch of the input. Shorter filters are applied as sums of shifted images, since inner
// products of few values take longer to begin than to compute.
const longPatch = 64

// convolution has filters of size x size x channels and stride 1, with the ReLU
// after it. It multiplies matrices: its input is unfolded to patches, the values
// that a filter sees at one position.
type convolution struct {
	// in and out are the shapes of one sample.
	in, out dataset.Shape
	filters int
	size    int
	// margin is the number of zeros on each side.
	margin int
	// relu is true if a ReLU follows and no max-pool has taken it over.
	relu bool
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

// patch returns the number of values that a filter sees.
func (c *convolution) patch() int { return c.in.Channels * c.size * c.size }

// positions returns the number of values of an output channel.
func (c *convolution) positions() int { return c.out.Rows * c.out.Columns }

func (c *convolution) unfolded() int { return c.patch() * c.positions() }

// padded returns the shape of the input with its margin.
func (c *convolution) padded() dataset.Shape {
	return dataset.Shape{Channels: c.in.Channels, Rows: c.in.Rows + 2*c.margin, Columns: c.in.Columns + 2*c.margin}
}

// forward computes y = weights x patches + biases, filters x positions.
func (c *convolution) forward(w *Workspace, at place, x, y []float32) {
	params := w.parameters[at.block]
	n := c.filters * c.patch()
	weights, biases := params[:n], params[n:]
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
		kernel.Outer(y, weights, patches, c.filters, p, c.patch(), false)
	} else {
		c.unfoldRows(patches, x)
		kernel.Inner(y, weights, patches, c.filters, p, c.patch(), true)
	}
	// A max-pool and a ReLU would hide a sum that exceeds the range of float32.
	if !kernel.AllFinite32(y) {
		w.broken[at.slot] = true
	}
	if c.relu {
		rectify(y)
	}
}

// backward computes the gradient of the parameters from the input and from the derivatives by
// the output. It gets only the derivatives that are not zero: behind a max-pool and a ReLU
// these are few. Unless below is nil it overwrites it with the derivatives by the input.
func (c *convolution) backward(w *Workspace, at place, x []float32, derivatives sparse, below []float32) {
	positions, patch, n := c.positions(), c.patch(), c.filters*c.patch()
	gradient := w.gradient(at)
	clear(gradient)
	patches := w.patches[:c.unfolded()]
	c.unfoldRows(patches, c.pad(w, x))
	for k, v := range derivatives.values {
		f, p := int(derivatives.indices[k])/positions, int(derivatives.indices[k])%positions
		kernel.Axpy32(gradient[f*patch:(f+1)*patch], v, patches[p*patch:(p+1)*patch])
		gradient[n+f] += v
	}
	if below == nil {
		return
	}
	clear(patches)
	weights := w.parameters[at.block]
	for k, v := range derivatives.values {
		f, p := int(derivatives.indices[k])/positions, int(derivatives.indices[k])%positions
		kernel.Axpy32(patches[p*patch:(p+1)*patch], v, weights[f*patch:(f+1)*patch])
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

// paddedRow returns the index in the padded input at which a row of the input, counted over
// all channels, begins.
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
	patch, square := c.patch(), c.size*c.size
	for row := range c.out.Rows {
		for channel := range shape.Channels {
			from := x[(channel*shape.Rows+row)*shape.Columns:]
			to := patches[row*c.out.Columns*patch+channel*square:]
			if c.size == 3 { // the papers' filters
				unfoldThree(to, patch, from, shape.Columns)
				continue
			}
			for column := range c.out.Columns {
				for k := range c.size {
					copy(to[column*patch+k*c.size:][:c.size], from[k*shape.Columns+column:])
				}
			}
		}
	}
}

// unfoldThree writes the squares of 3 x 3 of three rows of width values, next to
// each other at from, a patch apart. It reads each value once.
func unfoldThree(to []float32, patch int, from []float32, width int) {
	a, b, c := from[:width], from[width:2*width], from[2*width:3*width]
	a0, a1, b0, b1, c0, c1 := a[0], a[1], b[0], b[1], c[0], c[1]
	a, b, c = a[2:], b[2:len(a)], c[2:len(a)]
	for k, a2 := range a {
		b2, c2, square := b[k], c[k], to[k*patch:k*patch+9]
		square[0], square[1], square[2] = a0, a1, a2
		square[3], square[4], square[5] = b0, b1, b2
		square[6], square[7], square[8] = c0, c1, c2
		a0, a1, b0, b1, c0, c1 = a1, a2, b1, b2, c1, c2
	}
}

// foldThree adds squares of 3 x 3, a patch apart, at the positions where unfoldThree would
// read them. A value gets its sum in the order of the squares and is then written once.
func foldThree(from []float32, patch int, to []float32, width int) {
	a, b, c := to[:width], to[width:2*width], to[2*width:3*width]
	a0, a1, b0, b1, c0, c1 := a[0], a[1], b[0], b[1], c[0], c[1]
	for k := range width - 2 {
		square := from[k*patch : k*patch+9]
		a[k], a0, a1 = a0+square[0], a1+square[1], a[k+2]+square[2]
		b[k], b0, b1 = b0+square[3], b1+square[4], b[k+2]+square[5]
		c[k], c0, c1 = c0+square[6], c1+square[7], c[k+2]+square[8]
	}
	a[width-2], a[width-1], b[width-2], b[width-1], c[width-2], c[width-1] = a0, a1, b0, b1, c0, c1
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
	patch, square := c.patch(), c.size*c.size
	for row := range c.out.Rows {
		for channel := range shape.Channels {
			from := patches[row*c.out.Columns*patch+channel*square:]
			to := sums[(channel*shape.Rows+row)*shape.Columns:]
			if c.size == 3 {
				foldThree(from, patch, to, shape.Columns)
				continue
			}
			for column := range c.out.Columns {
				for k := range c.size {
					kernel.Axpy32(to[k*shape.Columns+column:][:c.size], 1, from[column*patch+k*c.size:])
				}
			}
		}
	}
	if c.margin == 0 {
		return
	}
	for row := range c.in.Channels * c.in.Rows {
		copy(below[row*c.in.Columns:(row+1)*c.in.Columns], sums[c.paddedRow(row):])
	}
}
