package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/forecast"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/limits"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// RunJobs runs all jobs of the run, or of the part of it, several at a time, and hands their
// results to take in the canonical order: by arm, then seed. It returns the first error in the order
// in which jobs begin, when no job is left running.
func RunJobs(s *study.Scenario, ctx context.Context, options RunOptions, store *checkpoint.Store, log zerolog.Logger, take func(*jobs.Result) error) error {
	workers, err := options.workers, error(nil)
	switch {
	case options.Elsewhere != nil:
		workers, err = options.Elsewhere.Begin(ctx, s)
	case options.Spread != nil:
		workers = 1
		_, err = options.Spread.Begin(ctx, s)
	case workers == 0:
		workers, err = forecast.Workers(ctx, s, options.Forecast())
	}
	if err != nil {
		return err
	}
	options.live.SetWorkers(workers, options.Elsewhere != nil)
	s.Cache.Limit(jobs.CacheBudget(options.Memory))
	list := options.Part.Of(s)
	x := &executor{
		scenario: s, options: options, store: store, log: log, keys: jobs.Keys(s, options.Build),
		kept: options.kept, order: jobs.OrderOf(s, list, workers), damaged: map[string][]string{}, failed: map[int]int{},
	}
	if x.kept == nil {
		x.kept = &kept{}
	}
	if options.Engine == Actors && options.Elsewhere == nil {
		if x.host, err = engine.NewHost(engine.HostOptions{Logger: log}); err != nil {
			return err
		}
		defer x.host.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A slot for each job, in order. Each worker fills its own, and the loop below takes them
	// one after the other. A result waits for the earlier ones; the window bounds the number
	// of those that wait.
	pending := make(chan chan *jobs.Result, 2*workers)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)
	group.Go(func() { x.start(ctx, &group, workers, pending) })
	ordered := &inOrder{x: x, take: take, list: list, done: map[int]bool{}}
	for slot := range pending {
		r := <-slot
		if r.Err != nil {
			return r.Err
		}
		if err := ordered.add(r); err != nil {
			return err
		}
	}
	if ordered.at < len(list) {
		return context.Cause(ctx)
	}
	x.kept.from, x.kept.adopted = x.from, x.adopted
	x.kept.warnDamaged(x.damaged)
	return nil
}

// executor runs jobs, several at a time.
type executor struct {
	// All fields are fixed while jobs run, except that start changes order.
	scenario *study.Scenario
	options  RunOptions
	// host is the actor runtime that all jobs share; nil for lockstep.
	host *engine.Host
	// store is the journal of finished jobs and of saved states.
	store *checkpoint.Store
	log   zerolog.Logger
	order *jobs.Order
	// keys are the keys of all jobs. kept holds their results from other runs.
	keys []checkpoint.Key
	kept *kept
	// mu guards the fields below. from holds the folders from which jobs were adopted, and
	// adopted their number. damaged holds, by folder, reasons why jobs could not be adopted.
	// failed holds, by arm, the first of its jobs that has failed so far.
	mu      sync.Mutex
	from    []string
	adopted int
	damaged map[string][]string
	failed  map[int]int
}

// job runs the i-th job in the canonical order, or the rest of it.
func (x *executor) job(ctx context.Context, i int) *jobs.Result {
	s := x.scenario
	r := jobs.New(s, i)
	arm := s.Arms[r.Arm]
	began := time.Now()
	if x.hopeless(r) {
		r.Skipped = true
		x.advancing(nil)(arm.File.Horizon)
		x.options.live.Fail(r.Index, "")
		return r
	}
	err := x.guarded(ctx, arm, r)
	if err != nil && ctx.Err() == nil && r.Fail(arm, err) {
		err = x.fail(r)
	}
	if err != nil {
		r.Err = fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, r.Seed, err)
		return r
	}
	if p := x.options.Progress; p != nil {
		p.Jobs.Add(1)
	}
	if r.Failure != nil {
		return r
	}
	x.log.Info().Str("arm", arm.Name).Uint64("seed", r.Seed).Hex("digest", r.Proof.Digest[:]).Dur("elapsed", time.Since(began)).Msg("job")
	return r
}

// hopeless reports whether the arm of a job has failed under an earlier seed. The job is then
// not made. All jobs before a failed one are made, so the first seed under which an arm fails
// does not depend on the order of the run.
func (x *executor) hopeless(r *jobs.Result) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	first, failed := x.failed[r.Arm]
	return failed && first < r.Index
}

