package jobs

import (
	"runtime"

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

// Count is the number of jobs of a scenario, one for each arm and seed.
func Count(s *study.Scenario) int { return len(s.Arms) * s.Seeds.Count }

// Steps is the number of steps of all jobs of a share.
func Steps(s *study.Scenario, share Share) (steps int64) {
	for i := range Count(s) {
		if share.Has(i) {
			steps += int64(ArmOf(s, i).File.Horizon)
		}
	}
	return steps
}

// SeedOf is the seed of the i-th job in the canonical order: arms in the order of the
// scenario, seeds ascending in each.
func SeedOf(s *study.Scenario, i int) uint64 { return s.Seeds.Base + uint64(i%s.Seeds.Count) }

// ArmOf is the arm of the i-th job in the canonical order.
func ArmOf(s *study.Scenario, i int) *study.Arm { return s.Arms[i/s.Seeds.Count] }

// What jobs may keep of what they share: a part of the memory limit, since a heap grows
// to twice what is in use and jobs take their own; and so much where there is no limit.
const (
	cacheShare     = 3
	unlimitedCache = 1 << 30
)

// CacheBudget is how many bytes jobs may keep of what they share, where they may take so
// much memory together; 0 is no limit.
func CacheBudget(memory int64) int64 {
	if memory > 0 {
		return memory / cacheShare
	}
	return unlimitedCache
}

// Shards is into how many shards the actor runtime divides a job of the arm, where so many
// are asked for; 0 lets the runtime choose by the number of participants, for which a turn
// of few is short. Where each trains a model it is long, and all cores get a part of it.
func Shards(arm *study.Arm, asked int) int {
	if asked == 0 && arm.Algorithm.Trained != nil {
		return runtime.GOMAXPROCS(0)
	}
	return asked
}
