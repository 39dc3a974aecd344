package runner

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/meter"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/results/figure"
	"starling/scenarios/show"
	"starling/scenarios/study"
)

// JobResult is what one job leaves.
type JobResult struct {
	// index is the job's place in the canonical order: by arm, then seed. arm is the
	// arm's place in the scenario.
	index int
	arm   int
	seed  uint64
	// Metrics are what the job recorded, part what statistics over the seeds need of it.
	Metrics *results.Job
	part    meter.Part
	// digest covers the final state of the machines, and the metrics.
	digest [sha256.Size]byte
	// stops are the nodes that ended their part, and when and why.
	stops []gauge.Stop
	// Privacy has what observers learned.
	Privacy []results.PrivacyRow
	// model has the parameters where they are to be written; else it is nil.
	model []float64
	// costs is what the model cost, as its file says it; empty without a model.
	costs string
	// notes and warnings are those of the arm, with its first job.
	notes    []study.Note
	warnings []study.Warning
	// err is why there is no result.
	err error
}

// RunJobs runs all jobs, several at a time, and hands their results to take in
// the canonical order: by arm, then seed. It returns the first error in the order
// in which jobs begin, when no job is left running.
func RunJobs(s *study.Scenario, ctx context.Context, options RunOptions, store *checkpoint.Store, log zerolog.Logger, take func(*JobResult) error) error {
	workers, err := options.workers, error(nil)
	if workers == 0 {
		workers, err = workersOf(ctx, s, options)
	}
	if err != nil {
		return err
	}
	s.Cache.Limit(cacheBudget(options))
	x := &executor{scenario: s, options: options, store: store, log: log, order: orderOf(s, workers)}
	if options.Engine == Actors {
		if x.host, err = newHost(log); err != nil {
			return err
		}
		defer x.host.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A result waits for those before it; the window bounds how many do.
	// A slot for each job, in order; each worker fills its own, and the loop below takes
	// them one after the other.
	pending := make(chan chan *JobResult, 2*workers)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)
	group.Go(func() { x.start(ctx, &group, workers, pending) })
	ordered := &inOrder{x: x, take: take, done: map[int]bool{}}
	for slot := range pending {
		r := <-slot
		if r.err != nil {
			return r.err
		}
		if err := ordered.add(r); err != nil {
			return err
		}
	}
	if ordered.next < Jobs(s) {
		return context.Cause(ctx)
	}
	return nil
}

// executor runs jobs, several at a time.
type executor struct {
	// All fields are fixed while jobs run, but for order, which is start's.
	scenario *study.Scenario
	options  RunOptions
	// host is the actor runtime that all jobs share; nil for lockstep.
	host *engine.Host
	// store is the journal of finished jobs and of saved states.
	store *checkpoint.Store
	log   zerolog.Logger
	order *order
}

// result is an empty one of the i-th job in the canonical order.
func (x *executor) result(i int) *JobResult {
	return &JobResult{index: i, arm: i / x.scenario.Seeds.Count, seed: seedOf(x.scenario, i)}
}

// job runs the i-th job in the canonical order, or what is left of it.
func (x *executor) job(ctx context.Context, i int) *JobResult {
	s := x.scenario
	r := x.result(i)
	arm := s.Arms[r.arm]
	began := time.Now()
	if err := x.guarded(ctx, arm, r); err != nil {
		r.err = fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, r.seed, err)
		return r
	}
	if p := x.options.Progress; p != nil {
		p.Jobs.Add(1)
	}
	x.log.Info().Str("arm", arm.Name).Uint64("seed", r.seed).Hex("digest", r.digest[:]).Dur("elapsed", time.Since(began)).Msg("job")
	return r
}

// guarded is execute with a panic outside of machines as an error, so that it
// names scenario, arm and seed, too, and ends in the log with its stack.
func (x *executor) guarded(ctx context.Context, arm *study.Arm, r *JobResult) (err error) {
	defer func() {
		if p := algorithm.Recovered(recover()); p != nil {
			err = p
		}
	}()
	return x.execute(ctx, arm, r)
}

