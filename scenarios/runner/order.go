package runner

import (
	"context"
	"sync"

	"starling/scenarios/jobs"
)

// start starts all jobs in their order, at most workers at a time. It sends a slot for the
// result of each to pending, and closes pending at the end.
func (x *executor) start(ctx context.Context, group *sync.WaitGroup, workers int, pending chan<- chan *jobs.Result) {
	defer close(pending)
	defer x.order.Abandon()
	running := make(chan struct{}, workers)
	for place := range x.order.Len() {
		slot := make(chan *jobs.Result, 1)
		select {
		// Blocks when the window is full: behind a slow first job the results of later ones
		// must not pile up.
		case pending <- slot:
		case <-ctx.Done():
			return
		}
		running <- struct{}{}
		end := x.order.Begin(place)
		group.Go(func() {
			defer func() { <-running }()
			defer end()
			slot <- x.job(ctx, x.order.Job(place))
		})
	}
}

// inOrder hands results to take in the canonical order; they may come in any order. A result
// that comes before its turn waits in the journal.
type inOrder struct {
	x    *executor
	take func(*jobs.Result) error // may be nil
	list []int                    // the jobs, in the canonical order
	at   int                      // number of jobs that are taken
	done map[int]bool             // jobs that have come before their turn
}

// add takes a result, and then the waiting results that follow it without a gap.
func (c *inOrder) add(r *jobs.Result) error {
	if r.Index != c.list[c.at] {
		c.done[r.Index] = true
		return nil
	}
	for {
		if c.take != nil {
			if err := c.take(r); err != nil {
				return err
			}
		}
		if c.at++; c.at == len(c.list) || !c.done[c.list[c.at]] {
			return nil
		}
		delete(c.done, c.list[c.at])
		r = jobs.New(c.x.scenario, c.list[c.at])
		if c.take == nil {
			continue
		}
		done, err := c.x.finished(r)
		if err != nil {
			return err
		}
		r.Skipped = !done
	}
}
