package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"starling/bench/workload"
	"starling/scenarios"
	"starling/scenarios/forecast"
)

// BenchmarkWorkloads runs the workloads of the verb bench, each in turn with its plain
// loop, and reports medians: nanoseconds of the clock and of all cores, allocations and
// bytes, for each unit, the most memory that was held, and the ratios to the loop. Targets
// of ratios: engine/star 1.05, engine/gossip 1.25 at d = 100, and 2 at d = 2 from
// n = 1,000.
func BenchmarkWorkloads(b *testing.B) {
	part := 1
	if testing.Short() {
		part = 100
	}
	program := filepath.Join(b.TempDir(), "starling")
	if out, err := exec.Command("go", "build", "-o", program, "starling/cmd/starling").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, w := range workload.All() {
		b.Run(w.Name, func(b *testing.B) {
			p, err := w.Prepare(b.Context(), &workload.Environment{Loader: scenarios.NewLoader(""), Program: program, Folder: b.TempDir(), Part: part})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			r := workload.Result{Name: w.Name, Unit: w.Unit}
			for b.Loop() {
				s, err := workload.Take(p)
				if err != nil {
					b.Fatal(err)
				}
				r.Samples = append(r.Samples, s)
			}
			b.ReportMetric(0, "ns/op") // the sum with the loop says nothing
			for _, q := range workload.Quantities() {
				if s, ok := r.Median(q); ok {
					b.ReportMetric(s.Center, q.Metric(w.Unit))
				}
			}
		})
	}
}

// processorTime is how long cores have worked for this process.
func processorTime() time.Duration { return forecast.ProcessorTime() }

// median is the middle one of numbers, which it sorts.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
