package model

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// sparse are the entries of a vector that are not zero.
type sparse struct {
	indices []int32
	values  []float32
}

// nonzero collects the entries of a vector that are not zero, in their order.
// Entry k lies at indices[k], or at k where indices is nil. The result lies in
// the workspace until the next call.
func (w *Workspace) nonzero(indices []int32, vector []float32) sparse {
	to, values := w.nonzeros.indices[:len(vector)], w.nonzeros.values[:len(vector)]
	n := 0
	for k, v := range vector {
		to[n], values[n] = int32(k), v
		// Every entry is written, and overwritten by the next unless it
		// counts, so that nothing branches on what has no pattern.
		bits := math.Float32bits(v) << 1
		n += int((bits | -bits) >> 31)
	}
	to, values = to[:n], values[:n]
	if indices != nil {
		for k, i := range to {
			to[k] = indices[i]
		}
	}
	return sparse{to, values}
}

// shortVector is below what length a call of BLAS takes longer than the sum.
const shortVector = 32

// addScaled adds alpha x to y, as long as x.
func addScaled(y []float32, alpha float32, x []float32) {
	if len(x) < shortVector {
		y = y[:len(x)]
		for k, v := range x {
			y[k] += float32(alpha * v)
		}
		return
	}
	blas32.Axpy(alpha, blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
}
