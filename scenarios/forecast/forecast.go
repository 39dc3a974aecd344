package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"starling/mechanisms/accountant"
	"starling/mechanisms/portable"
	"starling/scenarios/accounts"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/results"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
	"starling/scenarios/view/plot"
)

// Options are the settings of a run that affect its time and memory. They change no result.
type Options struct {
	// Engine is the runtime.
	Engine jobs.Engine
	// Shards is the number of groups into which the actor runtime divides participants; 0
	// chooses.
	Shards int
	// Memory is the limit on the bytes of memory of the jobs together; 0 is no limit.
	Memory int64
	// Jobs are the jobs that would run, by their numbers in the canonical order; nil is all.
	Jobs []int
}

// list returns the jobs that would run.
func (o *Options) list(s *study.Scenario) []int {
	if o.Jobs != nil {
		return o.Jobs
	}
	return jobs.Share{}.Of(s)
}

// seeds returns the number of jobs that would run of each arm.
func (o *Options) seeds(s *study.Scenario) []int {
	seeds := make([]int, len(s.Arms))
	for _, job := range o.list(s) {
		seeds[job/s.Seeds.Count]++
	}
	return seeds
}

// Validate refuses settings that make no sense.
func (o *Options) Validate() error {
	if o.Engine != jobs.Actors && o.Engine != jobs.Lockstep {
		return fmt.Errorf("unknown engine %q; known: actors, lockstep", o.Engine)
	}
	if o.Shards < 0 {
		return fmt.Errorf("%d shards; want at least 1, or 0 to choose", o.Shards)
	}
	if o.Shards > 0 && o.Engine == jobs.Lockstep {
		return errors.New("the lockstep engine has no shards")
	}
	return nil
}

// Estimate holds the expected cost and privacy loss of a run before it is made.
type Estimate struct {
	// Jobs is the number of arms times the number of seeds.
	Jobs int
	// Steps is the number of steps of all jobs together.
	Steps int64
	// Workers is the number of jobs that run at a time, and Cores the number of cores that
	// they share.
	Workers, Cores int
	// Time is the time of the whole run on the machine as it is now, and Processor the time of
	// all cores together: from jobs of fewer steps, see calibrate.go.
	Time, Processor time.Duration
	// Bytes is the most memory that the process takes at a time.
	Bytes int64
	Arms  []ArmEstimate
	// Failures are the arms that fail within the measured steps, under the first seed. Their costs are at most
	// the ones of an arm of their size that does not fail.
	Failures []results.Failure
}

// ArmEstimate is the share of one arm.
type ArmEstimate struct {
	// Name is the arm's name, Seeds the number of its jobs.
	Name  string
	Seeds int
	// Steps is the horizon of a job.
	Steps int
	// JobBytes is the memory that a job holds while it runs, and JobTime its running time.
	JobBytes int64
	JobTime  time.Duration
	// Claimed is the paper's claim on the privacy loss, as a note of the run.
	Claimed string
	// Accounted is the loss of a node's releases over all steps that a budget pays for.
	Accounted string
	// Epsilon is that loss as an epsilon at Delta, where it is stated otherwise, such as as a rho of
	// zero-concentrated privacy; 0 where Accounted has the epsilon, and where the conversion would take seconds.
	Epsilon, Delta float64
	// Relation is the neighbouring relation for which the loss holds: replace, or
	// add-or-remove.
	Relation string
}

