package workload

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"starling/scenarios/forecast"
)

// work is a workload that holds some bytes and spins three times as long as its loop. The
// bytes are touched, so that they are resident.
func work(held int) *Prepared {
	spin := func(d time.Duration) {
		for p := forecast.ProcessorTime(); forecast.ProcessorTime()-p < d; {
		}
	}
	return &Prepared{
		Units: 10,
		Run: func() error {
			kept := make([]byte, held)
			for i := 0; i < len(kept); i += 512 {
				kept[i] = 1
			}
			spin(30 * time.Millisecond)
			return nil
		},
		Loop: func() error { spin(10 * time.Millisecond); return nil },
	}
}

// TestTake: figures are per unit, of the run alone, and the peak is that of the run.
func TestTake(t *testing.T) {
	const held = 64 << 20
	large, err := Take(work(held))
	if err != nil {
		t.Fatal(err)
	}
	small, err := Take(work(1 << 10))
	if err != nil {
		t.Fatal(err)
	}
	if large.Bytes < held/10 || large.Bytes > 1.1*held/10 || large.Allocations < 0.1 {
		t.Errorf("%v bytes in %v allocations a unit, want %v", large.Bytes, large.Allocations, held/10)
	}
	for _, s := range []Sample{large, small} {
		// Both spin until they have had their share of the cores, whatever else runs.
		if s.Processor < 3e6 || s.LoopProcessor < 1e6 || s.Wall <= 0 || s.LoopWall <= 0 {
			t.Errorf("took %+v", s)
		}
	}
	if large.PeakBytes > 0 && large.PeakBytes < small.PeakBytes+held/2 {
		t.Errorf("peaks of %d and %d bytes; %d were held", large.PeakBytes, small.PeakBytes, held)
	}
}

// TestTakeOnOneCore: a workload that scales is run on one core, too, and its loop; as many
// cores as before are there after it.
func TestTakeOnOneCore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var cores []int
	p := work(1)
	run, loop := p.Run, p.Loop
	p.Run = func() error { cores = append(cores, runtime.GOMAXPROCS(0)); return run() }
	p.Loop = func() error { cores = append(cores, runtime.GOMAXPROCS(0)); return loop() }
	if s, err := Take(p); err != nil || s.OneWall != 0 || s.LoopOneWall != 0 {
		t.Errorf("%+v, %v of a workload that does not scale", s, err)
	}
	p.Scales = true
	s, err := Take(p)
	if err != nil || s.OneWall < 2.7e6 || s.LoopOneWall < 0.9e6 {
		t.Errorf("%+v, %v", s, err)
	}
	if want := []int{2, 2, 2, 2, 1, 1}; !slices.Equal(cores, want) || runtime.GOMAXPROCS(0) != 2 {
		t.Errorf("ran on %v cores, want %v", cores, want)
	}
	r := &Result{Samples: []Sample{{Wall: 2, LoopWall: 3, OneWall: 3, LoopOneWall: 5.4}}}
	of, _ := r.Median(Speedup)
	loops, _ := r.Median(LoopSpeedup)
	if of.Center != 1.5 || loops.Center != 5.4/3 {
		t.Errorf("speed-ups %v and %v", of.Center, loops.Center)
	}
}

// resultOf has samples of the wall times, and loops of 1.
func resultOf(walls ...float64) *Result {
	r := &Result{Name: "a/b", Unit: "step", Units: 1}
	for _, wall := range walls {
		r.Samples = append(r.Samples, Sample{Wall: wall, Processor: 2 * wall, LoopWall: 1})
	}
	return r
}

// TestStatistics: by hand. Of six samples the interval of the median is from the least to
// the largest, as 1 - 2/64 >= 0.95. Two groups of six that do not overlap have
// p = 2/C(12, 6) = 0.0022.
func TestStatistics(t *testing.T) {
	before, after := resultOf(10, 12, 11, 13, 14, 15), resultOf(20, 21, 22, 23, 24, 25)
	m, ok := before.Median(Wall)
	if !ok || m.Center != 12.5 || m.Lo != 10 || m.Hi != 15 {
		t.Errorf("median %+v, want 12.5 in 10 to 15", m)
	}
	if m, _ := before.Median(RatioWall); m.Center != 12.5 {
		t.Errorf("ratio %+v, want 12.5", m)
	}
	if _, ok := before.Median(RatioProcessor); ok {
		t.Error("a ratio to a loop without time of a processor")
	}
	if _, ok := before.Median(Peak); ok {
		t.Error("a peak that is not known")
	}
	c, ok := after.Compare(before, Wall)
	if !ok || math.Abs(c.Test.P-2.0/924) > 1e-9 || c.Text() != "+80.00% (p=0.002)" {
		t.Errorf("%+v, %q", c, c.Text())
	}
	if c, _ := before.Compare(before, Wall); !strings.HasPrefix(c.Text(), "~ ") {
		t.Errorf("%q of a report and itself", c.Text())
	}
}

// TestReadReport: what was written is read; what is no report, or of other work or another
// machine, is refused.
func TestReadReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReport("1.2", 10)
	r.Workloads = append(r.Workloads, *resultOf(1, 2))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	write(string(text))
	got, err := ReadReport(file)
	if err != nil {
		t.Fatal(err)
	}
	if of := got.Of("a/b"); of == nil || of.Samples[1].Wall != 2 || got.Of("b/a") != nil || r.Comparable(got) != nil {
		t.Errorf("read %+v", got)
	}
	if err := NewReport("1.2", 1).Comparable(got); err == nil {
		t.Error("compared with a report of a part of the work")
	}
	got.Machine.Processors++
	if err := r.Comparable(got); err == nil {
		t.Error("compared with a report of another machine")
	}
	for _, text := range []string{"", "[]", `{"version": 99}`, "{}"} {
		write(text)
		if _, err := ReadReport(file); err == nil {
			t.Errorf("%q was read as a report", text)
		}
	}
}