// fail enters a job that has failed.
func (x *executor) fail(r *jobs.Result) error {
	x.mu.Lock()
	if first, failed := x.failed[r.Arm]; !failed || r.Index < first {
		x.failed[r.Arm] = r.Index
	}
	x.mu.Unlock()
	x.log.Warn().Str("arm", r.Failure.Arm).Uint64("seed", r.Seed).Str("failure", r.Failure.Error()).Msg("job failed")
	x.options.live.Fail(r.Index, r.Failure.String())
	return x.store.Fail(x.keys[r.Index], messages.Write(nil, r))
}

// advancing returns the function that gets the number of steps of a job that are done.
func (x *executor) advancing(followed *trackedJob) func(steps int) {
	counted := int64(0)
	return func(steps int) {
		followed.Advance(steps)
		if p := x.options.Progress; p != nil {
			p.Steps.Add(int64(steps) - counted)
			counted = int64(steps)
		}
	}
}

// guarded is execute with panics outside of machines returned as errors, so that these, too,
// name scenario, arm and seed. The panic's stack goes into the log.
func (x *executor) guarded(ctx context.Context, arm *study.Arm, r *jobs.Result) (err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	return x.execute(ctx, arm, r)
}

// execute fills in the result of a job, and reports its progress.
func (x *executor) execute(ctx context.Context, arm *study.Arm, r *jobs.Result) error {
	followed := x.options.live.Begin(r.Index)
	kept, err := x.get(ctx, arm, r, followed)
	if err == nil {
		x.options.live.Finish(followed, r, kept)
	}
	return err
}

// get fills in the result of a job. If the job was finished before, it takes the result from a
// journal, and kept is true. Otherwise it runs the job, from its last saved state on.
func (x *executor) get(ctx context.Context, arm *study.Arm, r *jobs.Result, followed *trackedJob) (kept bool, err error) {
	advance := x.advancing(followed)
	defer func() {
		if err != nil && ctx.Err() == nil {
			advance(arm.File.Horizon) // nothing is left to do
		}
	}()
	before := func(steps int) {
		x.options.live.Resume(followed, steps)
		if p := x.options.Progress; p != nil {
			p.Before.Add(int64(steps))
			advance(steps)
		}
	}
	// A job that an earlier start has finished is in the journal, and one that another run has
	// finished in the other run's. A failed job is tried again: the cause may be gone, such as
	// a missing file of a user's class.
	kept, err = x.finished(r)
	if kept && r.Failure != nil {
		kept, *r = false, *jobs.New(x.scenario, r.Index)
	}
	if !kept && err == nil {
		kept, err = x.adopt(r)
	}
	if kept {
		before(arm.File.Horizon)
	}
	if kept || err != nil {
		return kept, err
	}
	if x.options.Elsewhere != nil {
		return false, x.makeElsewhere(ctx, arm, r, advance)
	}
	j, saved, err := x.prepare(ctx, arm, r, followed)
	if err != nil {
		return false, err
	}
	if resume := j.Run.Resume; resume != nil {
		before(resume.Offset)
	}
	err = x.compute(ctx, arm, r, j, saved, advance)
	for lost := (*LostError)(nil); errors.As(err, &lost); {
		if j, saved, err = x.prepare(ctx, arm, r, followed); err != nil {
			return false, err
		}
		if advance(0); j.Run.Resume != nil {
			advance(j.Run.Resume.Offset)
		}
		err = x.compute(ctx, arm, r, j, saved, advance)
	}
	if err != nil {
		return false, err
	}
	return false, x.finish(r)
}

// compute runs a job, or the rest of it from a saved state on, and fills in its result.
func (x *executor) compute(ctx context.Context, arm *study.Arm, r *jobs.Result, j *study.Job, saved []byte, advance func(steps int)) (err error) {
	if j.Release != nil {
		defer j.Release()
	}
	// Both runtimes leave the same bits in machines and meter, wherever the shards run.
	if x.options.Spread != nil {
		err = x.options.Spread.Spread(ctx, x.host, r.Index, j, saved, jobs.Shards(arm, x.options.Shards), advance)
	} else if x.host != nil {
		err = x.host.Run(ctx, &j.Run, engine.Options{Shards: jobs.Shards(arm, x.options.Shards), Progress: advance})
	} else {
		err = lockstep.Run(ctx, &j.Run)
	}
	if err != nil {
		return err
	}
	advance(j.Run.Steps)
	if j.Graphs != nil {
		if _, err := j.Graphs.Close(); err != nil {
			return err
		}
	}
	// The charged losses must equal the planned ones. A difference means that an account is
	// wrong, and no result is better than a wrong one.
	if err := j.Meter.Settled(arm.Extent.FirstLabel); err != nil {
		return fmt.Errorf("the ledger does not agree with the plan: %w", err)
	}
	if err := jobs.Take(r, arm, j, x.scenario.Kinds.AllMetrics()); err != nil {
		return err
	}
	if r.First(x.scenario) {
		r.Note(x.scenario, arm, j, x.options.Theory)
	}
	r.Seal()
	return nil
}

