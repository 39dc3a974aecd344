package runner

import (
	"math"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
)

// Bounds of the intervals of a curve of a statistic over seeds. Each resamples the seeds.
const (
	// mostIntervals is the number of records of a curve with an interval; others lie between them.
	mostIntervals = 12
	// leastBounded is the least number of seeds whose bootstrap can bound an interval.
	leastBounded = 4
	// mostResampled bounds the numbers that the curves of a run add up.
	mostResampled = 3_000_000_000
)

// intervals returns half the 95 % intervals of the regret of an arm at some records, by step: the last one always,
// and so many as the numbers of all arms allow. They are NaN where the seeds are too few. each visits the parts of
// the runs; nil visits the parts of the reducer. last is the regret at the last record; nil where the seeds are too few.
func intervals(e *gauge.ExpectedRegret, seeds, arms int, each func(visit func(gauge.RegretPart)) error) (halves map[int64]float64, last *gauge.RegretResample, err error) {
	steps := shown(e.Points(), int(max(1, min(mostIntervals, mostResampled/resampling(e, seeds, arms)))))
	halves = map[int64]float64{}
	if seeds < leastBounded {
		for _, step := range steps {
			halves[int64(step)] = math.NaN()
		}
		return halves, nil, nil
	}
	resamples, err := e.ResampleAll(steps, each)
	if err != nil {
		return nil, nil, err
	}
	var list []comparison.Statistic
	for _, r := range resamples {
		list = append(list, r.Weighted)
	}
	for k, half := range comparison.HalfWidths(seeds, list) {
		halves[int64(steps[k])] = half
	}
	return halves, resamples[len(resamples)-1], nil
}

// resampling is the number of numbers that the bootstrap of all arms adds up at one record.
func resampling(e *gauge.ExpectedRegret, seeds, arms int) float64 {
	return float64(comparison.Resamples) * float64(seeds) * float64(e.Numbers()) * float64(max(1, arms))
}

// shown returns so many of ascending steps at even distances, the last one always.
func shown(steps []int, count int) (list []int) {
	last := len(steps) - 1
	switch {
	case len(steps) <= count:
		return steps
	case count == 1:
		return steps[last:]
	}
	for k := range count {
		list = append(list, steps[k*last/(count-1)])
	}
	return list
}

// Halves returns half the 95 % intervals of a statistic over the seeds of an arm of a finished run, by step, for figures:
// the intervals of the figures that the run drew. The boolean is false for a metric with a value for each seed. Without the
// parts there are none. It implements plot.Halves for one run.
func (p *Parts) Halves(run *results.Run) func(arm, metric string) (map[int64]float64, bool) {
	known := map[string]map[int64]float64{}
	return func(arm, metric string) (map[int64]float64, bool) {
		if metric != gauge.RegretExpected {
			return nil, false
		}
		halves, ok := known[arm]
		if !ok {
			halves, _ = p.intervals(run, arm) // a figure without intervals says so
			known[arm] = halves
		}
		return halves, true
	}
}

// intervals returns the intervals of an arm of a finished run.
func (p *Parts) intervals(run *results.Run, arm string) (map[int64]float64, error) {
	of := p.of(run)
	i, estimator, err := of.estimator(arm, gauge.RegretExpected)
	if err != nil {
		return nil, err
	}
	var seeds []uint64
	for k := range of.scenario.Seeds.Count {
		seeds = append(seeds, of.scenario.Seeds.Base+uint64(k))
	}
	halves, _, err := intervals(estimator.Expected(), len(seeds), len(of.scenario.Arms), func(visit func(gauge.RegretPart)) error { return of.visit(i, seeds, visit) })
	return halves, err
}
