package workload

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/perf/benchmath"
)

// reportVersion is the version of the form of reports.
const reportVersion = 1

// Report has the measurements of a set of workloads, and the machine.
type Report struct {
	Version int     `json:"version"`
	Machine Machine `json:"machine"`
	// Part is the number of parts into which the work was cut; one of them was done.
	Part      int      `json:"part"`
	Workloads []Result `json:"workloads"`
}

// Machine is the machine of a report.
type Machine struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	// Processors are the processors that the process may use.
	Processors int    `json:"processors"`
	Go         string `json:"go"`
	Starling   string `json:"starling"`
}

// NewReport returns an empty report of this process.
func NewReport(program string, part int) *Report {
	return &Report{Version: reportVersion, Part: part, Machine: Machine{
		OS: runtime.GOOS, Architecture: runtime.GOARCH, Processors: runtime.GOMAXPROCS(0), Go: runtime.Version(), Starling: program,
	}}
}

// ReadReport reads a report that was saved as JSON.
func ReadReport(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is no report of bench: %w", path, err)
	}
	if r.Version != reportVersion {
		return nil, fmt.Errorf("%s is a report of version %d, want %d: make it anew with --json", path, r.Version, reportVersion)
	}
	return &r, nil
}

// Quantity is a figure of a sample.
type Quantity struct {
	Name string
	// metric is its name in a benchmark; one that ends in / is followed by the unit.
	metric string
	// of returns the figure of a sample; ok is false if the sample has none.
	of func(s *Sample) (value float64, ok bool)
}

// The quantities. A ratio is the ratio of a run to the loop right after it. A speed-up is the
// time on one core over the time on all cores.
var (
	Wall           = Quantity{"wall", "ns/", func(s *Sample) (float64, bool) { return s.Wall, true }}
	Processor      = Quantity{"processor", "processor-ns/", func(s *Sample) (float64, bool) { return s.Processor, true }}
	Allocations    = Quantity{"allocations", "allocs/", func(s *Sample) (float64, bool) { return s.Allocations, true }}
	Bytes          = Quantity{"bytes", "B/", func(s *Sample) (float64, bool) { return s.Bytes, true }}
	Peak           = Quantity{"peak", "peak-B", func(s *Sample) (float64, bool) { return float64(s.PeakBytes), s.PeakBytes > 0 }}
	RatioWall      = Quantity{"ratio of wall", "ratio", func(s *Sample) (float64, bool) { return s.Wall / s.LoopWall, s.LoopWall > 0 }}
	Speedup        = Quantity{"speed-up", "speed-up", func(s *Sample) (float64, bool) { return s.OneWall / s.Wall, s.OneWall > 0 }}
	LoopSpeedup    = Quantity{"speed-up of the loop", "loop-speed-up", func(s *Sample) (float64, bool) { return s.LoopOneWall / s.LoopWall, s.LoopOneWall > 0 }}
	RatioProcessor = Quantity{"ratio of processor", "processor-ratio", func(s *Sample) (float64, bool) { return s.Processor / s.LoopProcessor, s.LoopProcessor > 0 }}
)

// Quantities lists them.
func Quantities() []Quantity {
	return []Quantity{Wall, Processor, Allocations, Bytes, Peak, RatioWall, RatioProcessor, Speedup, LoopSpeedup}
}

// Metric is the name of the quantity in benchmarks of a workload with the unit.
func (q Quantity) Metric(unit string) string {
	if strings.HasSuffix(q.metric, "/") {
		return q.metric + unit
	}
	return q.metric
}

// values are a quantity of all samples.
func (r *Result) values(q Quantity) *benchmath.Sample {
	var values []float64
	for i := range r.Samples {
		if v, ok := q.of(&r.Samples[i]); ok {
			values = append(values, v)
		}
	}
	return benchmath.NewSample(values, &benchmath.DefaultThresholds)
}

// confidence is the confidence of intervals.
const confidence = 0.95

// Median is the median of a quantity with its 95 % confidence interval, which is infinite
// with fewer than 6 samples; ok is false where no sample has the quantity.
func (r *Result) Median(q Quantity) (s benchmath.Summary, ok bool) {
	sample := r.values(q)
	if len(sample.Values) == 0 {
		return s, false
	}
	return benchmath.AssumeNothing.Summary(sample, confidence), true
}

// Change is the difference of a quantity of a workload from another report's.
type Change struct {
	Before, After benchmath.Summary
	// Test is the Mann-Whitney U test of no difference.
	Test benchmath.Comparison
}

// Text is the change in percent, or ~ where the test at 0.05 sees none, with the test's p.
func (c *Change) Text() string {
	return fmt.Sprintf("%s (p=%.3f)", c.Test.FormatDelta(c.Before.Center, c.After.Center), c.Test.P)
}

// Compare compares a quantity of this report's workload with the same of a baseline; ok is
// false where one of them lacks it.
func (r *Result) Compare(baseline *Result, q Quantity) (c Change, ok bool) {
	before, after := baseline.values(q), r.values(q)
	if len(before.Values) == 0 || len(after.Values) == 0 {
		return c, false
	}
	return Change{
		Before: benchmath.AssumeNothing.Summary(before, confidence),
		After:  benchmath.AssumeNothing.Summary(after, confidence),
		Test:   benchmath.AssumeNothing.Compare(before, after),
	}, true
}

// Of is the workload of a name; nil if the report has none.
func (r *Report) Of(name string) *Result {
	for i := range r.Workloads {
		if r.Workloads[i].Name == name {
			return &r.Workloads[i]
		}
	}
	return nil
}

// Comparable refuses a baseline with figures of another meaning: of another part of the work,
// or of another kind of machine.
func (r *Report) Comparable(baseline *Report) error {
	was, is := baseline.Machine, r.Machine
	was.Go, was.Starling, is.Go, is.Starling = "", "", "", ""
	switch {
	case baseline.Part != r.Part:
		return fmt.Errorf("the report is of 1/%d of the work, and this measurement of 1/%d: --quick goes with --quick", baseline.Part, r.Part)
	case was != is:
		return fmt.Errorf("the report is of %s/%s with %d processors, and this machine is %s/%s with %d", was.OS, was.Architecture, was.Processors, is.OS, is.Architecture, is.Processors)
	}
	return nil
}
