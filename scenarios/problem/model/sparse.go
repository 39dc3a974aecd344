package model

import (
	"math"
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
		// counts, so that no branch depends on values without a pattern.
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
