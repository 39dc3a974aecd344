package model

import (
	"fmt"
	"math"
	"slices"
)

// Gradient overwrites dst with the gradient of the loss of one sample at params,
// both len Dim, and returns the loss. Features have len Inputs; the label is a class from 0,
// and other labels are broken invariants. Where numbers exceed the range of float32 the result
// is not finite.
func (m *Model) Gradient(dst, params []float64, features []float32, label int, w *Workspace) (loss float64) {
	requireLength("entries of the gradient", len(dst), m.dim)
	w.set(m, params, features, label)
	w.forward(1)
	return w.gradientOfOne(dst)
}

// set makes features the only sample of the block.
func (w *Workspace) set(m *Model, params []float64, features []float32, label int) {
	w.own(m)
	requireLength("features", len(features), m.Inputs())
	w.load(params)
	w.setLabel(label)
	copy(w.features, features)
}

func (w *Workspace) setLabel(label int) {
	if label < 0 || label >= w.model.Classes() {
		panic(fmt.Sprintf("label %d, want 0 to %d", label, w.model.Classes()-1))
	}
	w.labels[0] = label
}

// gradientOfOne is the part of Gradient after forward.
func (w *Workspace) gradientOfOne(dst []float64) float64 {
	if !w.finite {
		for k := range dst {
			dst[k] = math.NaN()
		}
		return math.NaN()
	}
	w.derive(1)
	w.backward(1)
	for block := range w.gradients {
		n := w.model.blocks[block]
		widen(dst[:n], 1, w.gradient(place{block: block}))
		dst = dst[n:]
	}
	x := w.flattened()
	for j, d := range w.model.head {
		d.write(dst[:d.weights()], x[:d.inputs], w.deltas[j][:d.units])
		dst, x = dst[d.weights():], w.outputs[j]
	}
	return w.losses[0]
}

// Loss returns the loss of one sample at params, len Dim, and the predicted
// class, which is -1 where the logits are not numbers.
func (m *Model) Loss(params []float64, features []float32, label int, w *Workspace) (loss float64, predicted int) {
	w.set(m, params, features, label)
	w.forward(1)
	return crossEntropy(nil, w.logits(0), label), predict(w.logits(0))
}

// Predict returns the class of the largest logit at params, len Dim, the first of equal ones,
// and -1 where a logit is not a number.
func (m *Model) Predict(params []float64, features []float32, w *Workspace) int {
	_, predicted := m.Loss(params, features, 0, w)
	return predicted
}

func predict(logits []float32) int {
	top := 0
	for k, v := range logits {
		if v != v {
			return -1
		}
		if v > logits[top] {
			top = k
		}
	}
	return top
}

// Clipping has the results of SumClipped besides the sum. All of it is raw: none of it is
// covered by the noise that the sum is going to get.
type Clipping struct {
	// Loss is the sum of the losses.
	Loss float64
	// Clipped is the number of gradients longer than C.
	Clipped int
	// Norms are the 2-norms of the gradients before clipping, in the order of
	// the batch. They lie in the workspace, until its next use.
	Norms []float64
}

// SumClipped overwrites dst, len Dim, with
//
//	sum over i in the batch of g_i min(1, C/||g_i||),
//
// the sum that DP-SGD adds noise to, where g_i is the gradient at params, len
// Dim, of sample i of the data. A batch may name a sample more than once, and gradients are
// added in its order; an empty batch, or nil, gives 0. clip is C > 0, or +Inf for no clipping.
// A clipped gradient has norm C up to the rounding of float32, some parts in 10^6, not
// exactly.
//
// Norms are computed first, for dense layers from their inputs and derivatives alone
// (Goodfellow 2015, "Efficient per-example gradient computations"); then derivatives are
// scaled and multiplied once for all samples of a block. Gradients of convolutions are small
// and kept for each sample.
//
// It is an error if C is not above 0, a sample or a label does not exist, or a
// gradient is not finite; dst is then undefined.
func (m *Model) SumClipped(dst, params []float64, data Samples, batch []int, clip float64, w *Workspace) (Clipping, error) {
	if err := requireClip(clip); err != nil {
		return Clipping{}, err
	}
	if len(batch) == 0 {
		requireLength("entries of the sum", len(dst), m.dim)
		clear(dst)
		return Clipping{}, nil
	}
	return m.sumClipped(dst, params, data, batch, len(batch), clip, w)
}

