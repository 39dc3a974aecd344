package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/jobs"
	"starling/scenarios/limits"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
)

// The cost of a job is measured on jobs of the same arm over fewer steps, to their end,
// comparators included, at its real size or, for a large arm, at two smaller ones (sizes.go):
//
//	cold     a round, recorded once: data that all jobs share are made in it
//	sparse   the same again, and 4, 16, .. rounds, recorded once: the cost of a step
//	dense    as many as the last, recorded at all of them: the cost of a record
//
// The steps grow as long as there is time. A job that fits in the time is measured as a
// whole.
const (
	// calibrationTime is the time of all cores that the measurement of all arms may take,
	// besides the time to run one arm over a few rounds.
	calibrationTime = time.Second
	growth          = 4
	// briefly is the time that a necessary pilot may take although no time is left.
	briefly = calibrationTime / 4
)

// quantities are the measured costs of a job. They grow in proportion to steps and records,
// except for held, copied and rows.
type quantities struct {
	processor, wall float64 // seconds
	notes           float64 // seconds of a processor, for the arm's first job alone
	held            float64 // bytes in the heap in its middle or at its end, the larger, without those that the cache keeps
	copied          float64 // bytes in the heap before its first step: the size of a copy for its metrics
	allocated       float64 // bytes that it ever allocated
	rows            float64 // of its metrics
}

// each combines quantities one by one.
func each(combine func(of func(q *quantities) float64) float64) quantities {
	return quantities{
		processor: combine(func(q *quantities) float64 { return q.processor }),
		wall:      combine(func(q *quantities) float64 { return q.wall }),
		notes:     combine(func(q *quantities) float64 { return q.notes }),
		held:      combine(func(q *quantities) float64 { return q.held }),
		copied:    combine(func(q *quantities) float64 { return q.copied }),
		allocated: combine(func(q *quantities) float64 { return q.allocated }),
		rows:      combine(func(q *quantities) float64 { return q.rows }),
	}
}

// pilot is a job that was measured, with its steps and records.
type pilot struct {
	steps, points int
	quantities
	start quantities // the part before the first step
	more  float64    // further bytes of a job of all steps and records, by the code's own formula; see grown
}

// pilots are the pilots of an arm. cold is nil before the first one, sparse is in the order of
// steps, and dense may be nil.
type pilots struct {
	cold   *pilot
	sparse []*pilot
	dense  *pilot
}

// last returns the pilot with the most steps.
func (p *pilots) last() *pilot {
	if len(p.sparse) == 0 {
		return p.cold
	}
	return p.sparse[len(p.sparse)-1]
}

// whole returns the cost of a job of so many steps and records, in proportion to the pilots'
// costs.
func (p *pilots) whole(steps, points int) quantities {
	q := p.last().quantities
	if p.last().steps < steps {
		q = each(func(of func(q *quantities) float64) float64 { return p.extrapolated(steps, points, of) })
		q.rows = p.last().rows * float64(points) / float64(p.last().points)
		more := p.last().more + float64(p.recording()*float64(max(0, points-p.last().points)))
		q.held = p.last().held + more + float64(p.growing()*float64(steps-p.last().steps))
		q.copied = p.last().copied + more
	}
	q.held, q.copied = max(0, q.held), max(0, q.copied)
	return q
}

// The growth of a heap counts as noise up to noiseBytes, and up to noiseShare of the heap:
// pools that fill, slices that double.
const (
	noiseBytes = 1 << 20
	noiseShare = 0.02
)

// growing returns the bytes that a step adds to a job's memory, besides those that grown
// counts. It is 0 unless the last three pilots confirm it. A difference between two pilots
// alone can come from the beginning of a run, in which buffers grow to their final size.
func (p *pilots) growing() float64 {
	n := len(p.sparse)
	if n < 3 {
		return 0
	}
	a, b, c := p.sparse[n-3], p.sparse[n-2], p.sparse[n-1]
	slope := func(a, b *pilot) float64 { return (b.held + b.more - a.held - a.more) / float64(b.steps-a.steps) }
	if before, last := slope(a, b), slope(b, c); before > 0 && last > before/2 && last*float64(c.steps-b.steps) > max(noiseBytes, noiseShare*c.held) {
		return last
	}
	return 0
}