// execute fills in what a job leaves: from the journal, if it was finished
// before, or by running it, from where it was saved.
func (x *executor) execute(ctx context.Context, arm *study.Arm, r *JobResult) error {
	finished := int64(0)
	advance := func(steps int) {
		if p := x.options.Progress; p != nil {
			p.Steps.Add(int64(steps) - finished)
			finished = int64(steps)
		}
	}
	before := func(steps int) {
		if p := x.options.Progress; p != nil {
			p.Before.Add(int64(steps))
			advance(steps)
		}
	}
	// A job that an earlier start has finished is in the journal.
	done, err := x.finished(r)
	if done {
		before(arm.File.Horizon)
	}
	if done || err != nil {
		return err
	}
	j, err := x.prepare(arm, r)
	if err != nil {
		return err
	}
	if resume := j.Run.Resume; resume != nil {
		before(resume.Offset)
	}
	// Both runtimes leave the same bits in machines and meter.
	if x.host != nil {
		err = x.host.Run(ctx, &j.Run, engine.Options{Shards: x.shards(arm), Progress: advance})
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
	// What was paid must be what the plan had said. A difference means that an account is
	// wrong, and no result is better than a wrong one.
	if err := j.Meter.Settled(arm.Algorithm.FirstLabel); err != nil {
		return fmt.Errorf("the ledger does not agree with the plan: %w", err)
	}
	if err := takeResult(r, arm, j, x.scenario.Kinds.AllMetrics()); err != nil {
		return err
	}
	if r.index%x.scenario.Seeds.Count == 0 {
		// Notes are the arm's, and made of its first seed.
		j.Theory = x.options.Theory
		notes, warnings := study.NotesOf(arm, j)
		r.notes, r.warnings = notes, append(warnings, r.warnings...)
	}
	return x.store.Finish(r.index, messages.Write(nil, r))
}

// finished fills in what a job has left in the journal, and tells whether it has.
func (x *executor) finished(r *JobResult) (done bool, err error) {
	body, done, err := x.store.Finished(r.index)
	if err == nil && done {
		err = readResult(r, x.scenario.Arms[r.arm], body)
	}
	if err != nil {
		return false, unusable(err)
	}
	return done, nil
}

// shards is into how many shards the actor runtime divides a job; 0 lets it choose
// by the number of participants, for which a turn of few is short. Where each
// trains a model it is long, and all cores get a part of it.
func (x *executor) shards(arm *study.Arm) int {
	if x.options.Shards == 0 && arm.Algorithm.Trained != nil {
		return runtime.GOMAXPROCS(0)
	}
	return x.options.Shards
}

// prepare returns a job, at its beginning or where it was saved, that saves its
// states.
func (x *executor) prepare(arm *study.Arm, r *JobResult) (*study.Job, error) {
	j, err := arm.Algorithm.Job(r.seed)
	if err != nil {
		return nil, err
	}
	state, saved, err := x.store.State(r.index)
	if err == nil && saved {
		err = ResumeJob(j, state)
	}
	if err != nil {
		return nil, unusable(err)
	}
	if saved {
		x.log.Info().Str("arm", arm.Name).Uint64("seed", r.seed).Int("steps", j.Run.Resume.Offset).Msg("resumed")
	}
	saveJob(j, x.store, r.index, &arm.File.Checkpoint)
	return j, nil
}

// takeResult takes what a job that has run leaves.
func takeResult(r *JobResult, arm *study.Arm, j *study.Job, known metric.List) (err error) {
	// Metrics come first: finishing the meter completes the sums that the rest reads.
	r.Metrics = MetricsOfJob(j, arm, r.seed)
	r.stops = j.Meter.Stops()
	for _, text := range accounts.Contradictions(arm, j.Meter) {
		r.warnings = append(r.warnings, study.Warning{Code: "ledger", Message: fmt.Sprintf("seed %d: %s", r.seed, text)})
	}
	if t, ok := study.GaugeOf[*gauge.Turnout](j); ok {
		if text := t.Absence(r.stops); text != "" {
			r.warnings = append(r.warnings, study.Warning{Code: "nobody", Message: fmt.Sprintf("seed %d: %s", r.seed, text)})
		}
	}
	r.warnings = append(r.warnings, study.Oddities(arm, r.Metrics, j.Meter, known)...)
	if j.Part != nil {
		r.part = j.Part()
	}
	if arm.File.Measure.Model {
		r.model = arm.Algorithm.Trained.Params(j)
		if r.costs, err = accounts.ModelCosts(arm, j.Meter); err != nil {
			return err
		}
	}
	r.digest = digestOf(j.Run.Machines, r.Metrics)
	r.Privacy, err = accounts.PrivacyRows(arm, r.seed, j.Meter)
	return err
}

// MetricsOfJob are those of a job that has run, or has run as far as it is to.
func MetricsOfJob(j *study.Job, arm *study.Arm, seed uint64) *results.Job {
	metrics := results.NewJob(arm.Name, seed)
	j.Meter.Finish(Recorder{Job: metrics, firstLabel: arm.Algorithm.FirstLabel, Measure: &arm.File.Measure})
	return metrics
}

// Recorder writes the metrics that are asked for, with the paper's numbers of
// nodes.
type Recorder struct {
	Job        *results.Job
	firstLabel int
	Measure    *study.Measure
}

// Add records a value of the whole run at a step, if measure.metrics does not leave
// the metric out.
func (r Recorder) Add(step int, metric string, value float64) {
	if r.Measure.Records(metric) {
		r.Job.Add(int64(step), metric, value)
	}
}

// AddNode is Add for a value of one node, counted from 0; the record has the label of
// the node.
func (r Recorder) AddNode(step, node int, metric string, value float64) {
	if r.Measure.Records(metric) {
		r.Job.AddNode(int64(step), int32(node+r.firstLabel), metric, value)
	}
}

// digestOf covers the final state of every machine, in the order of the nodes,
// and every metric of a job.
func digestOf(machines []algorithm.Machine, metrics *results.Job) (sum [sha256.Size]byte) {
	h := sha256.New()
	var buffer []byte
	for _, m := range machines {
		buffer = messages.Write(buffer[:0], m)
		writeFramed(h, buffer)
	}
	for row := range metrics.Rows() {
		buffer = binary.LittleEndian.AppendUint64(buffer[:0], uint64(row.Step))
		node := int64(-1)
		if row.Node != nil {
			node = int64(*row.Node)
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(node))
		buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(row.Value))
		buffer = append(buffer, row.Metric...)
		writeFramed(h, buffer)
	}
	h.Sum(sum[:0])
	return sum
}

