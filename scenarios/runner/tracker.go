package runner

import (
	"context"
	"errors"
	"os"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// trackerOptions are the settings of a tracker.
type trackerOptions struct {
	// Dir is the folder into which progress.json is written: the run's, or a part's.
	Dir string
	// Hash names the run, and Part is its share of the jobs.
	Hash string
	Part jobs.Share
}

// The limits on the cost of a tracker.
const (
	// least is the shortest time between two writes of the file. After a write that took time
	// t, with the reading of the jobs before it, the next comes no earlier than costly*t, but
	// no later than the greater of late and slow*t. mostTelling and mostPoints limit the work
	// of a write. A write that takes longer lost its time to other programs, or to a value
	// that takes long; the job keeps such a value and needs it at its end.
	least  = time.Second
	costly = 125
	late   = 5 * time.Second
	slow   = 8
	// window is the number of the last files over which the speed is taken.
	window = 30
	// mostWarnings is the number of warnings in a file.
	mostWarnings = 50
)

// tracker follows one start of a run: the steps that each job has made, the time that the rest
// will take, and the metrics recorded so far. It writes them into progress.json, in the format
// of package live. No result depends on it: it reads the records of jobs, writes to none of
// them, and decides nothing. Its methods may be called from any goroutine, and on nil, which
// follows nothing.
//
//	executor ->  Begin, Watch, Advance, Paused, Finish   of each job, from its goroutine
//	tracker  ->  progress.json                           at most once a second
//
// A step costs an atomic store. While a job goes on, its meter reports the final values of its
// metrics (gauge.Meter.Tell), for some milliseconds before each write of the file. If the
// report and the write took time t, the next write comes no earlier than 125 t, which is 0.8 %
// of one core. On a busy machine, where the clock counts the time of other programs, the file
// is written every five seconds all the same. So values appear within one to five seconds of
// the step after theirs.
//
// A metric that is known only when a job is over, such as an epsilon, is computed on a copy of
// its meter, at a pause that the job makes anyway to save its state. That is not done within
// its first seconds, and takes at most another 0.2 % of the time. Such a metric changes at
// those pauses, and so do all metrics of a run that is spread over processes.
type tracker struct {
	scenario *study.Scenario
	options  trackerOptions
	began    time.Time
	// before is the progress that an earlier start has left in the folder, nil if none has;
	// tookBefore is the seconds that the earlier starts took.
	before     *live.Run
	tookBefore float64
	host       string
	// mu guards the fields below.
	mu      sync.Mutex
	workers int
	remote  bool
	jobs    []*trackedJob // by number in the canonical order; nil before a job has begun
	arms    []arm         // by arm
	// warnings are the first ones, and more is the number of the others.
	warnings []live.Warning
	more     int
	peak     int64
	past     []instant // the last window of them, the latest at the end
	estimate estimate
	partials partials
	turn     int // the job that is read first; used by the goroutine that writes

	quit  chan struct{}
	group sync.WaitGroup
}

// instant is the number of steps that this start had made at a time, and the number of jobs
// under way then.
type instant struct {
	at     time.Time
	steps  int64
	active int
}

// arm holds the progress of the jobs of an arm.
type arm struct {
	// all, done and kept count its jobs in the share.
	all, done, kept int
	// busy is the time that finished jobs of this start took, and made the number of their
	// steps in that time.
	busy time.Duration
	made int64
	curves
}

// trackedJob follows one job. Advance may be called while other goroutines read.
type trackedJob struct {
	index, arm, horizon int
	steps               atomic.Int64
	// first is the time at which the job began to make steps, in nanoseconds after the tracker
	// began; 0 is not yet.
	first   atomic.Int64
	tracker *tracker
	// The tracker's mu guards the fields below.
	prepared time.Duration // the time that its preparation took
	before   int64         // steps that this start has not made
	state    byte          // a letter of live.ArmProgress.Seeds
	// partial are the metrics that were computed at the last pause.
	partial []sample
	watched *watched // nil where the job runs elsewhere, or is over
}

// startTracker begins to follow a run, and writes progress.json from now on, until Stop. The
// run's folder must exist.
func startTracker(s *study.Scenario, o trackerOptions) *tracker {
	t := &tracker{scenario: s, options: o, began: time.Now(), workers: 1, jobs: make([]*trackedJob, jobs.Count(s)), arms: make([]arm, len(s.Arms)), quit: make(chan struct{})}
	t.host, _ = os.Hostname()
	// A file that cannot be read is ignored: the run goes on without it.
	if before, err := live.Read(o.Dir); err == nil && before != nil && before.Hash == o.Hash {
		t.before, t.tookBefore = before, before.Took()
	}
	most := pointsOf(len(s.Arms))
	for i := range t.arms {
		t.arms[i].curves = newCurves(s.Arms[i].Points, most)
	}
	for i := range t.jobs {
		if o.Part.Has(i) {
			t.arms[i/s.Seeds.Count].all++
		}
	}
	for _, w := range s.Remarks {
		t.warn(live.Warning{Code: w.Code, Arm: w.Arm, Message: w.Message})
	}
	t.group.Go(t.write)
	return t
}

// SetWorkers sets the number of jobs that are begun at a time. remote means that other
// processes make them, where a job can wait after it has begun.
func (t *tracker) SetWorkers(n int, remote bool) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.workers, t.remote = max(1, n), remote
}

