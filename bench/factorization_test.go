package bench

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"starling/mechanisms/factorization"
)

// BenchmarkOptimal times the search for the optimal factorization at growing
// numbers of steps n and fits time ~ n^growth. Target: growth at most 1.1, and
// bytes for a step that do not grow: those that are allocated on the way and those
// that are kept.
func BenchmarkOptimal(b *testing.B) {
	sizes := []struct {
		n   int
		gap float64
	}{{4096, 1e-8}, {65_536, 1e-8}, {1_000_000, 1e-6}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	times := make([][]float64, len(sizes))
	allocated, kept := make([]float64, len(sizes)), make([]float64, len(sizes))
	for b.Loop() {
		for k, size := range sizes {
			var before, built, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			f, err := factorization.New(factorization.Options{Kind: factorization.Optimal, N: size.n, Gap: size.gap})
			if err != nil {
				b.Fatal(err)
			}
			times[k] = append(times[k], time.Since(start).Seconds())
			runtime.ReadMemStats(&built)
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(f)
			allocated[k] = float64(built.TotalAlloc-before.TotalAlloc) / float64(size.n)
			kept[k] = float64(int64(after.HeapAlloc-before.HeapAlloc)) / float64(size.n)
		}
	}
	b.ReportMetric(0, "ns/op") // the sum of all says nothing
	var x, y []float64
	for k, size := range sizes {
		seconds := median(times[k])
		x, y = append(x, math.Log(float64(size.n))), append(y, math.Log(seconds))
		b.ReportMetric(seconds, fmt.Sprintf("s@%d", size.n))
		b.ReportMetric(allocated[k], fmt.Sprintf("allocated-bytes/step@%d", size.n))
		b.ReportMetric(kept[k], fmt.Sprintf("kept-bytes/step@%d", size.n))
	}
	if len(sizes) > 1 {
		_, growth := stat.LinearRegression(x, y, nil, false)
		b.ReportMetric(growth, "growth")
	}
}
