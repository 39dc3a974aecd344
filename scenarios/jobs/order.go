package jobs

import (
	"cmp"
	"slices"

	"starling/scenarios/cache"
	"starling/scenarios/study"
)

// Order is the order in which jobs begin, with the needs of each.
type Order struct {
	scenario *study.Scenario
	// list has the jobs in their order.
	list  []int
	ahead int            // number of jobs with needs that are known before they begin
	held  int            // number of places, from the first, with needs that the cache holds or held
	needs [][]cache.Need // by place: needs of jobs that have not begun
}

// OrderOf returns the order of a list of jobs. The list is in the canonical order, and OrderOf
// does not keep it. The jobs of a seed begin one after the other: data that arms share are kept for
// a short time, and a run that goes on shows all arms soon. Where an arm keeps data from
// seed to seed that no other arm has, the jobs of an arm begin one after the other.
func OrderOf(s *study.Scenario, list []int, workers int) *Order {
	o := &Order{scenario: s, list: slices.Clone(list), ahead: len(s.Arms) + workers, needs: make([][]cache.Need, len(list))}
	if !keepsOverSeeds(s) {
		slices.SortStableFunc(o.list, func(a, b int) int { return cmp.Compare(SeedOf(s, a), SeedOf(s, b)) })
	}
	return o
}

// keepsOverSeeds reports whether an arm has data under two seeds that no other arm has.
func keepsOverSeeds(s *study.Scenario) bool {
	arms := map[any]int{} // number of arms that need a value under the first seed
	for _, arm := range s.Arms {
		for _, n := range study.NeedsOf(arm, s.Seeds.Base) {
			arms[n.Key]++
		}
	}
	return s.Seeds.Count > 1 && slices.ContainsFunc(s.Arms, func(arm *study.Arm) bool {
		return slices.ContainsFunc(study.NeedsOf(arm, s.Seeds.Base+1), func(n cache.Need) bool { return arms[n.Key] == 1 })
	})
}

// Len returns the number of jobs.
func (o *Order) Len() int { return len(o.list) }

// Job returns the number in the canonical order of the job at a place of this order.
func (o *Order) Job(place int) int { return o.list[place] }

// Begin has the cache hold the needs of the job at a place and of those soon after it. The
// caller has to call end at the job's end. Places come in their order.
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

// Abandon releases the needs of jobs that have not begun.
func (o *Order) Abandon() {
	for place, needs := range o.needs[:o.held] {
		o.scenario.Cache.Release(needs...)
		o.needs[place] = nil
	}
}
