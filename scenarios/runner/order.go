package runner

import (
	"context"
	"sync"

	"starling/scenarios/cache"
	"starling/scenarios/study"
)

// What jobs may keep of what they share: a part of the memory limit, since a heap grows
// to twice what is in use and jobs take their own; and so much where there is no limit.
const (
	cacheShare     = 3
	unlimitedCache = 1 << 30
)

// cacheBudget is how many bytes jobs may keep of what they share.
func cacheBudget(options RunOptions) int64 {
	if options.Memory > 0 {
		return options.Memory / cacheShare
	}
	return unlimitedCache
}

// seedOf is the seed of the i-th job in the canonical order, and armOf its arm.
func seedOf(s *study.Scenario, i int) uint64    { return s.Seeds.Base + uint64(i%s.Seeds.Count) }
func armOf(s *study.Scenario, i int) *study.Arm { return s.Arms[i/s.Seeds.Count] }

// order is in which order jobs begin, and what each of them needs.
type order struct {
	scenario *study.Scenario
	// bySeed has the arms of a seed run one after the other, so that what they share is
	// kept for a short time; else jobs begin in the canonical order.
	bySeed bool
	ahead  int            // how many jobs before they begin their needs are known
	held   int            // places whose needs the cache holds, from the first
	needs  [][]cache.Need // by place: of jobs that have not begun
}

// orderOf finds out whether arms share anything under their first seed.
func orderOf(s *study.Scenario, workers int) *order {
	o := &order{scenario: s, ahead: len(s.Arms) + workers, needs: make([][]cache.Need, Jobs(s))}
	seen := map[any]bool{}
	for _, arm := range s.Arms {
		for _, n := range study.NeedsOf(arm, s.Seeds.Base) {
			o.bySeed = o.bySeed || seen[n.Key]
			seen[n.Key] = true
		}
	}
	return o
}

// job is the number in the canonical order of the job at a place of this order.
func (o *order) job(place int) int {
	if arms := len(o.scenario.Arms); o.bySeed {
		return place%arms*o.scenario.Seeds.Count + place/arms
	}
	return place
}

// begin has the cache hold what the job at a place and those soon after it need, and
// returns what is to be called at the job's end. Places come in their order.
func (o *order) begin(place int) (end func()) {
	for ; o.held <= place+o.ahead && o.held < len(o.needs); o.held++ {
		job := o.job(o.held)
		o.needs[o.held] = study.NeedsOf(armOf(o.scenario, job), seedOf(o.scenario, job))
		o.scenario.Cache.Hold(o.needs[o.held]...)
	}
	needs := o.needs[place]
	o.needs[place] = nil
	return func() { o.scenario.Cache.Release(needs...) }
}

// abandon lets go of what jobs need that have not begun.
func (o *order) abandon() {
	for place, needs := range o.needs[:o.held] {
		o.scenario.Cache.Release(needs...)
		o.needs[place] = nil
	}
}

// start starts all jobs, as many at a time as there are workers, in their order, each with
// a slot for its result, and closes the list of slots.
func (x *executor) start(ctx context.Context, group *sync.WaitGroup, workers int, pending chan<- chan *JobResult) {
	defer close(pending)
	defer x.order.abandon()
	running := make(chan struct{}, workers)
	for place := range Jobs(x.scenario) {
		slot := make(chan *JobResult, 1)
		select {
		// Blocks when the window is full: a slow first job must not let the results of
		// all later ones pile up.
		case pending <- slot:
		case <-ctx.Done():
			return
		}
		running <- struct{}{}
		end := x.order.begin(place)
		group.Go(func() {
			defer func() { <-running }()
			defer end()
			slot <- x.job(ctx, x.order.job(place))
		})
	}
}

// inOrder hands results to take in the canonical order, whatever the order in which they
// come. One that comes before its turn waits in the journal.
type inOrder struct {
	x    *executor
	take func(*JobResult) error
	next int
	done map[int]bool // jobs that have come before their turn
}

// add takes a result, and all that it was the last to be missing for.
func (c *inOrder) add(r *JobResult) error {
	if r.index != c.next {
		c.done[r.index] = true
		return nil
	}
	for {
		if err := c.take(r); err != nil {
			return err
		}
		if c.next++; !c.done[c.next] {
			return nil
		}
		delete(c.done, c.next)
		r = c.x.result(c.next)
		if _, err := c.x.finished(r); err != nil {
			return err
		}
	}
}
