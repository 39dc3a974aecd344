package shell

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"starling/scenarios/jobs"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// BarRefresh and LineEvery are how often progress is shown: on a terminal often enough to
// look alive, in a log seldom enough not to fill it.
const (
	BarRefresh = 100 * time.Millisecond
	LineEvery  = 5 * time.Second
)

// ShowProgress shows how far a run has come, until stop is called. On a terminal it is a
// bar that changes in place; elsewhere, as in the log of a cluster, a line every few
// seconds. It reads counters that the workers of the run add to and asks nothing of the
// run itself, so that progress cannot change what is computed.
func ShowProgress(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	if file, ok := w.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		return showBar(w, scenario, progress)
	}
	return showLines(w, scenario, progress)
}

// showBar shows a bar on a terminal: runs done, percentage, steps a second, and the time
// that is left. Its length counts steps of all runs and not runs: one long run would show
// no progress.
func showBar(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	container := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(BarRefresh))
	count, began := len(progress.Part.Of(scenario)), time.Now()
	bar := container.AddBar(jobs.Steps(scenario, progress.Part),
		mpb.PrependDecorators(
			decor.Name(scenario.Name+" "),
			decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%d/%d runs ", progress.Jobs.Load(), count) }),
		),
		mpb.AppendDecorators(
			decor.Percentage(),
			decor.Any(func(decor.Statistics) string { return pace(scenario, progress, time.Since(began), "  ") }),
		),
	)
	end := every(BarRefresh, func() { bar.SetCurrent(progress.Steps.Load()) })
	return func() {
		end()
		if done := progress.Steps.Load(); done == jobs.Steps(scenario, progress.Part) {
			// mpb ends a bar that reaches its total, and container.Wait returns when all
			// bars have ended. A bar that does not reach its total must be aborted, or
			// Wait would not return.
			bar.SetCurrent(done)
		} else {
			bar.Abort(true) // failed, or there was nothing to run
		}
		container.Wait()
	}
}

// showLines prints a line every few seconds, for logs. A run that takes less prints none.
func showLines(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	began := time.Now()
	return every(LineEvery, func() {
		done, all := progress.Steps.Load(), jobs.Steps(scenario, progress.Part)
		line := fmt.Sprintf("%s: %d/%d runs, %.0f%%", scenario.Name, progress.Jobs.Load(), len(progress.Part.Of(scenario)), 100*float64(done)/float64(all))
		line += pace(scenario, progress, time.Since(began), ", ")
		fmt.Fprintln(w, line)
	})
}

// pace returns how fast a run goes and how long it still takes, each after a separator.
// It is empty before there is an estimate, which is before the first step of this start:
// steps of an earlier start took no time of this one. When all steps are done it says
// that results are being written, which takes seconds for a large run.
func pace(scenario *study.Scenario, progress *runner.Progress, elapsed time.Duration, separator string) string {
	if progress.Steps.Load() == jobs.Steps(scenario, progress.Part) {
		return separator + "writing the results"
	}
	speed, left, ok := progress.Left(jobs.Steps(scenario, progress.Part), elapsed)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s%.0f steps/s%s%s left", separator, speed, separator, left.Round(time.Second))
}

// every calls f at intervals on a goroutine of its own, until stop is called. stop
// returns when the goroutine has ended: after it nothing more is printed, so that
// progress cannot end up between the lines of the results.
func every(interval time.Duration, f func()) (stop func()) {
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				f()
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		group.Wait()
	}
}
