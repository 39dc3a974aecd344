package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"starling/scenarios/results/comparison"
	"starling/scenarios/study"
)

// Halves returns half the 95 % intervals of a statistic over all seeds of an arm at some steps, as tables have them. The
// boolean is false for a metric with a value for each seed, of which Student's t has the interval. There are none
// where the values for the statistic are missing.
type Halves func(arm, metric string) (halves map[int64]float64, ok bool)

// resample gives points of a statistic over all seeds the intervals that tables have. Between two steps with one,
// an interval is between theirs.
func (r *Run) resample(arm string, points []curvePoint, o *study.PlotOptions) {
	if r.Halves == nil || o.Band != study.BandCI {
		return
	}
	halves, ok := r.Halves(arm, o.Metric)
	if !ok {
		return
	}
	steps := slices.Sorted(maps.Keys(halves))
	for i := range points {
		p := &points[i]
		if p.half = between(steps, halves, p.step); o.PerStep {
			p.half /= float64(p.step)
		}
	}
}

// between returns the half of a step, or the one on the line between the steps around it; NaN for a step outside.
func between(steps []int64, halves map[int64]float64, step int64) float64 {
	i, found := slices.BinarySearch(steps, step)
	switch {
	case found:
		return halves[step]
	case i == 0 || i == len(steps):
		return math.NaN()
	}
	from, to := steps[i-1], steps[i]
	share := float64(step-from) / float64(to-from)
	return float64((1-share)*halves[from]) + float64(share*halves[to])
}

// ResampledText describes the intervals of a statistic over so many seeds, which stand under a name such as Bands, or says why
// none is shown; empty for a metric with a value for each seed.
func (r *Run) ResampledText(o *study.PlotOptions, name string, n int, shown bool) string {
	if r.Halves == nil || o.Band != study.BandCI || len(r.Arms) == 0 {
		return ""
	}
	var known map[int64]float64
	records := 0
	for _, arm := range r.Arms {
		halves, ok := r.Halves(arm.Name, o.Metric)
		if !ok {
			return ""
		}
		if known == nil {
			known, records = halves, len(r.rowsOf(o.Metric, arm.Name))
		}
	}
	switch {
	case n < 2:
		return ""
	case len(known) == 0:
		return "Without intervals: the folder jobs/ of the run, which has the values for them, is missing."
	case !shown:
		return fmt.Sprintf("Without intervals: %d seeds are too few for a bootstrap.", n)
	}
	text := fmt.Sprintf("%s: the %g %% confidence interval of the statistic (bootstrap over %d seeds", name, 100*comparison.Confidence, n)
	switch {
	case o.Across() != study.AxisStep || len(known) >= records:
	case len(known) == 1:
		text += ", at the last record"
	default:
		text += fmt.Sprintf(", at %d records and straight between them", len(known))
	}
	return text + ")."
}
