package runner

import (
	"context"
	"runtime"

	"starling/scenarios/jobs"
)

// A chunk has at most chunkSize bytes or chunkJobs jobs, or it is one larger job. The overhead
// of a chunk is then small even for small jobs, and memory does not grow with the number of
// jobs.
const (
	chunkSize = 1 << 20
	chunkJobs = 1 << 8
)

// chunk is a range of jobs that follow one another, and their results once they are read.
type chunk struct {
	first, end int
	results    chan []*jobs.Result
}

// readAhead calls read for 0 to count-1, on as many cores as there are, and take with the
// results in that order. size returns the approximate size of a result in bytes. It returns
// the first error, of a result or of take.
func readAhead(ctx context.Context, count int, size func(k int) int, read func(k int) *jobs.Result, take func(*jobs.Result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The sender holds one chunk. So as many chunks as readers are there at a time, besides
	// the one that is being taken.
	readers := runtime.GOMAXPROCS(0)
	pending, work := make(chan chunk, readers-1), make(chan chunk)
	for range readers {
		go func() {
			for c := range work {
				list := make([]*jobs.Result, 0, c.end-c.first)
				for k := c.first; k < c.end && ctx.Err() == nil; k++ {
					list = append(list, read(k))
				}
				c.results <- list
			}
		}()
	}
	go func() {
		defer close(pending)
		defer close(work)
		for k := 0; k < count; {
			c := chunk{k, chunkFrom(k, count, size), make(chan []*jobs.Result, 1)}
			for _, to := range []chan chunk{work, pending} {
				select {
				case to <- c:
				case <-ctx.Done():
					return
				}
			}
			k = c.end
		}
	}()
	taken := 0
	for c := range pending {
		for _, r := range <-c.results {
			if r.Err != nil {
				return r.Err
			}
			if err := take(r); err != nil {
				return err
			}
			taken++
		}
	}
	if taken < count {
		return context.Cause(ctx)
	}
	return nil
}

// chunkFrom returns the end of the chunk that begins with the job first.
func chunkFrom(first, count int, size func(k int) int) (end int) {
	bytes := size(first)
	for end = first + 1; end < min(count, first+chunkJobs); end++ {
		if bytes += size(end); bytes > chunkSize {
			return end
		}
	}
	return end
}