// MeanGradient overwrites dst, len Dim, with the gradient at params, len Dim, of
// the mean loss over all of the data, which it returns. Nothing is clipped. It
// is an error if there are no data, a label does not exist, or a gradient is not
// finite; dst is then undefined.
func (m *Model) MeanGradient(dst, params []float64, data Samples, w *Workspace) (loss float64, err error) {
	n := data.Len()
	if n == 0 {
		return 0, fmt.Errorf("no samples to take a mean of")
	}
	sum, err := m.sumClipped(dst, params, data, nil, n, math.Inf(1), w)
	if err != nil {
		return 0, err
	}
	for k := range dst {
		dst[k] /= float64(n)
	}
	return sum.Loss / float64(n), nil
}

// sumClipped is SumClipped over n samples, the first n of the data where batch
// is nil.
func (m *Model) sumClipped(dst, params []float64, data Samples, batch []int, n int, clip float64, w *Workspace) (Clipping, error) {
	if err := w.begin(m, dst, params, data, n); err != nil {
		return Clipping{}, err
	}
	var c Clipping
	for first := 0; first < n; first += blockSize {
		size := min(blockSize, n-first)
		if err := w.read(data, batch, first, size); err != nil {
			return Clipping{}, err
		}
		if err := w.addClipped(dst, &c, clip, first, size); err != nil {
			return Clipping{}, err
		}
	}
	c.Norms = w.norms
	return c, nil
}

// begin prepares a sum of clipped gradients over n samples.
func (w *Workspace) begin(m *Model, dst, params []float64, data Samples, n int) error {
	w.own(m)
	requireLength("entries of the sum", len(dst), m.dim)
	if err := m.fits(data); err != nil {
		return err
	}
	if w.load(params); !w.finite {
		return fmt.Errorf("a parameter is not finite in float32")
	}
	w.norms = slices.Grow(w.norms[:0], n)
	clear(dst)
	return nil
}

// addClipped adds the clipped gradients of the block's first n samples to dst.
// Their losses stay in the workspace.
func (w *Workspace) addClipped(dst []float64, c *Clipping, clip float64, first, n int) error {
	w.forward(n)
	w.derive(n)
	w.backward(n)
	if err := w.clip(c, clip, first, n); err != nil {
		return err
	}
	w.sum(n)
	w.addTo(dst)
	return nil
}

// clip computes the norms of the block's gradients and their scales.
func (w *Workspace) clip(c *Clipping, clip float64, first, n int) error {
	for slot := range n {
		norm, loss := math.Sqrt(w.square(slot)), w.losses[slot]
		// A norm that is NaN or infinite cannot be clipped: the sum would be of unknown
		// sensitivity.
		if !(norm <= math.MaxFloat64) || !(loss <= math.MaxFloat64) {
			return fmt.Errorf("sample %d of the batch has loss %v and a gradient of norm %v, want finite numbers", first+slot+1, loss, norm)
		}
		w.scales[slot] = 1
		if norm > clip {
			w.scales[slot] = float32(clip / norm)
			c.Clipped++
		}
		c.Loss += loss
		w.norms = append(w.norms, norm)
	}
	return nil
}

// addTo adds the sums of a block to dst.
func (w *Workspace) addTo(dst []float64) {
	for _, block := range w.sums {
		add(dst[:len(block)], block)
		dst = dst[len(block):]
	}
}