// recording returns the bytes that a record adds to a job's memory, besides those that grown
// counts: gauges and the ledger have a part for each participant.
func (p *pilots) recording() float64 {
	if p.dense == nil {
		return 0
	}
	for _, other := range p.sparse {
		if d := p.dense; other.steps == d.steps && d.points > other.points {
			return max(0, (d.held+d.more-other.held-other.more)/float64(d.points-other.points))
		}
	}
	return 0
}

// extrapolated returns a quantity of a job of so many steps and records.
func (p *pilots) extrapolated(steps, points int, of func(q *quantities) float64) float64 {
	last := p.last()
	at := of(&last.quantities)
	mean := max(0, at-of(&last.start)) / float64(last.steps)
	perStep := mean
	if n := len(p.sparse); n > 1 && p.sparse[n-2].steps < last.steps {
		before := p.sparse[n-2]
		// At least a tenth of the mean: short times are not measured well.
		perStep = max(mean/10, (at-of(&before.quantities))/float64(last.steps-before.steps))
	}
	total := at + float64(perStep*float64(steps-last.steps))
	if last != p.cold {
		total += max(0, of(&p.cold.quantities)-of(&p.sparse[0].quantities)) // once
	}
	if d := p.dense; d != nil {
		for _, other := range p.sparse {
			if other.steps == d.steps && d.points > other.points {
				total += float64(max(0, (of(&d.quantities)-of(&other.quantities))/float64(d.points-other.points)) * float64(points-last.points))
			}
		}
	}
	return total
}

// calibration measures the arms of a scenario.
type calibration struct {
	scenario *study.Scenario
	options  Options
	host     *engine.Host
	builder  *study.Builder
	variants []study.Variant
	began    time.Duration
	arms     [][]sized // by arm; empty where there was no time, and of arms that fail
	failures []results.Failure
	// recorded are the metrics that jobs recorded.
	recorded map[string]bool
	release  []func() // shared data are kept until the end, as in a run
}

// calibrate measures the arms of a scenario. It may leave out the last ones. Arms that fail within the measured steps are
// listed; where every measured arm does, the error is of the first.
func calibrate(ctx context.Context, s *study.Scenario, options Options) (*calibration, error) {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	defer host.Close()
	f, _ := study.DecodeFile(s.Document)
	variants, err := loading.Spread(s.Document, f.Sweep)
	if err != nil {
		return nil, err // cannot happen: the scenario was read
	}
	c := &calibration{
		scenario: s, options: options, host: host, builder: study.NewBuilder(s.Kinds, s.Seeds, s.Folder), variants: variants,
		began: ProcessorTime(), arms: make([][]sized, len(s.Arms)), recorded: map[string]bool{},
	}
	defer c.close()
	c.builder.Board = s.Board
	c.builder.Cache.Limit(jobs.CacheBudget(options.Memory))
	s.Cache.Limit(jobs.CacheBudget(options.Memory))
	var failed error // of the first arm that fails
	measured := false
	for i, arm := range s.Arms {
		left := calibrationTime - c.spent()
		if measured && left <= 0 {
			break
		}
		err := c.arm(ctx, i, !measured, left/time.Duration(len(s.Arms)-i))
		if err == nil {
			measured = true
			continue
		}
		err = fmt.Errorf("arm %s: %w", arm.Name, err)
		failure := jobs.FailureIn(arm, s.Seeds.Base, err)
		if failure == nil {
			return nil, err
		}
		c.arms[i], c.failures, failed = nil, append(c.failures, *failure), cmp.Or(failed, err)
	}
	if !measured {
		return nil, failed
	}
	return c, nil
}

func (c *calibration) close() {
	c.builder.Close()
	for _, release := range c.release {
		release()
	}
}

// spent returns the time of all cores that the calibration has taken.
func (c *calibration) spent() time.Duration { return ProcessorTime() - c.began }

// arm measures an arm within a share of the time, at all its sizes; first means that there is more time.
func (c *calibration) arm(ctx context.Context, i int, first bool, share time.Duration) error {
	notice := c.scenario.Board.Begin("forecast of arm " + c.scenario.Arms[i].Name)
	defer notice.End()
	subjects, err := c.subjects(i)
	if err != nil {
		return err
	}
	for _, of := range subjects {
		measured := sized{size: sizeOf(of.arm)}
		if err := c.pilots(ctx, of, first, share/time.Duration(len(subjects)), &measured.pilots); err != nil {
			return err
		}
		c.arms[i] = append(c.arms[i], measured)
	}
	return nil
}