// Of measures jobs of fewer steps, under the first seed, and estimates the cost of the whole
// run. It writes nothing.
func Of(s *study.Scenario, ctx context.Context, options Options) (Estimate, error) {
	if err := options.Validate(); err != nil {
		return Estimate{}, document.BadInput(err)
	}
	began := ProcessorTime() // time for reading the scenario
	c, err := calibrate(ctx, s, options)
	if err != nil {
		return Estimate{}, fmt.Errorf("scenario %s, seed %d: %w", s.Name, s.Seeds.Base, err)
	}
	f, err := c.forecast(began)
	if err != nil {
		return Estimate{}, err
	}
	workers, err := f.workers()
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Jobs: len(options.list(s)), Workers: workers, Cores: runtime.GOMAXPROCS(0), Bytes: f.peak(workers), Failures: c.failures}
	e.Processor, e.Time = f.times(workers)
	seeds := options.seeds(s)
	of := accounts.RelationsIn(s)
	for i, arm := range s.Arms {
		job := f.perArm[i]
		a := ArmEstimate{
			Relation: of[arm.Name], Name: arm.Name, Seeds: seeds[i], Steps: arm.File.Horizon,
			JobBytes: int64(job.held), JobTime: seconds(job.wall),
		}
		total, err := study.PlannedLossOf(arm)
		if err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s: %w", s.Name, arm.Name, err)
		}
		a.Claimed, a.Accounted = arm.Privacy.Claimed(), total.String()
		if a.Epsilon, a.Delta, err = statedOf(total, arm.Privacy.Accounts); err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s: %w", s.Name, arm.Name, err)
		}
		e.Arms, e.Steps = append(e.Arms, a), e.Steps+int64(a.Seeds*a.Steps)
	}
	return e, nil
}

