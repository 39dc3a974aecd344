package model

import (
	"fmt"
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// The steps of a block of samples: forward, derive, backward, square, sum.

// requireLength panics for a slice of another length than the model's, which is a broken
// invariant of the caller.
func requireLength(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("%d %s, want %d", got, what, want))
	}
}

// own panics for the workspace of another model, since its buffers have other sizes.
func (w *Workspace) own(m *Model) {
	if w.model != m {
		panic("a workspace of another model")
	}
}

// forward computes the logits of the first n samples of the block. The logits of a sample are
// NaN if a parameter or an output of a convolution is not finite, which layers above could
// hide.
func (w *Workspace) forward(n int) {
	m := w.model
	for slot := range n {
		if w.broken[slot] = !w.finite; w.broken[slot] {
			continue
		}
		at := place{slot: slot}
		for i, s := range m.stages {
			at.stage = i
			s.forward(w, at, w.input(i, slot), w.slot(i, slot))
			if s.weights() > 0 {
				at.block++
			}
		}
	}
	x := w.flattened()
	for j, d := range m.head {
		d.forward(w.headParameters(j), x, w.outputs[j], n)
		x = w.outputs[j]
	}
	for slot := range n {
		if w.broken[slot] {
			logits := w.logits(slot)
			for k := range logits {
				logits[k] = float32(math.NaN())
			}
		}
	}
}

// headParameters returns the parameters of dense layer j. Dense layers are the last in the
// order of layers.
func (w *Workspace) headParameters(j int) []float32 {
	return w.parameters[len(w.parameters)-len(w.model.head)+j]
}

// logits returns the outputs of the last layer for a sample.
func (w *Workspace) logits(slot int) []float32 {
	n := w.model.Classes()
	return w.outputs[len(w.outputs)-1][slot*n : (slot+1)*n]
}

// derive computes the losses of the first n samples and their derivatives by the
// logits.
func (w *Workspace) derive(n int) {
	classes := w.model.Classes()
	delta := w.deltas[len(w.deltas)-1]
	for slot := range n {
		w.losses[slot] = crossEntropy(delta[slot*classes:(slot+1)*classes], w.logits(slot), w.labels[slot])
	}
}

// crossEntropy returns -log softmax(z)_label and overwrites delta with its
// gradient, softmax(z) less 1 at the label. Neither overflows nor cancels, whatever z is. exp
// is taken of numbers of at most 0, and the logarithm of 1 plus all terms except the largest.
// The entry of delta at the label is minus the sum of the others. If delta is nil it is not
// written.
func crossEntropy(delta, z []float32, label int) float64 {
	top := 0
	for k, v := range z {
		if v > z[top] {
			top = k
		}
	}
	var others, rest float64 // terms except the largest; terms except the label's
	for k, v := range z {
		e := portable.Exp(float64(v) - float64(z[top]))
		if k != top {
			others += e
		}
		if k != label {
			rest += e
		}
		if delta != nil {
			delta[k] = float32(e)
		}
	}
	if delta != nil {
		delta[label] = float32(-rest)
		total := 1 + others
		for k, v := range delta {
			delta[k] = float32(float64(v) / total)
		}
	}
	return float64(z[top]) - float64(z[label]) + portable.Log1p(others)
}

// backward computes the derivatives by the outputs of each dense layer, and the gradients of
// the convolutions' parameters, of the first n samples.
func (w *Workspace) backward(n int) {
	m := w.model
	for j := len(m.head) - 1; j > 0; j-- {
		m.head[j].backward(w.headParameters(j), w.deltas[j], w.deltas[j-1], n)
		if m.head[j-1].relu {
			size := n * m.head[j-1].units
			mask(w.deltas[j-1][:size], w.outputs[j-1][:size])
		}
	}
	if m.lowest == len(m.stages) {
		return
	}
	m.head[0].backward(w.headParameters(0), w.deltas[0], w.flat, n)
	for slot := range n {
		w.backwardStages(slot)
	}
}

// backwardStages takes a sample's derivatives from the first dense layer down to
// the lowest convolution.
func (w *Workspace) backwardStages(slot int) {
	m := w.model
	size := m.head[0].inputs
	delta := w.flat[slot*size : (slot+1)*size]
	var indices []int32 // places of delta in the output of the stage; nil: in order
	at := place{block: len(w.gradients), slot: slot}
	for i := len(m.stages) - 1; i >= m.lowest; i-- {
		at.stage = i
		if m.stages[i].rectified() {
			mask(delta, w.slot(i, slot))
		}
		var below []float32
		if i > m.lowest {
			below = w.below[i%2][:m.stages[i-1].output().Dim()]
		}
		switch s := m.stages[i].(type) {
		case *convolution:
			at.block--
			s.backward(w, at, w.input(i, slot), w.nonzero(indices, delta), below)
			delta, indices = below, nil
		case *maxPool:
			if m.stages[i-1].weights() > 0 {
				indices = w.sources(at)
			} else {
				s.scatter(w, at, delta, below)
				delta = below
			}
		}
	}
}

// square returns the squared norm of a sample's gradient. For a dense layer it is computed
// without the gradient.
func (w *Workspace) square(slot int) float64 {
	sum := 0.0
	for block := range w.gradients {
		sum += kernel.SquaredNorm32(w.gradient(place{block: block, slot: slot}))
	}
	x := w.flattened()
	for j, d := range w.model.head {
		delta := w.deltas[j][slot*d.units : (slot+1)*d.units]
		sum += d.square(x[slot*d.inputs:(slot+1)*d.inputs], delta)
		x = w.outputs[j]
	}
	return sum
}

// sum overwrites sums with the sum over the first n samples of their gradients,
// each times its scale.
func (w *Workspace) sum(n int) {
	for block, gradients := range w.gradients {
		size := w.model.blocks[block]
		clear(w.sums[block])
		kernel.Outer(w.sums[block], w.scales[:n], gradients[:n*size], 1, size, n, false)
	}
	x, first := w.flattened(), len(w.sums)-len(w.model.head)
	for j, d := range w.model.head {
		delta := w.deltas[j]
		for k := range delta[:n*d.units] {
			delta[k] *= w.scales[k/d.units]
		}
		d.sum(w.sums[first+j], x, delta, n)
		x = w.outputs[j]
	}
}
