package scenarios

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/problem"
)

// Estimate is what a run would take and spend, before it is made.
type Estimate struct {
	Jobs    int
	Steps   int64
	Workers int           // jobs at a time
	Time    time.Duration // of all jobs, from short pilots
	Bytes   int64         // at most in use at a time, by the whole process
	Arms    []ArmEstimate
}

// ArmEstimate is the part of one arm.
type ArmEstimate struct {
	Name      string
	Seeds     int
	Steps     int   // of a job
	JobBytes  int64 // in use while a job runs
	JobTime   time.Duration
	Claimed   string // what the paper claims of the privacy, as a note of the run
	Accounted string // loss of a node's releases of all steps
	Relation  string // for which neighbouring data: replace, or add-or-remove
}

// pilotTime bounds how long an arm's first seed is run to learn how long its
// steps take.
const pilotTime = 150 * time.Millisecond

// Estimate runs the first steps of each arm, of the first seed, and says what
// the whole would take. It writes nothing.
func (s *Scenario) Estimate(ctx context.Context, options RunOptions) (Estimate, error) {
	if err := options.Validate(); err != nil {
		return Estimate{}, BadInput(err)
	}
	workers, err := s.workers(options)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Jobs: s.Jobs(), Steps: s.Steps(), Workers: workers, Bytes: s.memory(workers)}
	of := s.relations()
	for _, arm := range s.Arms {
		a := ArmEstimate{Relation: of[arm.Name], Name: arm.Name, Seeds: s.Seeds.Count, Steps: arm.file.Horizon, JobBytes: arm.jobBytes()}
		if a.JobTime, err = arm.pilot(ctx, s.Seeds.Base); err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s, seed %d: %w", s.Name, arm.Name, s.Seeds.Base, err)
		}
		total, err := arm.accounted()
		if err != nil {
			return Estimate{}, fmt.Errorf("scenario %s, arm %s: %w", s.Name, arm.Name, err)
		}
		a.Claimed, a.Accounted = arm.algorithm.claim(), total.String()
		e.Time += a.JobTime * time.Duration(a.Seeds)
		e.Arms = append(e.Arms, a)
	}
	e.Time /= time.Duration(min(runtime.GOMAXPROCS(0), max(workers, s.spread())))
	return e, nil
}

// errPilot ends a pilot.
var errPilot = errors.New("long enough")

// pilot returns how long a job of the arm takes, from its first steps.
func (arm *Arm) pilot(ctx context.Context, seed uint64) (time.Duration, error) {
	j, err := arm.algorithm.job(seed)
	if err != nil {
		return 0, err
	}
	began, steps := time.Now(), 0
	watcher := &lockstep.Watcher{Visit: func(w *lockstep.Watched) error {
		steps = w.Step - arm.algorithm.firstStep
		if time.Since(began) > pilotTime {
			return errPilot
		}
		return nil
	}}
	err = lockstep.Watch(ctx, &j.run, watcher)
	took := time.Since(began)
	if err == nil {
		return took, nil
	}
	if !errors.Is(err, errPilot) {
		return 0, err
	}
	return took * time.Duration(arm.file.Horizon) / time.Duration(max(steps, 1)), nil
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
func (arm *Arm) jobBytes() int64 {
	f, d := &arm.file, arm.algorithm.dim
	numbers := product(sentCopies, arm.algorithm.participants, d) + product(len(arm.points), len(arm.measured), d+1)
	if arm.problem != nil {
		numbers += product(f.Horizon, d)
	}
	if p, ok := arm.problem.(*problem.Localization); ok && p.Follows() {
		numbers += product(f.Horizon, f.Nodes, d) // where the sensors are
	}
	rows := product(rowBytes, len(arm.points), len(arm.measured)+runMetrics)
	// Graphs that are drawn anew are there for the turns in flight.
	edges := arm.topology.edges + 4*arm.topology.drawn
	return int64(arm.algorithm.held + 8*numbers + rows + participantBytes*float64(arm.algorithm.participants) + edgeBytes*edges)
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

// memory is the forecast of the most memory, in bytes, that the process takes with
// so many jobs at a time.
func (s *Scenario) memory(workers int) int64 {
	largest := int64(0)
	for _, arm := range s.Arms {
		largest = max(largest, arm.jobBytes())
	}
	return processBytes + heapFactor*(s.keptBytes()+int64(workers)*largest)
}

// keptBytes is what statistics over the seeds of an arm keep of its jobs.
func (s *Scenario) keptBytes() int64 {
	largest := 0.0
	for _, arm := range s.Arms {
		largest = max(largest, 8*product(s.Seeds.Count, len(arm.points), len(arm.measured), arm.algorithm.dim+1))
	}
	return int64(largest)
}

// spread is over how many cores one job of the largest arm is spread.
func (s *Scenario) spread() int {
	for _, arm := range s.Arms {
		if arm.file.Nodes > messages.BlockSize {
			return runtime.GOMAXPROCS(0)
		}
	}
	return 1
}

// workers is how many jobs run at a time. Runs of one shard fill the cores side
// by side; larger ones fill them alone, and side by side would only need more
// memory. No more run than fit in the memory limit; if not even one does, that
// is bad input.
func (s *Scenario) workers(options RunOptions) (int, error) {
	nodes, largest := 0, int64(1)
	for _, arm := range s.Arms {
		nodes = max(nodes, arm.file.Nodes)
		largest = max(largest, arm.jobBytes())
	}
	workers := min(runtime.GOMAXPROCS(0), s.Jobs())
	if options.Engine == Actors && nodes > allNodes {
		workers = 1
	}
	if options.Memory > 0 {
		fit := (options.Memory - s.memory(0)) / (heapFactor * largest)
		if fit < 1 {
			return 0, BadInput(fmt.Errorf("the run takes about %s of memory, and may take %s; raise the limit, measure less, or run fewer seeds or nodes",
				FormatBytes(s.memory(1)), FormatBytes(options.Memory)))
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