// Begin follows a job from its beginning; begun again, it begins anew.
func (t *tracker) Begin(index int) *trackedJob {
	if t == nil {
		return nil
	}
	number := index / t.scenario.Seeds.Count
	j := &trackedJob{index: index, arm: number, horizon: t.scenario.Arms[number].File.Horizon, tracker: t, state: 'r'}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.remote {
		j.first.Store(int64(time.Since(t.began)))
	}
	t.jobs[index] = j
	return j
}

// Preparing notes that the preparation of a job begins; the function that it returns, that it is over.
func (j *trackedJob) Preparing() (over func()) {
	if j == nil {
		return func() {}
	}
	began := time.Now()
	return func() {
		j.tracker.mu.Lock()
		defer j.tracker.mu.Unlock()
		j.prepared = time.Since(began)
	}
}

// Advance sets the number of steps of a job that are done. It is lower than before where the
// job has to make some steps again.
func (j *trackedJob) Advance(steps int) {
	if j == nil {
		return
	}
	j.steps.Store(int64(steps))
	if j.first.Load() == 0 {
		j.first.Store(int64(time.Since(j.tracker.began)))
	}
}

// busy returns the time for which a job has made steps.
func (j *trackedJob) busy(now time.Time) time.Duration {
	if first := time.Duration(j.first.Load()); first > 0 {
		return now.Sub(j.tracker.began) - first
	}
	return 0
}

// Resume records that an earlier start of the job has made so many steps.
func (t *tracker) Resume(j *trackedJob, steps int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	j.before = int64(steps)
	j.steps.Store(int64(steps))
}

// Finish takes the result of a job. kept is true for a job that was done before this start.
func (t *tracker) Finish(j *trackedJob, r *jobs.Result, kept bool) {
	if t == nil {
		return
	}
	samples := t.arms[j.arm].samples(r.Metrics) // its curves are fixed
	t.mu.Lock()
	defer t.mu.Unlock()
	a := &t.arms[j.arm]
	a.done++
	j.steps.Store(int64(j.horizon))
	if j.state = 'd'; kept {
		j.state, j.before = 'b', int64(j.horizon)
		a.kept++
	} else {
		a.busy += j.busy(time.Now())
		a.made += int64(j.horizon) - j.before
	}
	j.partial, j.watched = nil, nil
	a.take(samples)
	for _, w := range r.Warnings {
		t.warn(live.Warning{Code: w.Code, Arm: t.scenario.Arms[j.arm].Name, Message: w.Message})
	}
}

// Fail ends a job that failed, with a text for the user, or a job that was not made because
// another of its arm has failed.
func (t *tracker) Fail(index int, text string) {
	if t == nil {
		return
	}
	number := index / t.scenario.Seeds.Count
	t.mu.Lock()
	defer t.mu.Unlock()
	j := &trackedJob{index: index, arm: number, horizon: t.scenario.Arms[number].File.Horizon, tracker: t, state: 'f'}
	j.steps.Store(int64(j.horizon))
	t.jobs[index] = j
	t.arms[number].done++
	if text != "" {
		t.warn(live.Warning{Code: "failed", Message: text})
	}
}

// warn keeps a warning, if there are few.
func (t *tracker) warn(w live.Warning) {
	if len(t.warnings) == mostWarnings {
		t.more++
		return
	}
	t.warnings = append(t.warnings, w)
}

// Before returns the time that the earlier starts of the run took.
func (t *tracker) Before() time.Duration {
	if t == nil {
		return 0
	}
	return time.Duration(t.tookBefore * float64(time.Second))
}

