package model

import (
	"math"
)

// rectify sets x to max(0, x); NaN stays NaN.
func rectify(x []float32) {
	for k, v := range x {
		x[k] = max(0, v)
	}
}

// mask sets delta to 0 where y, the output of a ReLU, is 0. It does not branch:
// about half of the outputs are 0, in no order that a processor could learn.
func mask(delta, y []float32) {
	delta = delta[:len(y)]
	for k, v := range y {
		// Outputs are not negative, so that minus their bits has the highest
		// bit set unless they are 0.
		keep := uint32(-int32(math.Float32bits(v)) >> 31)
		delta[k] = math.Float32frombits(math.Float32bits(delta[k]) & keep)
	}
}
