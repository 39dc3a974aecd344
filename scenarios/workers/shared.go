package workers

import (
	"slices"
	"sync"

	"starling/scenarios/cache"
	"starling/scenarios/study"
)

// shared keeps what the arms of a seed share, from its first job until jobs of enough other
// seeds have begun: a worker does not know which jobs will come, and those of a seed come
// one after the other where they share anything.
type shared struct {
	scenario *study.Scenario
	most     int // seeds that are kept without a job

	mu    sync.Mutex
	seeds []uint64                  // guarded by mu: those that are kept, the one that began last at the end
	jobs  map[uint64]int            // guarded by mu: running, by seed
	needs map[uint64][][]cache.Need // guarded by mu: held, by seed
}

func newShared(s *study.Scenario, slots int) *shared {
	return &shared{scenario: s, most: slots, jobs: map[uint64]int{}, needs: map[uint64][][]cache.Need{}}
}

// begin has the cache hold what the arms of a seed need, and returns what is to be called
// at the end of the job.
func (h *shared) begin(seed uint64) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, held := h.needs[seed]; !held {
		var needs [][]cache.Need
		for _, arm := range h.scenario.Arms {
			needs = append(needs, study.NeedsOf(arm, seed))
			h.scenario.Cache.Hold(needs[len(needs)-1]...)
		}
		h.needs[seed] = needs
	}
	h.seeds = append(slices.DeleteFunc(h.seeds, func(s uint64) bool { return s == seed }), seed)
	h.jobs[seed]++
	h.drop()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.jobs[seed]--
		h.drop()
	}
}

// drop lets go of the oldest seeds without a job, but for some; h.mu is held.
func (h *shared) drop() {
	idle := 0
	for _, seed := range h.seeds {
		if h.jobs[seed] == 0 {
			idle++
		}
	}
	h.seeds = slices.DeleteFunc(h.seeds, func(seed uint64) bool {
		if h.jobs[seed] > 0 || idle <= h.most {
			return false
		}
		idle--
		for _, needs := range h.needs[seed] {
			h.scenario.Cache.Release(needs...)
		}
		delete(h.needs, seed)
		delete(h.jobs, seed)
		return true
	})
}
