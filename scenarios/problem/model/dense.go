package model

import (
	"starling/mechanisms/kernel"
)

// dense is a dense layer with the ReLU after it; it works on a block of samples
// at a time.
type dense struct {
	inputs, units int
	relu          bool
}

func (d dense) weights() int { return d.units * (d.inputs + 1) }

// forward computes y, n x units, of x, n x inputs.
func (d dense) forward(params, x, y []float32, n int) {
	weights, biases := params[:d.units*d.inputs], params[d.units*d.inputs:]
	kernel.Inner(y[:n*d.units], x[:n*d.inputs], weights, n, d.units, d.inputs, false)
	for s := range n {
		row := y[s*d.units : (s+1)*d.units]
		for k, b := range biases {
			row[k] += b
		}
		if d.relu {
			rectify(row)
		}
	}
}

// backward computes the derivatives by the input, n x inputs, from the derivatives by the
// argument of the ReLU, n x units.
func (d dense) backward(params, delta, below []float32, n int) {
	weights := params[:d.units*d.inputs]
	below = below[:n*d.inputs]
	clear(below)
	kernel.Outer(below, delta[:n*d.units], weights, n, d.inputs, d.units, false)
}

// square returns the squared norm of a sample's gradient. The gradient of the weights is the
// outer product of delta and x, so only these are read.
func (d dense) square(x, delta []float32) float64 {
	return float64((1 + kernel.SquaredNorm32(x)) * kernel.SquaredNorm32(delta))
}

// sum overwrites dst, as long as the layer's parameters, with the sum over n samples of the
// gradients for x and delta.
func (d dense) sum(dst, x, delta []float32, n int) {
	weights, biases := dst[:d.units*d.inputs], dst[d.units*d.inputs:]
	clear(dst)
	kernel.Outer(weights, delta[:n*d.units], x[:n*d.inputs], d.units, d.inputs, n, true)
	for s := range n {
		for k, v := range delta[s*d.units : (s+1)*d.units] {
			biases[k] += v
		}
	}
}

// write overwrites dst, as long as the layer's parameters, with the gradient of
// one sample.
func (d dense) write(dst []float64, x, delta []float32) {
	for k, v := range delta {
		row := dst[k*d.inputs : (k+1)*d.inputs]
		if v == 0 { // about half of the units are behind a ReLU
			clear(row)
			continue
		}
		widen(row, v, x)
	}
	widen(dst[d.units*d.inputs:], 1, delta)
}