// finished fills in the result of a job from the journal, and reports whether the journal has
// it.
func (x *executor) finished(r *jobs.Result) (done bool, err error) {
	body, done, err := x.store.Finished(x.keys[r.Index])
	if err == nil && done {
		done, err = read(x.scenario, r, body, x.options.Theory)
	}
	if err != nil {
		return false, unusable(err)
	}
	return done, nil
}

// prepare returns a job at its beginning, or at its saved state together with that state. The
// job saves its states and shows its records. It may need a factorisation of noise, which
// ignores contexts: once the context is done, prepare does not wait for it.
func (x *executor) prepare(ctx context.Context, arm *study.Arm, r *jobs.Result, followed *trackedJob) (j *study.Job, state []byte, err error) {
	defer x.scenario.Board.Begin(fmt.Sprintf("preparation of arm %s, seed %d", arm.Name, r.Seed)).End()
	over := followed.Preparing()
	j, err = limits.Within(ctx, limits.Grace, func() (*study.Job, error) { return arm.Algorithm.Job(r.Seed) })
	if over(); err != nil {
		return nil, nil, err
	}
	state, saved, err := x.store.State(x.keys[r.Index])
	if err == nil && saved {
		err = jobs.Resume(j, state)
	}
	if err != nil {
		return nil, nil, unusable(err)
	}
	if saved {
		x.log.Info().Str("arm", arm.Name).Uint64("seed", r.Seed).Int("steps", j.Run.Resume.Offset).Msg("resumed")
	}
	jobs.Save(j, x.keep(x.keys[r.Index]), &arm.File.Checkpoint)
	save := j.Run.Pauses.Save
	j.Run.Pauses.Save = func(state *algorithm.State) error {
		x.options.live.Paused(followed, arm, r.Seed, j, state.Offset)
		return save(state)
	}
	x.options.live.Watch(followed, j)
	return j, state, nil
}

// keep returns a function that saves the states of a job in the run's store.
func (x *executor) keep(key checkpoint.Key) func(state func(io.Writer) error) error {
	return func(state func(io.Writer) error) error { return x.store.Save(key, state) }
}

// collector takes the results of jobs in their canonical order.
type collector struct {
	// Run writes the fields without a comment into the manifest.
	scenario *study.Scenario
	folder   *results.Folder
	// expected holds the statistics over seeds of the arm of the latest jobs.
	expected *gauge.ExpectedRegret
	// again reads the result of a job once more after it was taken, for several jobs at a
	// time. It is nil where results cannot be read again.
	again func(r *jobs.Result) error
	// nodes has the estimates by measured node, where there is one arm.
	nodes [][]gauge.RegretEstimate
	Notes []results.Note
	// halves are half the intervals of statistics over seeds, by arm and step.
	halves map[string]map[int64]float64
	// last are the same statistics at the last record of each arm, for the marks of figures. They are kept where the
	// numbers that marks add up have the bound of the intervals.
	last map[string]lastRegret
	// perNode are the statistics by node that the scenario's own figures show.
	perNode *plot.NodeStatistics
	// losses are the final privacy losses of the arms, and hash is the hash of the run. marks are
	// of its headline metric.
	losses   accounts.Losses
	marks    *plot.Marks
	hash     string
	Warnings []results.Warning
	// Arms are the scenario's arms, with the steps at which budgets stopped them.
	Arms []results.ArmEntry
	// failures holds the first failure of each failed arm, in the order of arms. After the
	// first failure nothing more is written: the folder begins anew, without these arms.
	failures []results.Failure
}

// NewCollector returns a collector of the jobs of a scenario. It writes into a folder, which
// stays open.
func NewCollector(s *study.Scenario, folder *results.Folder) *collector {
	return &collector{
		scenario: s, folder: folder, perNode: plot.NewNodeStatistics(plot.NodeMetrics(s)...), losses: accounts.Losses{}, halves: map[string]map[int64]float64{}, last: map[string]lastRegret{},
		Arms: plot.Arms(s), Warnings: slices.Clone(s.Remarks),
	}
}

