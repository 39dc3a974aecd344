package scenarios

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/scenarios/meter"
	"starling/scenarios/results"
)

// jobResult is what one job leaves.
type jobResult struct {
	arm     int
	seed    uint64
	metrics *results.Job
	part    meter.Part
	digest  [sha256.Size]byte
	stops   []meter.Stop
	// notes and warnings are those of the arm, with its first job.
	notes    []note
	warnings []warning
	err      error
}

// runJobs runs all jobs, several at a time, and hands their results to take in
// the canonical order: by arm, then seed. It returns the first error in that
// order, when no job is left running.
func (s *Scenario) runJobs(ctx context.Context, options RunOptions, log zerolog.Logger, take func(*jobResult) error) error {
	var host *engine.Host
	if options.Engine == Actors {
		var err error
		if host, err = newHost(log); err != nil {
			return err
		}
		defer host.Close()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := s.workers(options)
	// A result waits for those before it; the window bounds how many do.
	pending := make(chan chan *jobResult, 2*workers)
	running := make(chan struct{}, workers)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)
	group.Go(func() {
		defer close(pending)
		for i := range s.Jobs() {
			slot := make(chan *jobResult, 1)
			select {
			case pending <- slot:
			case <-ctx.Done():
				return
			}
			running <- struct{}{}
			group.Go(func() {
				defer func() { <-running }()
				slot <- s.runJob(ctx, options, host, log, i)
			})
		}
	})
	done := 0
	for slot := range pending {
		r := <-slot
		if r.err != nil {
			return r.err
		}
		if err := take(r); err != nil {
			return err
		}
		done++
	}
	if done < s.Jobs() {
		return context.Cause(ctx)
	}
	return nil
}

// workers is how many jobs run at a time. Runs of one shard fill the cores side
// by side; larger ones fill them alone, and side by side would only need more
// memory.
func (s *Scenario) workers(options RunOptions) int {
	largest := 0
	for _, arm := range s.Arms {
		largest = max(largest, arm.file.Nodes)
	}
	if options.Engine == Actors && largest > allNodes {
		return 1
	}
	return max(1, min(runtime.GOMAXPROCS(0), s.Jobs()))
}

// runJob runs the i-th job in the canonical order.
func (s *Scenario) runJob(ctx context.Context, options RunOptions, host *engine.Host, log zerolog.Logger, i int) *jobResult {
	r := &jobResult{arm: i / s.Seeds.Count, seed: s.Seeds.Base + uint64(i%s.Seeds.Count)}
	arm := s.Arms[r.arm]
	began := time.Now()
	if err := arm.execute(ctx, options, host, r, i%s.Seeds.Count == 0); err != nil {
		r.err = fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, r.seed, err)
		return r
	}
	log.Info().Str("arm", arm.Name).Uint64("seed", r.seed).Hex("digest", r.digest[:]).Dur("elapsed", time.Since(began)).Msg("job")
	return r
}

// execute runs an arm under the result's seed and fills the result in.
func (arm *Arm) execute(ctx context.Context, options RunOptions, host *engine.Host, r *jobResult, first bool) error {
	j, err := arm.job(r.seed)
	if err != nil {
		return err
	}
	finished := int64(0)
	advance := func(steps int) {
		if p := options.Progress; p != nil {
			p.Steps.Add(int64(steps) - finished)
			finished = int64(steps)
		}
	}
	if host != nil {
		err = host.Run(ctx, &j.run, engine.Options{Shards: options.Shards, Progress: advance})
	} else {
		err = lockstep.Run(ctx, &j.run)
	}
	if err != nil {
		return err
	}
	advance(j.run.Steps)
	if p := options.Progress; p != nil {
		p.Jobs.Add(1)
	}
	r.metrics = results.NewJob(arm.Name, r.seed)
	j.meter.Finish(recorder{job: r.metrics, firstLabel: arm.algorithm.firstLabel})
	r.part, r.stops = j.meter.Part(), j.meter.Stops()
	r.digest = digestOf(j.run.Machines, r.metrics)
	if first {
		r.notes, r.warnings = arm.notes(j.window, j.run.Graphs)
	}
	return nil
}

// recorder writes metrics with the paper's numbers of nodes.
type recorder struct {
	job        *results.Job
	firstLabel int
}

func (r recorder) Add(step int, metric string, value float64) { r.job.Add(int64(step), metric, value) }

func (r recorder) AddNode(step, node int, metric string, value float64) {
	r.job.AddNode(int64(step), int32(node+r.firstLabel), metric, value)
}

// digestOf covers the final state of every machine, in the order of the nodes,
// and every metric of a job.
func digestOf(machines []algorithm.Machine, metrics *results.Job) (sum [sha256.Size]byte) {
	h := sha256.New()
	var buffer []byte
	for _, m := range machines {
		buffer = m.AppendState(buffer[:0])
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
	scenario *Scenario
	folder   *results.Folder
	expected *meter.Expected // of the arm whose jobs are coming in
	hash     hash.Hash
	nodes    [][]meter.Estimate // per measured node, where there is one arm
	notes    []results.Note
	warnings []results.Warning
}

func newCollector(s *Scenario, folder *results.Folder) *collector {
	return &collector{scenario: s, folder: folder, hash: sha256.New()}
}

func newExpected(arm *Arm) *meter.Expected { return meter.NewExpected(arm.meterOptions()) }

func (c *collector) take(r *jobResult) error {
	arm := c.scenario.Arms[r.arm]
	if err := c.folder.WriteJob(r.metrics); err != nil {
		return err
	}
	writeFramed(c.hash, fmt.Appendf(nil, "%s\n%d", arm.Name, r.seed))
	writeFramed(c.hash, r.digest[:])
	for _, n := range r.notes {
		c.notes = append(c.notes, results.Note{Arm: arm.Name, Key: n.key, Value: n.value})
	}
	for _, w := range r.warnings {
		c.warnings = append(c.warnings, results.Warning{Code: w.code, Arm: arm.Name, Message: w.message})
	}
	for _, stop := range r.stops {
		c.warnings = append(c.warnings, results.Warning{Code: "stopped", Arm: arm.Name, Message: fmt.Sprintf(
			"seed %d: node %d ended its part at step %d: %s", r.seed, int(stop.Node)+arm.algorithm.firstLabel, stop.Step, stop.Reason)})
	}
	if c.expected == nil {
		c.expected = newExpected(arm)
	}
	c.expected.Add(r.part)
	if r.seed == c.scenario.Seeds.Base+uint64(c.scenario.Seeds.Count)-1 {
		return c.endArm(arm)
	}
	return nil
}

// endArm reduces the statistics over an arm's seeds.
func (c *collector) endArm(arm *Arm) error {
	for _, e := range c.expected.Estimates() {
		row := results.SummaryRow{Arm: arm.Name, Step: int64(e.Step), Metric: meter.RegretExpected, Mean: e.Mean, SE: e.SE, N: int64(e.Runs)}
		if err := c.folder.AddSummary(row); err != nil {
			return err
		}
	}
	if len(c.scenario.Arms) == 1 && len(arm.measured) <= mostCurves {
		for k := range arm.measured {
			c.nodes = append(c.nodes, c.expected.NodeEstimates(k))
		}
	}
	c.expected = nil
	return nil
}

// digest is that of the whole run.
func (c *collector) digest() string { return hex.EncodeToString(c.hash.Sum(nil)) }
