package workers

import (
	"slices"
	"sync"

	"starling/scenarios/cache"
	"starling/scenarios/study"
)

// shared keeps the data that the arms of a seed share, from the seed's first job until jobs of
// enough other seeds have begun. A worker does not know which jobs will come; jobs of a seed
// that share data come one after the other.
type shared struct {
	scenario *study.Scenario
	most     int // number of seeds that are kept without a job

	mu    sync.Mutex
	seeds []uint64                  // guarded by mu: the kept seeds, by the time of their last beginning
	jobs  map[uint64]int            // guarded by mu: number of running jobs, by seed
	needs map[uint64][][]cache.Need // guarded by mu: needs that are held, by seed
}

func newShared(s *study.Scenario, slots int) *shared {
	return &shared{scenario: s, most: slots, jobs: map[uint64]int{}, needs: map[uint64][][]cache.Need{}}
}

// begin has the cache hold the data that the arms of a seed need. The caller has to call end
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

// drop lets go of the oldest seeds without a job, but keeps h.most of them; h.mu is held.
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