// Take writes the result of a job, and adds it to the statistics of its arm. Jobs come in the
// canonical order; the last seed of an arm closes the arm's statistics.
func (c *collector) Take(r *jobs.Result) error {
	arm := c.scenario.Arms[r.Arm]
	if c.failures = jobs.NoteFailure(c.failures, r); len(c.failures) > 0 {
		return nil
	}
	if err := r.VerifyBesides(); err != nil {
		return fmt.Errorf("%v: %w", r.Metrics, err)
	}
	if err := c.folder.WriteProven(r.Metrics, r.Proof); err != nil {
		return err
	}
	for _, n := range r.Notes {
		c.Notes = append(c.Notes, results.Note{Arm: arm.Name, Key: n.Key, Value: n.Value})
	}
	for _, w := range r.Warnings {
		c.Warnings = append(c.Warnings, results.Warning{Code: w.Code, Arm: arm.Name, Message: w.Message})
	}
	c.Warnings = append(c.Warnings, study.WarningsOfStops(arm, r.Seed, r.Stops)...)
	if at := &c.Arms[r.Arm].StoppedAt; len(r.Stops) > 0 && arm.File.Budget.Limits() {
		if first := int64(r.Stops[0].Step); *at == nil || **at > first {
			*at = &first
		}
	}
	for _, row := range r.Privacy {
		if err := c.folder.AddPrivacy(row); err != nil {
			return err
		}
		c.losses.Add(row)
	}
	if arm.File.Measure.Model {
		if err := writeModel(c.scenario, c.folder, r.Arm, r.Seed, r.Model, r.Costs); err != nil {
			return err
		}
	}
	if len(c.perNode.Metrics) > 0 {
		if err := r.Metrics.Load(); err != nil {
			return err
		}
		for row := range r.Metrics.Rows() {
			c.perNode.Add(row)
		}
	}
	estimator, ok := study.EstimatorOf(arm)
	if !ok {
		return nil
	}
	if c.expected == nil {
		c.expected = estimator.Expected()
		if c.again != nil {
			c.expected.ReadAgain(mostParts, func(visit func(gauge.RegretPart)) error { return c.visitParts(r.Arm, visit) })
		}
	}
	c.expected.Add(r.Part)
	if r.Seed == c.scenario.Seeds.Base+uint64(c.scenario.Seeds.Count)-1 {
		return c.endArm(arm)
	}
	return nil
}

// mostParts is the number of bytes of its jobs that the statistics over the seeds of an arm
// keep: so their memory does not grow with the number of seeds.
const mostParts = 64 << 20

// visitParts reads again the parts of all jobs of an arm for statistics over its seeds.
func (c *collector) visitParts(arm int, visit func(gauge.RegretPart)) error {
	count := c.scenario.Seeds.Count
	read := func(k int) *jobs.Result {
		r := jobs.New(c.scenario, arm*count+k)
		r.Err = c.again(r)
		return r
	}
	size := func(int) int { return chunkSize } // a job at a time
	return readAhead(context.Background(), count, size, read, func(r *jobs.Result) error {
		visit(r.Part)
		return nil
	})
}

// endArm reduces the statistics over an arm's seeds.
func (c *collector) endArm(arm *study.Arm) error {
	nodes := 0
	if len(c.scenario.Arms) == 1 && len(arm.Measured) <= plot.MostCurves {
		nodes = len(arm.Measured)
	}
	all, byNode, err := c.expected.Estimates(nodes)
	if err != nil {
		return err
	}
	for _, e := range all {
		row := results.SummaryRow{Arm: arm.Name, Step: int64(e.Step), Metric: gauge.RegretExpected, Mean: e.Mean, SE: e.SE, N: int64(e.Runs)}
		if err := c.folder.AddSummary(row); err != nil {
			return err
		}
	}
	c.nodes = byNode
	if !c.scenario.Undrawn {
		halves, last, err := intervals(c.expected, c.scenario.Seeds.Count, len(c.scenario.Arms), nil)
		if err != nil {
			return err
		}
		c.halves[arm.Name] = halves
		if points := c.expected.Points(); last != nil && resampling(c.expected, c.scenario.Seeds.Count, len(c.scenario.Arms)) <= mostResampled {
			c.last[arm.Name] = lastRegret{int64(points[len(points)-1]), last}
		}
	}
	c.expected = nil
	return nil
}

// Digest returns the digest of the whole run.
func (c *collector) Digest() string { return c.folder.Digest(c.failures) }
