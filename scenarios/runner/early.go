package runner

import (
	"slices"
	"time"

	"starling/scenarios/study"
)

// mostTelling is the time for which the tracker reads the records of jobs under way before it
// writes a file.
const mostTelling = 10 * time.Millisecond

// watched is a job under way. Its meter reports the final values of its metrics.
type watched struct {
	job   *study.Job
	early map[string]bool // the metrics that the meter reports; the tracker's mu guards it
	told  []sample        // the tracker's mu guards it
}

// Watch shows the records of a job while it runs in this process. It is called before the job
// runs, and again where the job begins anew.
func (t *tracker) Watch(j *trackedJob, job *study.Job) {
	if t == nil {
		return
	}
	w := &watched{job: job, early: map[string]bool{}}
	for _, name := range job.Meter.Early() {
		w.early[name] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	j.watched, j.partial = w, nil
}

// look takes the new records of jobs under way, as far as there is time. It begins each time
// with another job, so that all get their turn.
func (t *tracker) look() {
	until := time.Now().Add(mostTelling)
	more := func() bool { return time.Now().Before(until) }
	list := t.watching()
	for k := range list {
		j := list[(k+t.turn)%len(list)]
		t.tell(j, more)
		if !more() {
			t.turn = (k + t.turn + 1) % len(list)
			return
		}
	}
}

// watching returns the jobs under way that can be read.
func (t *tracker) watching() (list []*trackedJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range t.jobs {
		if j != nil && j.state == 'r' && j.watched != nil {
			list = append(list, j)
		}
	}
	return list
}

// tell takes the records of one job since the last call. The meter reports while the job goes
// on; the tracker is not locked meanwhile.
func (t *tracker) tell(j *trackedJob, more func() bool) {
	t.mu.Lock()
	w := j.watched
	t.mu.Unlock()
	if w == nil {
		return
	}
	if w.job.Meter.Divided() {
		// The run is spread: its records are known at pauses, and not before.
		t.mu.Lock()
		w.early = nil
		t.mu.Unlock()
		return
	}
	taken := taker{curves: &t.arms[j.arm].curves}
	w.job.Meter.Tell(int(j.steps.Load()), taken.takes, more, &taken)
	t.mu.Lock()
	defer t.mu.Unlock()
	w.told = append(w.told, taken.list...)
}

// taker takes the metrics of a run at the steps of the curves of its arm.
type taker struct {
	curves *curves
	list   []sample
}

// takes reports whether there is a place for a step.
func (t *taker) takes(step int) bool {
	_, ok := t.curves.at[int64(step)]
	return ok
}

// Add implements gauge.Recorder.
func (t *taker) Add(step int, metric string, value float64) {
	if at, ok := t.curves.at[int64(step)]; ok {
		t.list = append(t.list, sample{metric, at, value})
	}
}

// AddNode implements gauge.Recorder. It does nothing: curves show metrics of whole runs.
func (*taker) AddNode(int, int, string, float64) {}

// rests reports whether a metric of a job under way is known only from the job's last pause.
func (j *trackedJob) rests(metric string) bool {
	return j.state == 'r' && j.watched != nil && !j.watched.early[metric]
}

// recorded returns the known metrics of a job under way: those that its meter reports, and the
// others as they were computed at the job's last pause.
func (j *trackedJob) recorded() []sample {
	if j.watched == nil {
		return j.partial
	}
	list := slices.Clip(j.watched.told)
	for _, s := range j.partial {
		if !j.watched.early[s.metric] {
			list = append(list, s)
		}
	}
	return list
}