// writeFramed writes a length and that many bytes, so that no two sequences of
// writes look alike.
func writeFramed(h hash.Hash, b []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
	h.Write(length[:])
	h.Write(b)
}

// collector takes the results of jobs in their canonical order.
type collector struct {
	// Fields that are not commented here are what Run writes into the manifest.
	scenario *study.Scenario
	folder   *results.Folder
	// expected are the statistics over the seeds of the arm whose jobs are coming in.
	expected *meter.Expected
	// hash is the digest of the whole, of the digests of the jobs in their order.
	hash hash.Hash
	// nodes has the estimates by measured node, where there is one arm.
	nodes [][]meter.Estimate
	Notes []results.Note
	// perNode are the statistics by node that the scenario's own figures show.
	perNode  *show.NodeStatistics
	Warnings []results.Warning
	// Arms are those of the scenario, with where budgets stopped them.
	Arms []results.Arm
}

// NewCollector returns a collector of the jobs of a scenario, which writes into a
// folder that stays open.
func NewCollector(s *study.Scenario, folder *results.Folder) *collector {
	return &collector{scenario: s, folder: folder, hash: sha256.New(), perNode: show.NewNodeStatistics(show.NodeMetrics(s)...), Arms: show.ResultArms(s), Warnings: slices.Clone(s.Remarks)}
}

// Take writes what a job left, and adds it to the statistics of its arm. Jobs come in the
// canonical order; the last seed of an arm closes the arm's statistics.
func (c *collector) Take(r *JobResult) error {
	arm := c.scenario.Arms[r.arm]
	if err := c.folder.WriteJob(r.Metrics); err != nil {
		return err
	}
	writeFramed(c.hash, fmt.Appendf(nil, "%s\n%d", arm.Name, r.seed))
	writeFramed(c.hash, r.digest[:])
	for _, n := range r.notes {
		c.Notes = append(c.Notes, results.Note{Arm: arm.Name, Key: n.Key, Value: n.Value})
	}
	for _, w := range r.warnings {
		c.Warnings = append(c.Warnings, results.Warning{Code: w.Code, Arm: arm.Name, Message: w.Message})
	}
	c.Warnings = append(c.Warnings, study.StopWarnings(arm, r.seed, r.stops)...)
	if at := &c.Arms[r.arm].StoppedAt; len(r.stops) > 0 && arm.File.Budget.Limits() {
		if first := int64(r.stops[0].Step); *at == nil || **at > first {
			*at = &first
		}
	}
	for _, row := range r.Privacy {
		if err := c.folder.AddPrivacy(row); err != nil {
			return err
		}
	}
	if arm.File.Measure.Model {
		if err := writeModel(c.scenario, c.folder, r.arm, r.seed, r.model, r.costs); err != nil {
			return err
		}
	}
	if len(c.perNode.Metrics) > 0 {
		for row := range r.Metrics.Rows() {
			c.perNode.Add(row)
		}
	}
	if arm.Algorithm.Expected == nil {
		return nil
	}
	if c.expected == nil {
		c.expected = arm.Algorithm.Expected()
	}
	c.expected.Add(r.part)
	if r.seed == c.scenario.Seeds.Base+uint64(c.scenario.Seeds.Count)-1 {
		return c.endArm(arm)
	}
	return nil
}

// endArm reduces the statistics over an arm's seeds.
func (c *collector) endArm(arm *study.Arm) error {
	for _, e := range c.expected.Estimates() {
		row := results.SummaryRow{Arm: arm.Name, Step: int64(e.Step), Metric: meter.RegretExpected, Mean: e.Mean, SE: e.SE, N: int64(e.Runs)}
		if err := c.folder.AddSummary(row); err != nil {
			return err
		}
	}
	if len(c.scenario.Arms) == 1 && len(arm.Measured) <= show.MostCurves {
		for k := range arm.Measured {
			c.nodes = append(c.nodes, c.expected.NodeEstimates(k))
		}
	}
	c.expected = nil
	return nil
}

// Digest is that of the whole run.
func (c *collector) Digest() string { return hex.EncodeToString(c.hash.Sum(nil)) }

// Draw is all figures of a run, the usual ones unless the scenario asks for
// its own.
func (c *collector) Draw(summary []results.SummaryRow) []figure.Named {
	c.Warnings = append(c.Warnings, show.StopsApart(c.Arms, summary)...)
	if c.scenario.Plots == nil {
		return show.UsualFigures(c.scenario, c.Arms, summary, c.nodes)
	}
	figures, warnings := show.OwnFigures(c.scenario, c.Arms, summary, c.perNode)
	c.Warnings = append(c.Warnings, warnings...)
	return figures
}
