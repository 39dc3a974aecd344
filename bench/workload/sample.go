package workload

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"starling/scenarios/forecast"
)

// Sample is one run of a workload, and its loop's. All but PeakBytes are per unit.
type Sample struct {
	// Wall is the time on the clock, and Processor the time of all cores together, in
	// nanoseconds.
	Wall      float64 `json:"wall_ns"`
	Processor float64 `json:"processor_ns"`
	// Allocations and Bytes count the allocations on the heap of this process.
	Allocations float64 `json:"allocations"`
	Bytes       float64 `json:"allocated_bytes"`
	// PeakBytes is the most memory that the process held meanwhile; absent where the system
	// does not report it.
	PeakBytes int64 `json:"peak_bytes,omitempty"`
	// LoopWall and LoopProcessor are the same for the plain loop; absent without one.
	LoopWall      float64 `json:"loop_wall_ns,omitempty"`
	LoopProcessor float64 `json:"loop_processor_ns,omitempty"`
	// OneWall and LoopOneWall are the times on the clock on one core; absent where that is of
	// no interest, or where the process has only one.
	OneWall     float64 `json:"one_core_wall_ns,omitempty"`
	LoopOneWall float64 `json:"loop_one_core_wall_ns,omitempty"`
}

// Take runs a workload once and its loop once after it.
func Take(p *Prepared) (s Sample, err error) {
	if p.Before != nil {
		if err := p.Before(); err != nil {
			return s, err
		}
	}
	debug.FreeOSMemory() // earlier work leaves neither garbage nor a peak
	watched := resetPeak()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Wall, s.Processor, err = timed(p.Run)
	if err != nil {
		return s, err
	}
	runtime.ReadMemStats(&after)
	s.Allocations, s.Bytes = float64(after.Mallocs-before.Mallocs), float64(after.TotalAlloc-before.TotalAlloc)
	switch {
	case p.Child != nil:
		s.PeakBytes = peakOf(p.Child())
	case watched:
		s.PeakBytes = peak()
	}
	if p.Loop != nil {
		runtime.GC()
		if s.LoopWall, s.LoopProcessor, err = timed(p.Loop); err != nil {
			return s, err
		}
	}
	if p.Scales && runtime.GOMAXPROCS(0) > 1 {
		if s.OneWall, s.LoopOneWall, err = onOneCore(p); err != nil {
			return s, err
		}
	}
	for _, value := range []*float64{&s.Wall, &s.Processor, &s.Allocations, &s.Bytes, &s.LoopWall, &s.LoopProcessor, &s.OneWall, &s.LoopOneWall} {
		*value /= float64(p.Units)
	}
	return s, nil
}

// onOneCore returns the times on the clock of a workload and its loop on one core.
func onOneCore(p *Prepared) (run, loop float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if p.Before != nil {
		if err := p.Before(); err != nil {
			return 0, 0, err
		}
	}
	runtime.GC()
	if run, _, err = timed(p.Run); err != nil || p.Loop == nil {
		return run, 0, err
	}
	runtime.GC()
	loop, _, err = timed(p.Loop)
	return run, loop, err
}

// timed returns the times that work takes, in nanoseconds: on the clock, and of all cores
// together.
func timed(work func() error) (wall, cores float64, err error) {
	t0, p0 := time.Now(), forecast.ProcessorTime()
	err = work()
	return float64(time.Since(t0)), float64(forecast.ProcessorTime() - p0), err
}

// Result is a workload with its samples.
type Result struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Unit    string   `json:"unit"`
	Units   int      `json:"units"`
	Samples []Sample `json:"samples"`
}

// Measure prepares a workload, runs it and its loop once uncounted, and takes samples.
func Measure(ctx context.Context, w *Workload, e *Environment, count int) (Result, error) {
	r := Result{Name: w.Name, Summary: w.Summary, Unit: w.Unit}
	p, err := w.Prepare(ctx, e)
	if err != nil {
		return r, err
	}
	defer p.Close()
	r.Units = p.Units
	for i := range 1 + count {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		s, err := Take(p)
		if err != nil {
			return r, err
		}
		if i > 0 {
			r.Samples = append(r.Samples, s)
		}
	}
	return r, nil
}
