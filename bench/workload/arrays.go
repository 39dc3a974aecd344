package workload

import (
	"math/rand/v2"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// Axpy computes x += w q, without fusing.
func Axpy(x []float64, w float64, q []float64) {
	q = q[:len(x)]
	for k := range x {
		x[k] += float64(w * q[k])
	}
}

// start fills n vectors of length d with numbers that depend on nothing else.
func start(n, d int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := zeros(n, d)
	for i := range x {
		for k := range x[i] {
			x[i][k] = r.Float64()
		}
	}
	return x
}

// zeros is n vectors of length d, side by side.
func zeros(n, d int) [][]float64 {
	x := make([][]float64, n)
	entries := make([]float64, n*d)
	for i := range x {
		x[i] = entries[i*d : (i+1)*d : (i+1)*d]
	}
	return x
}

// NoMeter ignores everything.
type NoMeter struct{}

// Played implements algorithm.Meter.
func (NoMeter) Played(messages.NodeID, int, []float64) {}

// Spent implements algorithm.Meter.
func (NoMeter) Spent(messages.NodeID, int, accountant.Loss) error { return nil }

// Recorded implements algorithm.Meter.
func (NoMeter) Recorded(messages.NodeID, int, string, float64) {}

// Stopped implements algorithm.Meter.
func (NoMeter) Stopped(messages.NodeID, int, string) {}

// Sent implements algorithm.Meter.
func (NoMeter) Sent(int, int64, int64) {}
