package runner

import (
	"context"
	"sync"

	"starling/scenarios/jobs"
)

// start starts all jobs, as many at a time as there are workers, in their order, each with
// a slot for its result, and closes the list of slots.
func (x *executor) start(ctx context.Context, group *sync.WaitGroup, workers int, pending chan<- chan *jobs.Result) {
	defer close(pending)
	defer x.order.Abandon()
	running := make(chan struct{}, workers)
	for place := range x.order.Len() {
		slot := make(chan *jobs.Result, 1)
		select {
		// Blocks when the window is full: a slow first job must not let the results of
		// all later ones pile up.
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

// inOrder hands results to take in the canonical order, whatever the order in which they
// come. One that comes before its turn waits in the journal.
type inOrder struct {
	x    *executor
	take func(*jobs.Result) error // nil for nothing
	list []int                    // the jobs, in the canonical order
	at   int                      // how many of them are taken
	done map[int]bool             // jobs that have come before their turn
}

// add takes a result, and all that it was the last to be missing for.
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
