package jobs

import (
	"cmp"
	"slices"

	"starling/scenarios/cache"
	"starling/scenarios/study"
)

// Order is in which order jobs begin, and what each of them needs.
type Order struct {
	scenario *study.Scenario
	// list has the jobs in their order.
	list  []int
	ahead int            // how many jobs before they begin their needs are known
	held  int            // places whose needs the cache holds, from the first
	needs [][]cache.Need // by place: of jobs that have not begun
}

// OrderOf is the order of a list of jobs, which is in the canonical order and is not kept.
// Where arms share anything under their first seed, the jobs of a seed begin one after the
// other, so that what they share is kept for a short time.
func OrderOf(s *study.Scenario, list []int, workers int) *Order {
	o := &Order{scenario: s, list: slices.Clone(list), ahead: len(s.Arms) + workers, needs: make([][]cache.Need, len(list))}
	seen, shared := map[any]bool{}, false
	for _, arm := range s.Arms {
		for _, n := range study.NeedsOf(arm, s.Seeds.Base) {
			shared = shared || seen[n.Key]
			seen[n.Key] = true
		}
	}
	if shared {
		slices.SortStableFunc(o.list, func(a, b int) int { return cmp.Compare(SeedOf(s, a), SeedOf(s, b)) })
	}
	return o
}

// Len is the number of jobs.
func (o *Order) Len() int { return len(o.list) }

// Job is the number in the canonical order of the job at a place of this order.
func (o *Order) Job(place int) int { return o.list[place] }

// Begin has the cache hold what the job at a place and those soon after it need, and
// returns what is to be called at the job's end. Places come in their order.
func (o *Order) Begin(place int) (end func()) {
	for ; o.held <= place+o.ahead && o.held < len(o.needs); o.held++ {
		job := o.Job(o.held)
		o.needs[o.held] = study.NeedsOf(ArmOf(o.scenario, job), SeedOf(o.scenario, job))
		o.scenario.Cache.Hold(o.needs[o.held]...)
	}
	needs := o.needs[place]
	o.needs[place] = nil
	return func() { o.scenario.Cache.Release(needs...) }
}

// Abandon lets go of what jobs need that have not begun.
func (o *Order) Abandon() {
	for place, needs := range o.needs[:o.held] {
		o.scenario.Cache.Release(needs...)
		o.needs[place] = nil
	}
}