// pilots measures an arm within a share of the time; first means that there is more time.
func (c *calibration) pilots(ctx context.Context, of subject, first bool, share time.Duration, p *pilots) (err error) {
	arm, began := of.arm, c.spent()
	left := func() time.Duration { return share - (c.spent() - began) }
	round := max(1, arm.Extent.RoundSteps)
	if p.cold, err = c.measure(ctx, of, c.shorter(of, round, round), share); err != nil || p.cold.steps != round {
		return err // it cannot be shorter, or has the horizon's steps
	}
	for steps := round; ; {
		at := c.spent()
		found, err := c.measure(ctx, of, c.shorter(of, steps, steps), share)
		if err != nil {
			return err
		}
		if p.sparse = append(p.sparse, found); found.steps >= arm.File.Horizon || found.steps < steps {
			return nil
		}
		took := c.spent() - at
		whole := took * time.Duration(arm.File.Horizon) / time.Duration(steps)
		switch {
		case whole < left():
			steps = arm.File.Horizon
		case growth*took < left():
			steps *= growth
		case len(p.sparse) == 1 && (first || left() > 0):
			steps *= 2
		case len(arm.Points) > found.points && steps > round && (2*took < left() || took < briefly):
			p.dense, err = c.measure(ctx, of, c.shorter(of, steps, round), share)
			return err
		default:
			return nil
		}
	}
}

// shorter returns an arm over fewer steps, recorded every so many. It returns the arm itself
// where that has no more steps, or cannot be shortened.
func (c *calibration) shorter(of subject, steps, every int) *study.Arm {
	arm, v := of.arm, of.variant
	if steps >= arm.File.Horizon {
		return arm
	}
	doc := v.Document
	if _, ok := doc.Find("measure.at"); ok {
		var err error
		if doc, err = doc.Delete("measure.at"); err != nil {
			return arm
		}
	}
	for path, value := range map[string]int{"horizon": steps, "measure.every": every} {
		var err error
		if doc, err = doc.Set(path, strconv.Itoa(value), "estimate"); err != nil {
			return arm
		}
	}
	v.Document = doc
	short, issues := arms.New(c.builder, v)
	if issues.Err() != nil {
		return arm
	}
	return short
}

// errPilot ends a pilot that takes too long.
var errPilot = errors.New("long enough")

// measure runs a job of an arm under the first seed, with its notes, and makes its result. A
// whole job that takes longer than the limit is ended early, and counts as a job of fewer
// steps.
func (c *calibration) measure(ctx context.Context, of subject, arm *study.Arm, limit time.Duration) (*pilot, error) {
	needs := study.NeedsOf(arm, c.scenario.Seeds.Base)
	for range 2 { // as if another job had the same needs: so they are kept
		arm.Cache.Hold(needs...)
		c.release = append(c.release, func() { arm.Cache.Release(needs...) })
	}
	p := &pilot{steps: arm.File.Horizon, points: len(arm.Points)}
	base := liveBytes() - float64(arm.Cache.Used())
	held := func() float64 { return liveBytes() - float64(arm.Cache.Used()) - base }
	m0, p0, t0 := allocatedBytes(), ProcessorTime(), time.Now()
	j, err := limits.Within(ctx, limits.Grace, func() (*study.Job, error) { return arm.Algorithm.Job(c.scenario.Seeds.Base) })
	if err != nil {
		return nil, err
	}
	p.start = quantities{processor: (ProcessorTime() - p0).Seconds(), wall: time.Since(t0).Seconds(), allocated: allocatedBytes() - m0}
	p.copied = held()
	p0, t0 = ProcessorTime()-time.Duration(p.start.processor*float64(time.Second)), time.Now().Add(-time.Duration(p.start.wall*float64(time.Second)))
	until := time.Duration(math.MaxInt64)
	if arm == of.arm {
		until = p0 + limit
	}
	played, err := c.play(ctx, arm, j, until, func() {
		// The reading of the heap is not part of the work.
		now, at := time.Now(), ProcessorTime()
		p.held = max(p.held, held())
		t0, p0 = t0.Add(time.Since(now)), p0+ProcessorTime()-at
	})
	if err != nil && !errors.Is(err, errPilot) {
		return nil, err
	}
	r := &jobs.Result{Seed: c.scenario.Seeds.Base}
	if err == nil {
		if err := jobs.Take(r, arm, j, c.scenario.Kinds.AllMetrics()); err != nil {
			return nil, err
		}
		messages.Write(nil, r) // in the form of the journal
	} else {
		p.steps = max(1, played)
		p.points = max(1, p.points*p.steps/arm.File.Horizon)
	}
	p.processor, p.wall = (ProcessorTime() - p0).Seconds(), time.Since(t0).Seconds()
	p.allocated, p.held = allocatedBytes()-m0, max(p.held, held())
	p.held, p.copied = plausible(p.held, arm, needs), plausible(p.copied, arm, needs)
	if err != nil {
		p.rows = mostRows(arm) * float64(p.points) / float64(len(arm.Points))
		p.more = grown(of.arm, mostRows(of.arm)) - grown(arm, p.rows)
		return p, nil
	}
	for row := range r.Metrics.Rows() {
		c.recorded[row.Metric] = true
	}
	p.rows = float64(r.Metrics.Len())
	p.more = grown(of.arm, p.rows*float64(len(of.arm.Points))/float64(p.points)) - grown(arm, p.rows)
	at := ProcessorTime()
	study.RemarksOf(arm, j)
	p.notes = (ProcessorTime() - at).Seconds()
	return p, nil
}

