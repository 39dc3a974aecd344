package dpdonc_test

import (
	"math"

	"starling/actors/algorithm/dpdonc"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
)

// transcription is Algorithm 1 with phi = ||x||^2/2 on ||x||_1 <= 3, typed from
// the paper with dense matrices; x[t][i] is x_t^i, t from 1.
func transcription(o dpdonc.Options, seed uint64, steps int) (x [][][2]float64) {
	a1, a2, a3 := topology.Printed()
	matrices := [][][]float64{a1, a2, a3}
	const n, d, omega = 6, 2, 1
	alpha := func(t int) float64 { return 1 / (n * math.Sqrt(float64(t))) }
	sigma := func(t int) float64 { return 2 * math.Sqrt(d) * alpha(t) * o.Theta / (omega * o.Calibration.Level) }
	x = make([][][2]float64, steps+1)
	for t := range x {
		x[t] = make([][2]float64, n) // x_1 = 0
	}
	for t := 1; t < steps; t++ {
		scale := sigma(t)
		if o.Noise == dpdonc.Shifted {
			scale = 0
			if t > 1 {
				scale = sigma(t - 1)
			}
		}
		var q [n][d]float64
		for i := range n { // line 4
			r := new(rng.Stream).Open(rng.NewKey(seed, o.NoisePurpose), i, t, 0)
			for k := range d {
				q[i][k] = x[t][i][k] + scale*r.Laplace()
			}
		}
		for i := range n {
			var z, y, gradient [d]float64
			ranging(gradient[:], messages.NodeID(i), t, x[t][i][:])
			for k := range d {
				for j := range n { // line 5
					z[k] += matrices[(t-1)%3][i][j] * q[j][k]
				}
				y[k] = z[k] - alpha(t)*gradient[k]
			}
			x[t+1][i] = projectL1(y, 3) // line 6: the argmin completes the square
		}
	}
	return x
}

// projectL1 is the Euclidean projection to ||x||_1 <= r: entries shrink by the
// tau that makes them fit (soft thresholding), found by bisection.
func projectL1(y [2]float64, r float64) [2]float64 {
	largest := max(math.Abs(y[0]), math.Abs(y[1]))
	if math.Abs(y[0])+math.Abs(y[1]) <= r {
		return y
	}
	// shrunk takes the threshold largest - kept from the entries. A point may be
	// so far out that the threshold itself does not tell kept from 0.
	shrunk := func(kept float64) (x [2]float64) {
		for k, v := range y {
			x[k] = math.Copysign(max(0, math.Abs(v)-largest+kept), v)
		}
		return x
	}
	low, high := 0.0, min(largest, r)
	for range 200 {
		middle := (low + high) / 2
		if x := shrunk(middle); math.Abs(x[0])+math.Abs(x[1]) > r {
			high = middle
		} else {
			low = middle
		}
	}
	return shrunk(low)
}
