package problem

import (
	"starling/mechanisms/kernel"
	"starling/messages"
)

// margin is a loss of the prediction z = <a, x> for a response y.
type margin interface {
	loss(z, y float64) float64
	// slope returns the derivative of loss in z.
	slope(z, y float64) float64
	// slopes overwrites each of z with the slope there.
	slopes(z, y []float64)
}

// slopesOf implements slopes for a margin by its slope.
func slopesOf[M interface{ slope(z, y float64) float64 }](m M, z, y []float64) {
	y = y[:len(z)]
	for i, v := range z {
		z[i] = m.slope(v, y[i])
	}
}

// linear is an instance with costs that depend on x through the inner product with one datum
// only: f_t^i(x) = loss(<a, x>, y), with the gradient slope(<a, x>, y) a, where (a, y) is the
// datum of node i at step t.
type linear struct {
	*samples
	margin margin
}

// Width implements Data: the features, then the response.
func (in *linear) Width() int { return in.dim + 1 }

// Datum implements Data.
func (in *linear) Datum(dst []float64, node messages.NodeID, step int) {
	in.check(node, step, dst[:in.dim], dst[:in.dim])
	in.one(int(node), step, func(a []float64, y float64) {
		copy(dst, a)
		dst[in.dim] = y
	})
}

// Loss implements Instance.
func (in *linear) Loss(node messages.NodeID, step int, x []float64) (loss float64) {
	in.check(node, step, x, x)
	in.one(int(node), step, func(a []float64, y float64) {
		loss = in.margin.loss(kernel.Dot(a, x), y)
	})
	return loss
}

// Gradient implements Instance.
func (in *linear) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	in.check(node, step, x, dst)
	in.one(int(node), step, func(a []float64, y float64) {
		slope := in.margin.slope(kernel.Dot(a, x), y)
		kernel.Scale(dst, slope, a)
	})
}

// Gradients implements algorithm.RowCosts.
func (in *linear) Gradients(dst []float64, first messages.NodeID, step int, x []float64) {
	d := in.dim
	in.check(first, step, x[:d], dst[:d])
	var margins [mostRows]float64
	in.many(int(first), len(x)/d, step, func(a, y []float64) {
		for len(y) > 0 {
			z := margins[:min(len(margins), len(y))]
			size := len(z) * d
			kernel.RowDots(z, a, x, d)
			in.margin.slopes(z, y)
			kernel.ScaleRows(dst, z, a, d)
			a, y, x, dst = a[size:], y[len(z):], x[size:], dst[size:]
		}
	})
}

// SumGradient implements Instance.
func (in *linear) SumGradient(dst []float64, step int, x []float64) {
	in.check(0, step, x, dst)
	clear(dst)
	in.all(step, func(a []float64, y float64) {
		slope := in.margin.slope(kernel.Dot(a, x), y)
		kernel.Axpy(dst, slope, a)
	})
}

// linearModel is the loss of a datum, d features a and then a response y, through the
// inner product of x with a.
type linearModel struct {
	dim    int
	margin margin
}

// Dim implements Model.
func (m linearModel) Dim() int { return m.dim }

// Loss implements Model.
func (m linearModel) Loss(x, datum []float64) float64 {
	return m.margin.loss(kernel.Dot(datum[:m.dim], x), datum[m.dim])
}

// Gradient implements Model.
func (m linearModel) Gradient(dst, x, datum []float64) {
	slope := m.margin.slope(kernel.Dot(datum[:m.dim], x), datum[m.dim])
	kernel.Scale(dst, slope, datum)
}
