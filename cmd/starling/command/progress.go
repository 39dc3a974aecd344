package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// barRefresh and lineEvery are how often progress is shown: on a terminal often enough to
// look alive, in a log seldom enough not to fill it.
const (
	barRefresh = 100 * time.Millisecond
	lineEvery  = 5 * time.Second
)

// showProgress shows how far a run has come, until stop is called: as a bar on
// a terminal, as a line every few seconds elsewhere.
func showProgress(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	if file, ok := w.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		return showBar(w, scenario, progress)
	}
	return showLines(w, scenario, progress)
}

// showBar shows a bar on a terminal: runs done, percentage, speed, and the time that is
// left.
func showBar(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	container := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(barRefresh))
	jobs, began := runner.Jobs(scenario), time.Now()
	bar := container.AddBar(runner.Steps(scenario),
		mpb.PrependDecorators(
			decor.Name(scenario.Name+" "),
			decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%d/%d runs ", progress.Jobs.Load(), jobs) }),
		),
		mpb.AppendDecorators(
			decor.Percentage(),
			decor.Any(func(decor.Statistics) string { return pace(scenario, progress, time.Since(began), "  ") }),
		),
	)
	end := every(barRefresh, func() { bar.SetCurrent(progress.Steps.Load()) })
	return func() {
		end()
		if done := progress.Steps.Load(); done == runner.Steps(scenario) {
			bar.SetCurrent(done)
		} else {
			bar.Abort(true) // failed, or there was nothing to run
		}
		container.Wait()
	}
}

// showLines prints a line every few seconds, for logs.
func showLines(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	began := time.Now()
	return every(lineEvery, func() {
		done, all := progress.Steps.Load(), runner.Steps(scenario)
		line := fmt.Sprintf("%s: %d/%d runs, %.0f%%", scenario.Name, progress.Jobs.Load(), runner.Jobs(scenario), 100*float64(done)/float64(all))
		line += pace(scenario, progress, time.Since(began), ", ")
		fmt.Fprintln(w, line)
	})
}

// pace says how fast a run goes and how long it still takes, each after a
// separator; nothing before there is an estimate.
func pace(scenario *study.Scenario, progress *runner.Progress, elapsed time.Duration, separator string) string {
	if progress.Steps.Load() == runner.Steps(scenario) {
		return separator + "writing the results"
	}
	speed, left, ok := progress.Left(runner.Steps(scenario), elapsed)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s%.0f steps/s%s%s left", separator, speed, separator, left.Round(time.Second))
}

// every calls f at intervals on a goroutine of its own, until stop returns.
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
