package runner

import (
	"container/heap"
	"slices"
	"time"
)

// speed returns the steps a second over the last instants; nil before the second instant.
func (t *tracker) speed() *float64 {
	if len(t.past) < 2 {
		return nil
	}
	first, last := t.past[0], t.past[len(t.past)-1]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 || last.steps <= first.steps {
		return nil
	}
	speed := float64(last.steps-first.steps) / seconds
	return &speed
}

// Left estimates how long the rest of the run takes; ok reports whether there is an estimate.
func (t *tracker) Left() (left time.Duration, ok bool) {
	if t == nil {
		return 0, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	seconds := t.estimated(time.Now())
	if seconds == nil {
		return 0, false
	}
	return time.Duration(*seconds * float64(time.Second)), true
}

// estimate is the last result of left, with its time.
type estimate struct {
	at   time.Time
	left *float64
}

// estimated returns left, computed anew once a second; in between it subtracts the elapsed
// time.
func (t *tracker) estimated(now time.Time) *float64 {
	e := &t.estimate
	if age := now.Sub(e.at); age >= least || e.left == nil {
		*e = estimate{now, t.left(now)}
	}
	if e.left == nil {
		return nil
	}
	left := max(0, *e.left-now.Sub(e.at).Seconds())
	return &left
}

// left returns the seconds that the rest of the run takes, nil where that is not known yet.
// Each arm has a time of its own for a step, from its jobs. The remaining jobs are scheduled
// as the runner will do it, so that the last ones, when other workers are idle, count in full.
func (t *tracker) left(now time.Time) *float64 {
	cost, ok := t.costs(now)
	if !ok {
		return nil
	}
	var running, waiting []float64
	count := t.scenario.Seeds.Count
	for i, j := range t.jobs {
		horizon := float64(t.scenario.Arms[i/count].File.Horizon)
		switch {
		case !t.options.Part.Has(i):
		case j == nil:
			waiting = append(waiting, horizon*cost[i/count])
		case j.state == 'r':
			running = append(running, (horizon-float64(j.steps.Load()))*cost[i/count])
		}
	}
	left := schedule(t.parallel(), running, waiting)
	return &left
}

// parallel returns the number of jobs that are made at a time, as observed lately: where other
// processes make them, more are requested than are made. Before any observation it is the
// number of workers.
func (t *tracker) parallel() int {
	most := 0
	for _, i := range t.past {
		most = max(most, i.active)
	}
	if most == 0 {
		return t.workers
	}
	return min(most, t.workers)
}

// costs returns the seconds that a step of each arm takes. An arm without a finished step has
// the mean of the others. If no arm has one, the costs come from an earlier start of the run.
func (t *tracker) costs(now time.Time) (cost []float64, ok bool) {
	busy, steps := make([]float64, len(t.arms)), make([]int64, len(t.arms))
	for i := range t.arms {
		busy[i], steps[i] = t.arms[i].busy.Seconds(), t.arms[i].made
	}
	for _, j := range t.jobs {
		if j != nil && j.state == 'r' && j.steps.Load() > j.before {
			busy[j.arm] += j.busy(now).Seconds()
			steps[j.arm] += j.steps.Load() - j.before
		}
	}
	all, made := 0.0, int64(0)
	for i := range busy {
		all, made = all+busy[i], made+steps[i]
	}
	mean := 0.0
	switch {
	case made > 0 && all > 0:
		mean = all / float64(made)
	case made > 0: // by other processes, which reported no step before the last
		mean = now.Sub(t.began).Seconds() * float64(t.parallel()) / float64(made)
	case t.before != nil && t.before.Steps.Done > t.before.Steps.Before && t.before.Elapsed > 0:
		mean = t.before.Elapsed * float64(max(1, t.before.Workers)) / float64(t.before.Steps.Done-t.before.Steps.Before)
	default:
		return nil, false
	}
	cost = make([]float64, len(t.arms))
	for i := range cost {
		if cost[i] = mean; steps[i] > 0 && busy[i] > 0 {
			cost[i] = busy[i] / float64(steps[i])
		}
	}
	return cost, true
}

// schedule returns the time that so many workers need for the jobs under way and then for the
// waiting jobs, in their order. Each waiting job goes to the first free worker.
func schedule(workers int, running, waiting []float64) (longest float64) {
	free := times(slices.Clone(running))
	for len(free) < workers {
		free = append(free, 0)
	}
	heap.Init(&free)
	for _, job := range waiting {
		free[0] += job
		heap.Fix(&free, 0)
	}
	for _, at := range free {
		longest = max(longest, at)
	}
	return longest
}

// times are the times at which workers are free, a heap.
type times []float64

func (h times) Len() int           { return len(h) }
func (h times) Less(i, j int) bool { return h[i] < h[j] }
func (h times) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *times) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *times) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
