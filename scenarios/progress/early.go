package progress

import (
	"slices"
	"time"

	"starling/scenarios/study"
)

// mostTelling is how long the tracker looks at what jobs under way have recorded, before it
// writes a file.
const mostTelling = 10 * time.Millisecond

// watched is a job under way whose meter tells what is final of its metrics.
type watched struct {
	job   *study.Job
	early map[string]bool // the metrics that it tells; the tracker's mu guards it
	told  []sample        // the tracker's mu guards it
}

// Watch has what a job records shown while it runs in this process. It is called before the
// job runs, and again where the job begins anew.
func (t *Tracker) Watch(j *Job, job *study.Job) {
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

// look takes what jobs under way have recorded since it was last called, as far as there is
// time. Who comes first changes, so that everybody comes.
func (t *Tracker) look() {
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

// watching are the jobs under way that can be looked at.
func (t *Tracker) watching() (list []*Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range t.jobs {
		if j != nil && j.state == 'r' && j.watched != nil {
			list = append(list, j)
		}
	}
	return list
}

// tell takes what one job has recorded since it was last asked. The meter tells while the job
// goes on; the tracker is free meanwhile.
func (t *Tracker) tell(j *Job, more func() bool) {
	t.mu.Lock()
	w := j.watched
	t.mu.Unlock()
	if w == nil {
		return
	}
	if w.job.Meter.Divided() {
		// The run is spread: what it has recorded is known when it rests, and nothing is
		// told before.
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

// takes tells whether there is a place for a step.
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

// AddNode implements gauge.Recorder: curves are of whole runs.
func (*taker) AddNode(int, int, string, float64) {}

// rests tells whether a metric of a job under way is known only from when the job rested.
func (j *Job) rests(metric string) bool {
	return j.state == 'r' && j.watched != nil && !j.watched.early[metric]
}

// recorded are the metrics of a job under way, as far as they are known: those that its meter
// tells, and of the others what was worked out when the job last rested.
func (j *Job) recorded() []sample {
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