// play runs a job with the engine of the options, until a time of the processor, and calls
// look once about in the middle. It returns the number of finished steps.
func (c *calibration) play(ctx context.Context, arm *study.Arm, j *study.Job, until time.Duration, look func()) (done int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var looked sync.Once
	progress := func(steps int) {
		if done = steps; steps >= (arm.File.Horizon+1)/2 {
			looked.Do(look)
		}
		if steps > 0 && ProcessorTime() > until {
			cancel(errPilot)
		}
	}
	if c.options.Engine == jobs.Lockstep {
		err = lockstep.Watch(ctx, &j.Run, &lockstep.Watcher{Visit: func(w *lockstep.Watched) error {
			progress(w.Step - arm.Extent.FirstStep)
			return context.Cause(ctx)
		}})
	} else {
		err = c.host.Run(ctx, &j.Run, engine.Options{Shards: jobs.Shards(arm, c.options.Shards), Progress: progress})
	}
	if err != nil && errors.Is(context.Cause(ctx), errPilot) {
		err = errPilot
	}
	return done, err
}

// A reading of the heap of a job is at most leastHeld more than so many times the bound of the code's own
// formulas. Requests of a server in the same process, or a table that is written, make it larger by any amount.
const (
	leastHeld  = 8 << 20
	heldFactor = 4
)

// plausible returns a reading of the heap of a job in bytes, or the most that the job can hold where the
// reading is larger.
func plausible(read float64, arm *study.Arm, needs []cache.Need) float64 {
	bound := jobBytes(arm)
	for _, n := range needs {
		bound += max(n.Bytes, n.Own)
	}
	return min(read, leastHeld+float64(heldFactor*float64(bound)))
}

// liveBytes collects garbage and returns the bytes that are left.
func liveBytes() float64 {
	runtime.GC()
	return readMetric("/gc/heap/live:bytes")
}

// allocatedBytes returns the bytes that were ever allocated.
func allocatedBytes() float64 { return readMetric("/gc/heap/allocs:bytes") }

func readMetric(name string) float64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// figureTime returns the time for a figure of so many curves, of a processor and on the clock.
func figureTime(curves int) (cores, clock time.Duration, err error) {
	const points = 100
	x, y := make([]float64, points), make([]float64, points)
	for k := range x {
		x[k], y[k] = float64(k), float64(k%7)
	}
	f := figure.Figure{Title: "estimate", XLabel: "step", YLabel: "value"}
	for range curves {
		f.Series = append(f.Series, figure.Series{X: x, Y: y})
	}
	began, at := ProcessorTime(), time.Now()
	if err := figure.WriteSVG(f, io.Discard); err != nil {
		return 0, 0, err
	}
	err = figure.WritePNG(f, io.Discard)
	return ProcessorTime() - began, time.Since(at), err
}
