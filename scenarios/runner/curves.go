package runner

import (
	"maps"
	"math"
	"slices"

	"starling/scenarios/results"
	"starling/scenarios/results/live"
)

// mostPoints is about the number of points of all curves in a file. A curve has at least
// leastCurve and at most longestCurve points: more would not be visible, and cost time.
const (
	mostPoints   = 24000
	leastCurve   = 4
	longestCurve = 200
	usualMetrics = 12
)

// pointsOf returns the number of points of a curve in a file with so many arms.
func pointsOf(arms int) int {
	return min(longestCurve, max(leastCurve, mostPoints/(arms*usualMetrics)))
}

// curves holds the metrics of an arm, at some of the steps at which they are recorded.
type curves struct {
	steps []int64       // ascending; fixed
	at    map[int64]int // the place of a step; looked up, never iterated
	cells map[string][]cell
}

// cell is the mean of a metric at a step over seeds, with the sum of squares about the mean.
type cell struct {
	n             int
	mean, squares float64
}

func (c *cell) add(x float64) {
	c.n++
	delta := x - c.mean
	c.mean += delta / float64(c.n)
	c.squares += float64(delta * (x - c.mean))
}

// sample is a value of a metric at a place in the steps.
type sample struct {
	metric string
	at     int
	value  float64
}

// newCurves returns the curves of an arm with records at points. Of these it takes at most the
// number most: evenly, and the last.
func newCurves(points []int, most int) curves {
	c := curves{at: map[int64]int{}, cells: map[string][]cell{}}
	n := min(len(points), most)
	for k := range n {
		i := len(points) - 1
		if n > 1 {
			i = k * (len(points) - 1) / (n - 1)
		}
		c.at[int64(points[i])] = len(c.steps)
		c.steps = append(c.steps, int64(points[i]))
	}
	return c
}

// samples returns a job's records for the curves. It leaves out rows that cannot be read:
// their other readers report the error.
func (c *curves) samples(job *results.Job) (list []sample) {
	rows, err := job.RunLevel()
	if err != nil {
		return nil
	}
	for row := range rows {
		if at, ok := c.at[row.Step]; ok {
			list = append(list, sample{row.Metric, at, row.Value})
		}
	}
	return list
}

// take adds the samples of a seed.
func (c *curves) take(list []sample) { addTo(c.cells, list, len(c.steps)) }

// addTo adds samples to cells of so many steps.
func addTo(cells map[string][]cell, list []sample, steps int) {
	for _, s := range list {
		if cells[s.metric] == nil {
			cells[s.metric] = make([]cell, steps)
		}
		cells[s.metric][s.at].add(s.value)
	}
}

// curvesNow returns the curves of all arms, with the records of jobs under way.
func (t *tracker) curvesNow() []live.Curve {
	list := []live.Curve{}
	for i := range t.arms {
		cells := t.arms[i].cells
		if partial := t.partialOf(i); len(partial) > 0 {
			cells = maps.Clone(cells)
			for metric := range cells {
				cells[metric] = slices.Clone(cells[metric])
			}
			addTo(cells, partial, len(t.arms[i].steps))
		}
		for _, metric := range slices.Sorted(maps.Keys(cells)) {
			c := curveOf(t.scenario.Arms[i].Name, metric, t.arms[i].steps, cells[metric])
			c.AtPauses = slices.ContainsFunc(t.jobsOf(i), func(j *trackedJob) bool { return j != nil && j.rests(metric) })
			list = append(list, c)
		}
	}
	return list
}

// jobsOf returns the jobs of an arm; nil stands for a job that has not begun.
func (t *tracker) jobsOf(arm int) []*trackedJob {
	count := t.scenario.Seeds.Count
	return t.jobs[arm*count : (arm+1)*count]
}

// partialOf returns the samples of the jobs of an arm that are under way.
func (t *tracker) partialOf(arm int) (list []sample) {
	for _, j := range t.jobsOf(arm) {
		if j != nil {
			list = append(list, j.recorded()...)
		}
	}
	return list
}

// curveOf returns a curve at the steps that some seed has recorded.
func curveOf(arm, metric string, steps []int64, cells []cell) live.Curve {
	c := live.Curve{Arm: arm, Metric: metric, Steps: []int64{}, Mean: []live.Float{}, SE: []live.Float{}, N: []int{}}
	for k := range cells {
		n := cells[k].n
		if n == 0 {
			continue
		}
		se := math.NaN()
		if n > 1 {
			se = math.Sqrt(cells[k].squares / float64(n-1) / float64(n))
		}
		c.Steps, c.N = append(c.Steps, steps[k]), append(c.N, n)
		c.Mean, c.SE = append(c.Mean, live.Float(cells[k].mean)), append(c.SE, live.Float(se))
	}
	return c
}
