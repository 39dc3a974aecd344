package jobs

import (
	"runtime"
	"time"

	"starling/scenarios/study"
)

// Engine is a runtime. Both give the same results.
type Engine string

// The runtimes.
const (
	// Actors runs on all cores (package engine); Lockstep is a loop on one, and is the
	// reference.
	Actors   Engine = "actors"
	Lockstep Engine = "lockstep"
)

// Count returns the number of jobs of a scenario, one for each arm and seed.
func Count(s *study.Scenario) int { return len(s.Arms) * s.Seeds.Count }

// Steps returns the number of steps of all jobs of a share.
func Steps(s *study.Scenario, share Share) (steps int64) {
	for i := range Count(s) {
		if share.Has(i) {
			steps += int64(ArmOf(s, i).File.Horizon)
		}
	}
	return steps
}

// SeedOf returns the seed of the i-th job in the canonical order: arms in the order of the
// scenario, seeds ascending in each.
func SeedOf(s *study.Scenario, i int) uint64 { return s.Seeds.Base + uint64(i%s.Seeds.Count) }

// ArmOf returns the arm of the i-th job in the canonical order.
func ArmOf(s *study.Scenario, i int) *study.Arm { return s.Arms[i/s.Seeds.Count] }

// The memory for data that jobs share. It is 1/cacheShare of the memory limit, since a heap
// grows to twice its live size and jobs take memory of their own. Without a limit it is
// unlimitedCache.
const (
	cacheShare     = 3
	unlimitedCache = 1 << 30
)

// CacheBudget returns the number of bytes for data that jobs share, where all jobs together
// may take memory bytes; 0 is no limit.
func CacheBudget(memory int64) int64 {
	if memory > 0 {
		return memory / cacheShare
	}
	return unlimitedCache
}

// Early is the time that a job runs before its metrics are computed: shorter jobs are counted
// when they are done.
const Early = 2 * time.Second

// mostNumbers is the greatest number of coordinates of decisions of a job with metrics that are
// computed while it runs: a copy of a larger job would take memory that the run does not have.
const mostNumbers = 1 << 22

// Looked reports whether metrics of a job of the arm are computed while it runs, by a copy of
// the job, one at a time.
func Looked(arm *study.Arm) bool {
	return min(arm.File.Nodes, arm.Extent.Participants)*arm.Extent.Dim <= mostNumbers
}

// Shards returns the number of shards into which the actor runtime divides a job of the arm.
// It is asked; 0 lets the runtime choose by the number of participants, which suits short
// turns. If participants train models, a turn is long, and 0 gives one shard to each core.
func Shards(arm *study.Arm, asked int) int {
	if asked == 0 && study.TrainedModelOf(arm) != nil {
		return runtime.GOMAXPROCS(0)
	}
	return asked
}
