package runner

import (
	"context"
	"runtime"

	"starling/scenarios/jobs"
)

// readAhead calls read for 0 to count-1, as many at a time as there are cores, and take with
// the results in that order. It returns the first error, of a result or of take.
func readAhead(ctx context.Context, count int, read func(k int) *jobs.Result, take func(*jobs.Result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// One slot is in the hands of the sender: so many results are there at a time beside the
	// one that is taken.
	pending := make(chan chan *jobs.Result, runtime.GOMAXPROCS(0)-1)
	go func() {
		defer close(pending)
		for k := range count {
			slot := make(chan *jobs.Result, 1)
			go func() { slot <- read(k) }()
			select {
			case pending <- slot:
			case <-ctx.Done():
				return
			}
		}
	}()
	taken := 0
	for slot := range pending {
		r := <-slot
		if r.Err != nil {
			return r.Err
		}
		if err := take(r); err != nil {
			return err
		}
		taken++
	}
	if taken < count {
		return context.Cause(ctx)
	}
	return nil
}