// Stop ends the tracking. It removes the file if failure is nil and complete is true, which
// means that the run has its results. Otherwise it writes the final state, with failure, the
// error of the run. The returned error is about the file alone.
func (t *tracker) Stop(failure error, complete bool) error {
	if t == nil {
		return nil
	}
	close(t.quit)
	t.group.Wait()
	if failure == nil && complete {
		return live.Remove(t.options.Dir)
	}
	r := t.Now()
	switch {
	case failure == nil:
		r.State = live.Done
	case errors.Is(failure, context.Canceled):
		r.State = live.Stopped
	default:
		r.State, r.Error = live.Failed, failure.Error()
	}
	r.Left, r.Work = nil, ""
	return r.Write(t.options.Dir)
}

// write writes the file again and again until Stop. If the folder cannot be written to, the
// run goes on.
func (t *tracker) write() {
	last := late
	for {
		began := time.Now()
		t.look()
		r := t.Now()
		r.Next = last.Seconds()
		_ = r.Write(t.options.Dir)
		took := time.Since(began)
		last = max(late, slow*took)
		wait := min(last, max(least, costly*took))
		select {
		case <-t.quit:
			return
		case <-time.After(wait):
		}
	}
}

// Now returns the progress of the run.
func (t *tracker) Now() *live.Run {
	now, memory := time.Now(), memory()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peak = max(t.peak, memory)
	s := t.scenario
	r := &live.Run{
		Format: live.Version, Scenario: s.Name, Hash: t.options.Hash, Part: t.options.Part.String(), State: live.Running,
		Process: os.Getpid(), Host: t.host, Started: t.began, Updated: now, Elapsed: now.Sub(t.began).Seconds(), ElapsedBefore: t.tookBefore,
		Workers: t.workers, Memory: memory, MemoryPeak: t.peak, Work: s.Board.Text(),
		Seeds: results.Seeds{Base: s.Seeds.Base, Count: s.Seeds.Count}, FirstStep: s.Arms[0].Extent.FirstStep,
		Warnings: slices.Clone(t.warnings), WarningsMore: t.more, Arms: make([]live.ArmProgress, 0, len(t.arms)),
	}
	values := plot.Arms(s)
	for i := range t.arms {
		a := t.armNow(i, &r.Steps)
		a.Values = values[i].Values
		r.Arms = append(r.Arms, a)
		r.Runs.All, r.Runs.Done, r.Runs.Before = r.Runs.All+a.Runs.All, r.Runs.Done+a.Runs.Done, r.Runs.Before+a.Runs.Before
	}
	if slices.ContainsFunc(s.Arms, estimates) {
		r.Later = []string{gauge.RegretExpected}
	}
	r.Curves = t.curvesNow()
	if r.Steps.Done == r.Steps.All {
		r.State = live.Writing
		return r
	}
	active := 0
	for _, j := range t.jobs {
		if j != nil && j.state == 'r' && j.steps.Load() > j.before {
			active++
		}
	}
	t.past = append(t.past, instant{now, r.Steps.Done - r.Steps.Before, active})
	t.past = t.past[max(0, len(t.past)-window):]
	r.Speed, r.Left = t.speed(), t.estimated(now)
	return r
}

// estimates reports whether the runs of an arm leave a statistic over all seeds.
func estimates(arm *study.Arm) bool {
	_, ok := study.EstimatorOf(arm)
	return ok
}

// armNow returns the progress of the jobs of an arm; it adds their steps to a sum.
func (t *tracker) armNow(i int, steps *live.Count) live.ArmProgress {
	s, a := t.scenario, &t.arms[i]
	count, horizon := s.Seeds.Count, s.Arms[i].File.Horizon
	out := live.ArmProgress{Name: s.Arms[i].Name, Horizon: horizon, Runs: live.Count{All: int64(a.all), Done: int64(a.done), Before: int64(a.kept)}}
	letters := make([]byte, count)
	for k := range count {
		letters[k] = '-'
		if t.options.Part.Has(i*count + k) {
			letters[k] = 'w'
			steps.All += int64(horizon)
		}
		if j := t.jobs[i*count+k]; j != nil {
			letters[k] = j.state
			done := j.steps.Load()
			steps.Done, steps.Before = steps.Done+done, steps.Before+j.before
			if j.state == 'r' {
				out.Running = append(out.Running, live.Job{Seed: jobs.SeedOf(s, j.index), Steps: int(done)})
			}
		}
	}
	if count <= live.MostSeeds {
		out.Seeds = string(letters)
	}
	return out
}

// memory returns the bytes that the process has from the system.
func memory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
