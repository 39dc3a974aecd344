package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/study"
)

// Estimate is what a run would take and spend, before it is made.
type Estimate struct {
	// Jobs is the number of arms times that of seeds.
	Jobs int
	// Steps is that of all jobs together.
	Steps int64
	// Workers is how many jobs run at a time.
	Workers int
	// Time is that of the whole, from short pilots. It is a guess: later steps may take
	// longer than first ones.
	Time time.Duration
	// Bytes is the most memory that the process takes at a time.
	Bytes int64
	Arms  []ArmEstimate
}

// ArmEstimate is the part of one arm.
type ArmEstimate struct {
	// Name is the arm's, Seeds how many jobs it has.
	Name  string
	Seeds int
	// Steps is the horizon of a job.
	Steps int
	// JobBytes is what a job holds while it runs, and JobTime how long it runs.
	JobBytes int64
	JobTime  time.Duration
	// Claimed is what the paper claims of the privacy, as a note of the run.
	Claimed string
	// Accounted is the loss of a node's releases over all steps that a budget pays for.
	Accounted string
	// Relation says for which neighbouring data the loss holds: replace, or
	// add-or-remove.
	Relation string
}

// pilotTime bounds how long an arm's first seed is run to learn how long its
// steps take.
const pilotTime = 150 * time.Millisecond

// EstimateRun runs the first steps of each arm, of the first seed, and says what
// the whole would take. It writes nothing.
func EstimateRun(s *study.Scenario, ctx context.Context, options RunOptions) (Estimate, error) {
	if err := options.Validate(); err != nil {
		return Estimate{}, document.BadInput(err)
	}
	workers, err := workers(s, options)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Jobs: Jobs(s), Steps: Steps(s), Workers: workers, Bytes: memoryOf(s, workers)}
	of := accounts.RelationsIn(s)
	for _, arm := range s.Arms {
		a := ArmEstimate{Relation: of[arm.Name], Name: arm.Name, Seeds: s.Seeds.Count, Steps: arm.File.Horizon, JobBytes: jobBytes(arm)}
		if a.JobTime, err = runPilot(arm, ctx, s.Seeds.Base); err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, s.Seeds.Base, err)
		}
		total, err := study.PlannedLossOf(arm)
		if err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s: %w", s.Name, arm.Name, err)
		}
		a.Claimed, a.Accounted = arm.Algorithm.Claim(), total.String()
		e.Time += a.JobTime * time.Duration(a.Seeds)
		e.Arms = append(e.Arms, a)
	}
	// Jobs share the cores: as many at a time as there are workers, or one that is spread
	// over all.
	e.Time /= time.Duration(min(runtime.GOMAXPROCS(0), max(workers, measuredSpread(s))))
	return e, nil
}

// errPilot ends a pilot.
var errPilot = errors.New("long enough")

// runPilot returns how long a job of the arm takes, from its first steps.
func runPilot(arm *study.Arm, ctx context.Context, seed uint64) (time.Duration, error) {
	j, err := arm.Algorithm.Job(seed)
	if err != nil {
		return 0, err
	}
	began, steps := time.Now(), 0
	watcher := &lockstep.Watcher{Visit: func(w *lockstep.Watched) error {
		steps = w.Step - arm.Algorithm.FirstStep
		if time.Since(began) > pilotTime {
			return errPilot
		}
		return nil
	}}
	err = lockstep.Watch(ctx, &j.Run, watcher)
	took := time.Since(began)
	if err == nil {
		return took, nil
	}
	if !errors.Is(err, errPilot) {
		return 0, err
	}
	return took * time.Duration(arm.File.Horizon) / time.Duration(max(steps, 1)), nil
}

// What a participant and an edge take, besides their numbers: the actor, its
// machine, its outboxes and its part in the graph's rows.
const (
	participantBytes = 900
	edgeBytes        = 40
	// sentCopies is how often a decision is held: the machine's state, the
	// vectors of the turns in flight, the meter's sums.
	sentCopies = 8
)

