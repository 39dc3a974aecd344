package runner

import (
	"fmt"
	"time"

	"starling/messages"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// The limits on the cost of the metrics of jobs under way.
const (
	// share is the reciprocal of the fraction of the time that the computation may take.
	share = 500
)

// partials limits the cost of metrics of jobs under way; the tracker's mu guards it.
type partials struct {
	busy bool // one job at a time
	// spent is the time of all computations, and last the time of the last one, by arm.
	spent time.Duration
	last  map[int]time.Duration
	// failed are arms with meters that cannot be copied.
	failed map[int]bool
}

// Paused computes the metrics of a job at a pause after so many steps, if they are due. It
// reads the meter of the job before it returns, and computes the metrics afterwards. Where the
// data are computed outside of the program, it does nothing: a second process of theirs would
// take seconds and the memory of the first.
func (t *tracker) Paused(j *trackedJob, arm *study.Arm, seed uint64, job *study.Job, steps int) {
	if t == nil || job.Release != nil || !t.due(j, arm) {
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

// due reports whether the metrics of a job are due. If so it blocks other jobs meanwhile. The computation
// prepares the job again, and so takes no less time than its preparation did.
func (t *tracker) due(j *trackedJob, arm *study.Arm) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.partials
	if p.last == nil {
		p.last, p.failed = map[int]time.Duration{}, map[int]bool{}
	}
	ok := !p.busy && !p.failed[j.arm] && j.busy(time.Now()) >= jobs.Early && jobs.Looked(arm) &&
		share*(p.spent+max(j.prepared, p.last[j.arm])) <= time.Since(t.began)
	p.busy = p.busy || ok
	return ok
}

// workOut returns the records of a job after so many steps, from a copy of its meter:
// finishing the meter itself would end it.
func (t *tracker) workOut(j *trackedJob, arm *study.Arm, seed uint64, taken []byte, steps int) (list []sample, err error) {
	defer func() {
		if p := recover(); p != nil { // a gauge that needs its run
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
	last := int64(arm.Extent.FirstStep + steps - 1)
	for _, s := range all {
		if t.arms[j.arm].steps[s.at] <= last {
			list = append(list, s)
		}
	}
	return list, nil
}
