package bench

import (
	"fmt"
	"math"
	"testing"

	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/scenarios/problem/stream"
)

// BenchmarkKernels compares kernels with the plain loops that they replace: below 1 the
// kernel is faster.
func BenchmarkKernels(b *testing.B) {
	for _, d := range []int{2, 10, 100, 1000} {
		x, y, dst := make([]float64, d), make([]float64, d), make([]float64, d)
		for k := range x {
			x[k], y[k] = float64(k%7)-3, float64(k%5)-2
		}
		vectors := [4][]float64{x, y, x, y}
		weights := [4]float64{0.25, 0.25, 0.25, -0.75}
		for _, c := range []struct {
			name          string
			plain, kernel func()
		}{
			{"dot", func() { sink = plainDot(x, y) }, func() { sink = kernel.Dot(x, y) }},
			{"norm", func() { sink = plainDot(x, x) }, func() { sink = kernel.SquaredNorm(x) }},
			{"distance", func() { sink = plainDistance(x, y) }, func() { sink = kernel.SquaredDistance(x, y) }},
			{"finite", func() { sinkBool = plainFinite(x) }, func() { sinkBool = kernel.AllFinite(x) }},
			{"scale", func() { plainScale(dst, 0.5, x) }, func() { kernel.Scale(dst, 0.5, x) }},
			{"axpy", func() { plainAxpy(dst, 1e-9, x) }, func() { kernel.Axpy(dst, 1e-9, x) }},
			{"four axpys", func() {
				for i, w := range weights {
					plainAxpy(dst, w, vectors[i])
				}
			}, func() { kernel.Axpy4(dst, &weights, &vectors) }},
		} {
			b.Run(fmt.Sprintf("%s/d=%d", c.name, d), func(b *testing.B) { ratioOf(b, c.plain, c.kernel) })
		}
	}
}

// What results are written to, so that nothing is left out.
var (
	sink     float64
	sinkBool bool
)

// ratioOf times two functions in turn and reports the median ratio of the second to the
// first, and the medians of both.
func ratioOf(b *testing.B, plain, other func()) {
	const calls = 2000
	time := func(f func()) float64 {
		start := processorTime()
		for range calls {
			f()
		}
		return float64(processorTime()-start) / calls
	}
	time(plain)
	time(other)
	var ratios, plains, others []float64
	for b.Loop() {
		p, o := time(plain), time(other)
		ratios, plains, others = append(ratios, o/p), append(plains, p), append(others, o)
	}
	b.ReportMetric(0, "ns/op") // the sum of both says nothing
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(plains), "plain-ns")
	b.ReportMetric(median(others), "kernel-ns")
}

func plainDot(x, y []float64) (sum float64) {
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}

func plainDistance(x, y []float64) (sum float64) {
	for k, v := range x {
		sum += (v - y[k]) * (v - y[k])
	}
	return sum
}

func plainFinite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func plainScale(dst []float64, a float64, x []float64) {
	for k, v := range x {
		dst[k] = a * v
	}
}

func plainAxpy(dst []float64, a float64, x []float64) {
	for k, v := range x {
		dst[k] += a * v
	}
}

// BenchmarkLocalStep compares the arithmetic of a local step of federated learning,
// logistic regression with d = 100, with plain loops: inner product, weight, gradient,
// its bound, the step, and whether what is played is finite.
func BenchmarkLocalStep(b *testing.B) {
	const d = 100
	model := stream.NewLogistic(d, 1)
	datum, x, g := make([]float64, d+1), make([]float64, d), make([]float64, d)
	for k := range datum {
		datum[k] = 0.1 * float64(k%3-1)
	}
	datum[d] = 1
	bound := algorithm.Bound{Theta: 1, On: algorithm.BoundError}
	ratioOf(b, func() {
		slope := -datum[d] / (1 + math.Exp(plainDot(x, datum[:d])*datum[d]))
		plainScale(g, slope, datum[:d])
		sinkBool = math.Sqrt(plainDot(g, g)) <= 1
		plainAxpy(x, -1e-9, g)
		sinkBool = plainFinite(x)
	}, func() {
		model.Gradient(g, x, datum)
		sinkBool, _ = bound.Enforce(g)
		kernel.Axpy(x, -1e-9, g)
		sinkBool = kernel.AllFinite(x)
	})
}
