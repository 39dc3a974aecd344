package progress

import (
	"fmt"
	"time"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// The bounds of what metrics of jobs under way take.
const (
	// early is how long a job runs before its metrics are looked at: shorter ones are
	// counted when they are done.
	early = 2 * time.Second
	// share is which part of the time working them out may take.
	share = 500
	// mostNumbers is up to how many coordinates of decisions a job has whose metrics are
	// looked at: a copy of a larger one takes memory that the run has no room for.
	mostNumbers = 1 << 22
)

// partials bounds what metrics of jobs under way take; the tracker's mu guards it.
type partials struct {
	busy bool // one job at a time
	// spent is how long it all took, and last by arm the last one.
	spent time.Duration
	last  map[int]time.Duration
	// failed are arms whose meters cannot be copied.
	failed map[int]bool
}

// Paused looks at the metrics of a job that rests after so many steps, if they are due. It
// reads the meter of the job before it returns, and works them out afterwards.
func (t *Tracker) Paused(j *Job, arm *study.Arm, seed uint64, job *study.Job, steps int) {
	if t == nil || !t.due(j, arm) {
		return
	}
	began := time.Now()
	taken := messages.Write(nil, job.Meter)
	t.group.Go(func() {
		samples, err := t.workOut(j, arm, seed, taken, steps)
		t.mu.Lock()
		defer t.mu.Unlock()
		p := &t.partials
		took := time.Since(began)
		p.busy, p.spent, p.last[j.arm], p.failed[j.arm] = false, p.spent+took, took, err != nil
		if j.state == 'r' && err == nil {
			j.partial = samples
		}
	})
}

// due tells whether the metrics of a job are, and if so keeps others from it.
func (t *Tracker) due(j *Job, arm *study.Arm) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.partials
	if p.last == nil {
		p.last, p.failed = map[int]time.Duration{}, map[int]bool{}
	}
	ok := !p.busy && !p.failed[j.arm] && j.busy(time.Now()) >= early && arm.File.Nodes*arm.Algorithm.Dim <= mostNumbers &&
		share*(p.spent+p.last[j.arm]) <= time.Since(t.began)
	p.busy = p.busy || ok
	return ok
}

// workOut is what a job has recorded after so many steps, of a copy of its meter: to finish
// the meter itself would end it.
func (t *Tracker) workOut(j *Job, arm *study.Arm, seed uint64, taken []byte, steps int) (list []sample, err error) {
	defer func() {
		if p := recover(); p != nil { // a gauge that cannot do without its run
			err = fmt.Errorf("%v", p)
		}
	}()
	again, err := arm.Algorithm.Job(seed)
	if err != nil {
		return nil, err
	}
	if err := messages.Read(taken, again.Meter); err != nil {
		return nil, err
	}
	all := t.arms[j.arm].samples(jobs.MetricsOf(again, arm, seed))
	last := int64(arm.Algorithm.FirstStep + steps - 1)
	for _, s := range all {
		if t.arms[j.arm].steps[s.at] <= last {
			list = append(list, s)
		}
	}
	return list, nil
}