// jobBytes is about how much memory a job takes while it runs.
func jobBytes(arm *study.Arm) int64 {
	f, d := &arm.File, arm.Algorithm.Dim
	numbers := limits.Product(sentCopies, arm.Algorithm.Participants, d) + limits.Product(len(arm.Points), len(arm.Measured), d+1)
	if arm.Problem != nil {
		numbers += limits.Product(f.Horizon, d)
	}
	if p, ok := arm.Problem.(*problem.Localization); ok && p.Follows() {
		numbers += limits.Product(f.Horizon, f.Nodes, d) // where the sensors are
	}
	rows := limits.Product(study.RowBytes, len(arm.Points), len(arm.Measured)+study.RunMetrics)
	// Graphs that are drawn anew are there for the turns in flight.
	edges := arm.Topology.Edges + float64(4*arm.Topology.Drawn)
	return int64(arm.Algorithm.Held + float64(8*numbers) + rows + float64(participantBytes*float64(arm.Algorithm.Participants)) + float64(edgeBytes*edges))
}

// What a process takes besides what its jobs hold. The forecast is between one and
// three times the peak of a process; see
// TestForecastsOfMemory of the program.
const (
	// processBytes is what a run of a small scenario takes: the program, the writers
	// of tables and the figures.
	processBytes = 88 << 20
	// heapFactor is how much the heap is of what is held: the collector lets it grow
	// to twice that, and results are encoded beside it.
	heapFactor = 3
)

// memoryOf is the forecast of the most memory, in bytes, that the process takes with
// so many jobs at a time.
func memoryOf(s *study.Scenario, workers int) int64 {
	largest := int64(0)
	for _, arm := range s.Arms {
		largest = max(largest, jobBytes(arm))
	}
	return processBytes + heapFactor*(keptBytes(s)+int64(workers)*largest)
}

// keptBytes is what statistics over the seeds of an arm keep of its jobs.
func keptBytes(s *study.Scenario) int64 {
	largest := 0.0
	for _, arm := range s.Arms {
		largest = max(largest, 8*limits.Product(s.Seeds.Count, len(arm.Points), len(arm.Measured), arm.Algorithm.Dim+1))
	}
	return int64(largest)
}

// measuredSpread is over how many cores one job of the largest arm is spread.
func measuredSpread(s *study.Scenario) int {
	for _, arm := range s.Arms {
		if arm.File.Nodes > messages.BlockSize {
			return runtime.GOMAXPROCS(0)
		}
	}
	return 1
}

// workers is how many jobs run at a time. Runs of one shard fill the cores side
// by side; larger ones fill them alone, and side by side would only need more
// memory. No more run than fit in the memory limit; if not even one does, that
// is bad input.
func workers(s *study.Scenario, options RunOptions) (int, error) {
	nodes, largest := 0, int64(1)
	for _, arm := range s.Arms {
		nodes = max(nodes, arm.File.Nodes)
		largest = max(largest, jobBytes(arm))
	}
	workers := min(runtime.GOMAXPROCS(0), Jobs(s))
	// One large run uses all cores by itself.
	if options.Engine == Actors && nodes > study.AllNodes {
		workers = 1
	}
	if options.Memory > 0 {
		// The limit less what the process takes anyway, in units of the largest job as
		// the heap holds it.
		fit := (options.Memory - memoryOf(s, 0)) / (heapFactor * largest)
		if fit < 1 {
			return 0, document.BadInput(fmt.Errorf("the run takes about %s of memory, and may take %s; raise the limit, measure less, or run fewer seeds or nodes",
				FormatBytes(memoryOf(s, 1)), FormatBytes(options.Memory)))
		}
		workers = int(min(int64(workers), fit))
	}
	return max(1, workers), nil
}

// FormatBytes prints an amount of memory.
func FormatBytes(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	v, unit := float64(bytes), 0
	for v >= 1024 && unit < len(units)-1 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.3g %s", v, units[unit])
}