// statedOf returns a loss that is no epsilon as one, at the delta and by the method of the first account with a delta;
// zeros for other losses, and for sampled steps by privacy loss distributions, which take seconds.
func statedOf(loss accountant.Loss, list []ledger.Account) (epsilon, delta float64, err error) {
	sampled := loss.Sampled != (accountant.SampledGaussian{})
	if !loss.Private() || loss.Rho == 0 && loss.Concentrated == 0 && !sampled {
		return 0, 0, nil
	}
	for i := range list {
		if a := &list[i]; a.Delta > 0 && (!sampled || a.By != accountant.PLD) {
			total := loss.Total()
			epsilon, err = new(ledger.EpsilonCache).Stated(a, &total)
			return epsilon, a.Delta, err
		}
	}
	return 0, 0, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// forecast is the cost of a run, piece by piece.
type forecast struct {
	scenario *study.Scenario
	options  Options
	perArm   []quantities // by arm
	// read and figures are the times of a processor for reading the scenario and for drawing
	// all figures. slow is the ratio of clock time to processor time where one core works.
	read, figures time.Duration
	drawing       int // number of figures drawn at a time
	slow          float64
	live          float64 // bytes in the heap before any job
}

// forecast scales up the measured costs. An arm without a measurement gets the costs of the
// arm of the nearest size that has one, in proportion to its size.
func (c *calibration) forecast(read time.Duration) (f *forecast, err error) {
	f = &forecast{scenario: c.scenario, options: c.options, read: read, live: liveBytes()}
	for i, arm := range c.scenario.Arms {
		like := i
		if len(c.arms[i]) == 0 {
			like = c.nearest(arm)
		}
		job := wholeOf(c.arms[like], sizeOf(c.scenario.Arms[like]), arm.File.Horizon, len(arm.Points))
		if size := sizeOf(arm) / sizeOf(c.scenario.Arms[like]); like != i {
			job = each(func(of func(q *quantities) float64) float64 { return size * of(&job) })
		}
		f.perArm = append(f.perArm, job)
	}
	one, clock, err := figureTime(min(len(c.scenario.Arms), plot.MostCurves))
	f.drawing = min(c.figures(), runtime.GOMAXPROCS(0))
	f.figures, f.slow = time.Duration(c.figures())*one, max(1, clock.Seconds()/one.Seconds())
	return f, err
}

// sizeOf returns the size of an arm, to which the work of a step is taken to be proportional.
func sizeOf(arm *study.Arm) float64 {
	return limits.Product(arm.Extent.Participants, arm.Extent.Dim+16)
}

// nearest returns the measured arm of the nearest size.
func (c *calibration) nearest(arm *study.Arm) (best int) {
	least := math.Inf(1)
	for i, other := range c.scenario.Arms {
		if len(c.arms[i]) == 0 {
			continue
		}
		if away := math.Abs(portable.Log(sizeOf(other) / sizeOf(arm))); away < least {
			best, least = i, away
		}
	}
	return best
}

// figures returns the number of figures that the run draws.
func (c *calibration) figures() (count int) {
	s := c.scenario
	if s.Plots != nil {
		return len(s.Plots)
	}
	for _, m := range s.Kinds.AllMetrics().Charted() {
		expected := m.Name == gauge.RegretExpected && slices.ContainsFunc(s.Arms, estimates)
		if c.recorded[m.Name] || expected {
			count++
		}
	}
	if len(s.Arms) == 1 && estimates(s.Arms[0]) && len(s.Arms[0].Measured) > 1 {
		count++ // of the nodes
	}
	return count
}

// estimates reports whether the runs of an arm record statistics over seeds.
func estimates(arm *study.Arm) bool {
	_, ok := study.EstimatorOf(arm)
	return ok
}

// rowTime is the time of a processor that a row of metrics takes on its way to its file.
const rowTime = 1.2e-6

// times returns the time of the run of all cores together, and on the clock. Jobs run side by
// side, and so do figures; all else runs one after the other.
func (f *forecast) times(workers int) (cores, clock time.Duration) {
	var jobs, wall, after float64
	of := f.options.seeds(f.scenario)
	for i, job := range f.perArm {
		seeds := float64(of[i])
		jobs, wall = jobs+float64(seeds*job.processor), wall+float64(seeds*job.wall)
		after += float64(seeds*job.rows*rowTime) + f.perArm[i].notes
	}
	after += f.read.Seconds()
	figures := f.figures.Seconds()
	cores = seconds(jobs + after + figures)
	after += figures / float64(max(1, f.drawing))
	return cores, seconds(max(wall/float64(workers), jobs/float64(runtime.GOMAXPROCS(0))) + float64(f.slow*after))
}

// The memory of a process besides the heap that jobs fill.
const (
	// programBytes is the memory of the program, with the runtime, the command and the writers
	// of tables. writerBytes is the memory of a writer of results to the journal; there is one
	// for each job that runs. figureBytes is the additional memory of a figure that is being
	// drawn; each core draws one at a time.
	programBytes = 34 << 20
	writerBytes  = 8 << 20
	figureBytes  = 18 << 20
	// overhead is the ratio of the runtime's memory to the heap: it adds tables of the
	// collector, and the gaps between objects.
	overhead = 1.06
)

// kept returns the memory of the data that all jobs share and of the statistics over seeds, in
// bytes.
func (f *forecast) kept(workers int) float64 {
	s, o := f.scenario, jobs.OrderOf(f.scenario, f.options.list(f.scenario), workers)
	needs := make([][]cache.Need, min(o.Len(), len(s.Arms)+2*workers)) // later needs are like these
	for place := range needs {
		job := o.Job(place)
		needs[place] = study.NeedsOf(jobs.ArmOf(s, job), jobs.SeedOf(s, job))
	}
	return float64(keptBytes(s) + cache.Peak(needs, workers, jobs.CacheBudget(f.options.Memory)))
}

// used returns the greatest size of the live heap with so many jobs at a time, and the garbage
// that all jobs make besides, one after the other.
func (f *forecast) used(workers int) (held, garbage float64) {
	seeds := f.options.seeds(f.scenario)
	for i, job := range f.perArm {
		held = max(held, job.held)
		garbage += float64(float64(seeds[i]) * job.allocated)
	}
	all := float64(float64(workers) * held)
	return f.live + f.kept(workers) + all, max(0, garbage-all)
}

// copied returns the growth of the heap by the copy of a job from which metrics are computed
// while it runs.
func (f *forecast) copied() (most float64) {
	arms, seed := map[any]int{}, f.scenario.Seeds.Base // number of arms that share a value
	for _, arm := range f.scenario.Arms {
		for _, n := range study.NeedsOf(arm, seed) {
			arms[n.Key]++
		}
	}
	for i, job := range f.perArm {
		arm := f.scenario.Arms[i]
		if !jobs.Looked(arm) || float64(slower*job.wall) < jobs.Early.Seconds() {
			continue
		}
		bytes := job.copied
		for _, n := range study.NeedsOf(arm, seed) {
			if arms[n.Key] == 1 && !n.Alone || n.Bytes > jobs.CacheBudget(f.options.Memory) {
				bytes += float64(n.Own)
			}
		}
		most = max(most, bytes)
	}
	return float64(copyGrowth * most)
}

// copyGrowth is the growth of the heap by a copy, relative to the copy's size: the collector
// may count the copy as live before it is garbage.
const copyGrowth = 1.5

// slower is the factor by which a job may take longer than its forecast, as other programs use
// the machine.
const slower = 2

// peak returns the most memory that the process takes with so many jobs at a time. If there is
// enough garbage, the collector lets the heap grow beyond its live size, as far as the memory
// limit.
func (f *forecast) peak(workers int) int64 {
	held, garbage := f.used(workers)
	percent, limit := collector()
	copied := f.copied()
	heap := float64(overhead * (held + copied + min(float64(held*percent/100), garbage)))
	base := float64(programBytes + writerBytes*workers + figureBytes*f.drawing)
	if own := float64(f.options.Memory); own > 0 {
		limit = min(limit, own)
	}
	if base+heap > limit {
		heap = min(heap, max(overhead*(held+copied)*(1+leastRoom), limit-base))
	}
	return int64(base + heap)
}

// collector returns the settings of this process's garbage collector: the growth of the heap
// beyond its live size, in percent of it, and the memory limit in bytes.
func collector() (percent, limit float64) {
	return readMetric("/gc/gogc:percent"), readMetric("/gc/gomemlimit:bytes")
}

// leastRoom is the least room for garbage, relative to the live heap: with less room the
// collector would run all the time.
const leastRoom = 0.25

// workers returns the number of jobs that run at a time. They have to fit in the memory limit;
// if not even one does, the error is an InputError.
func (f *forecast) workers() (int, error) {
	least := func(workers int) int64 {
		held, _ := f.used(workers)
		return int64(float64(programBytes+writerBytes*workers) + float64(overhead*(1+leastRoom)*(held+f.copied())))
	}
	for n := mostWorkers(f.scenario, f.options); n >= 1; n-- {
		if f.options.Memory == 0 || least(n) <= f.options.Memory {
			return n, nil
		}
	}
	return 0, document.BadInput(fmt.Errorf("the run takes about %s of memory, and may take %s; raise the limit, measure less, or run fewer seeds or nodes",
		FormatBytes(least(1)), FormatBytes(f.options.Memory)))
}

// mostWorkers returns the number of jobs that run at a time without a memory limit. Jobs of
// one shard fill the cores side by side. A larger job fills them alone: further jobs beside it
// would only need more memory.
func mostWorkers(s *study.Scenario, options Options) int {
	nodes := 0
	for _, arm := range s.Arms {
		nodes = max(nodes, min(arm.File.Nodes, arm.Extent.Participants))
	}
	if options.Engine == jobs.Actors && nodes > arms.AllNodes {
		return 1
	}
	return max(1, min(runtime.GOMAXPROCS(0), len(options.list(s))))
}

// Workers returns the number of jobs that run at a time. If an upper bound on their memory is
// within the limit, nothing is measured.
func Workers(ctx context.Context, s *study.Scenario, options Options) (int, error) {
	most := mostWorkers(s, options)
	if options.Memory == 0 || boundOf(s, most) <= options.Memory {
		return most, nil
	}
	began := ProcessorTime()
	c, err := calibrate(ctx, s, options)
	if err != nil {
		return 0, fmt.Errorf("scenario %s, seed %d: %w", s.Name, s.Seeds.Base, err)
	}
	f, err := c.forecast(began)
	if err != nil {
		return 0, err
	}
	return f.workers()
}

// Upper bounds on the bytes of a participant and of an edge, besides their numbers: the actor,
// its machine, its outboxes and its part in the graph's rows.
const (
	participantBytes = 900
	edgeBytes        = 40
	// sentCopies is the greatest number of copies of a decision: in the machine's state, in
	// the vectors of the turns in flight, and in the meter's sums.
	sentCopies = 8
	// boundFactor is the ratio of the heap to its live size: the collector lets it grow to
	// twice the live size, and results are encoded besides.
	boundFactor = 3
)

// boundOf returns an upper bound on the memory of the process, in bytes, with so many jobs at
// a time.
func boundOf(s *study.Scenario, workers int) int64 {
	largest := int64(0)
	for _, arm := range s.Arms {
		bytes := jobBytes(arm)
		for _, n := range study.NeedsOf(arm, s.Seeds.Base) {
			bytes += max(n.Bytes, n.Own)
		}
		largest = max(largest, bytes)
	}
	return programBytes + int64(writerBytes*workers+figureBytes*runtime.GOMAXPROCS(0)) + boundFactor*(keptBytes(s)+int64(workers)*largest)
}

// jobBytes returns an upper bound on the bytes that a job holds while it runs, without shared
// data.
func jobBytes(arm *study.Arm) int64 {
	sent := float64(8 * limits.Product(sentCopies, arm.Extent.Participants, arm.Extent.Dim))
	// Graphs that are drawn anew are kept for the turns in flight.
	edges := arm.Topology.Edges + float64(4*arm.Topology.Drawn)
	return int64(grown(arm, mostRows(arm)) + sent + float64(participantBytes*float64(arm.Extent.Participants)) + float64(edgeBytes*edges))
}

// mostRows returns about the number of rows of metrics of a job.
func mostRows(arm *study.Arm) float64 {
	return limits.Product(len(arm.Points), len(arm.Measured)+arms.RunMetrics)
}

// grown returns the bytes of a job at its end that grow with its steps and records, without
// shared data: so many rows of metrics, sums of records, paths, data and noise.
func grown(arm *study.Arm, rows float64) float64 {
	f, d := &arm.File, arm.Extent.Dim
	numbers := limits.Product(len(arm.Points), len(arm.Measured), d+1)
	if arm.Problem != nil {
		numbers += limits.Product(f.Horizon, d)
	}
	if p, ok := arm.Problem.(problem.Placed); ok && p.Follows() {
		numbers += limits.Product(f.Horizon, f.Nodes, d) // places of the nodes
	}
	return arm.Extent.Held + arms.OwnerBytes(arm) + float64(8*numbers) + float64(arms.RowBytes*rows)
}

// keptBytes returns the bytes of its jobs that the statistics over the seeds of an arm keep.
func keptBytes(s *study.Scenario) int64 {
	largest := 0.0
	for _, arm := range s.Arms {
		largest = max(largest, 8*limits.Product(s.Seeds.Count, len(arm.Points), len(arm.Measured), arm.Extent.Dim+1))
	}
	return int64(largest)
}

// FormatBytes prints an amount of memory.
func FormatBytes(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	v, unit := float64(bytes), 0
	for v >= 999.5 && unit < len(units)-1 { // 1000 KiB are 0.977 MiB
		v /= 1024
		unit++
	}
	if v >= 100 {
		return fmt.Sprintf("%.0f %s", v, units[unit])
	}
	return fmt.Sprintf("%.3g %s", v, units[unit])
}
