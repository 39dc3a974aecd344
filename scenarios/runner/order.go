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
	for place := range jobs.Count(x.scenario) {
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
	take func(*jobs.Result) error
	next int
	done map[int]bool // jobs that have come before their turn
}

// add takes a result, and all that it was the last to be missing for.
func (c *inOrder) add(r *jobs.Result) error {
	if r.Index != c.next {
		c.done[r.Index] = true
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
		r = jobs.New(c.x.scenario, c.next)
		if _, err := c.x.finished(r); err != nil {
			return err
		}
	}
}
