package bench

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
)

// compare times a plain loop and a run of the actor runtime in turn, b.N times
// each, and reports the median ratio and the medians per participant and step.
// turns is participants times steps, to divide by.
func compare(b *testing.B, turns int, loop func(), run func() *algorithm.Run) {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	actors := func(r *algorithm.Run) {
		if err := host.Run(context.Background(), r, engine.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	loop() // both once, uncounted
	actors(run())
	var ratios, loops, runs []float64
	for b.Loop() {
		r := run()
		runtime.GC()
		t0 := time.Now()
		loop()
		t1 := time.Now()
		actors(r)
		t2 := time.Now()
		ratios = append(ratios, float64(t2.Sub(t1))/float64(t1.Sub(t0)))
		loops = append(loops, float64(t1.Sub(t0).Nanoseconds())/float64(turns))
		runs = append(runs, float64(t2.Sub(t1).Nanoseconds())/float64(turns))
	}
	b.ReportMetric(0, "ns/op") // the sum of both says nothing
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(loops), "loop-ns/turn")
	b.ReportMetric(median(runs), "actors-ns/turn")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// steadyAllocations is how many allocations a run of twice the steps makes
// more, for each envelope of the further steps.
func steadyAllocations(b *testing.B, envelopes int, run func(factor int) *algorithm.Run) float64 {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		b.Fatal(err)
	}
	defer host.Close()
	count := func(r *algorithm.Run) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := host.Run(context.Background(), r, engine.Options{}); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return int64(after.Mallocs - before.Mallocs)
	}
	count(run(1))
	once, twice := count(run(1)), count(run(2))
	return float64(twice-once) / float64(envelopes)
}
