package shell

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"starling/scenarios/jobs"
	"starling/scenarios/limits"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// BarRefresh and LineEvery are the intervals at which progress is shown: on a terminal short
// enough to look alive, in a log long enough not to fill it.
const (
	BarRefresh = 100 * time.Millisecond
	LineEvery  = 5 * time.Second
)

// The forms of progress.
const (
	ProgressAuto = "auto" // a bar or lines
	ProgressJSON = "json" // a line of JSON each time
	ProgressNone = "none"
)

// AddProgress adds --progress to a verb that runs scenarios, and returns its value.
func AddProgress(cmd *cobra.Command) (chosen func() string) {
	f := &form{ProgressAuto, []string{ProgressAuto, ProgressJSON, ProgressNone}}
	cmd.Flags().Var(f, "progress", `how progress is shown on standard error: auto, a bar on a terminal and else lines; json, lines of {"scenario", "runs", "of_runs", "steps", "of_steps", "seconds_left", "folder"}; or none`)
	return f.String
}

// ShowProgress shows the progress of a run, until stop is called. On a terminal it is a bar
// that changes in place; elsewhere, as in the log of a cluster, a line every few seconds. It
// reads counters that the workers of the run add to and asks nothing of the run itself, so
// that progress cannot change the results.
func ShowProgress(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	if file, ok := w.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		return showBar(w, scenario, progress)
	}
	return showLines(w, scenario, progress)
}

// EventEvery is the interval at which progress is reported to a program.
const EventEvery = 200 * time.Millisecond

// event is the progress of a run, for a program.
type event struct {
	Scenario string `json:"scenario"`
	Runs     int64  `json:"runs"`
	OfRuns   int    `json:"of_runs"`
	Steps    int64  `json:"steps"`
	OfSteps  int64  `json:"of_steps"`
	// SecondsLeft is null before there is an estimate.
	SecondsLeft *float64 `json:"seconds_left"`
	// Folder has progress.json, with the metrics so far; "" before there is one.
	Folder string `json:"folder"`
}

// ShowEvents prints the progress of a run as a line of JSON, at once, every EventEvery and
// when stop is called.
func ShowEvents(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	began, encoder := time.Now(), json.NewEncoder(w)
	show := func() {
		all := jobs.Steps(scenario, progress.Part)
		e := event{
			Scenario: scenario.Name, Folder: progress.Folder(), Runs: progress.Jobs.Load(), OfRuns: len(progress.Part.Of(scenario)),
			Steps: progress.Steps.Load(), OfSteps: all,
		}
		if _, left, ok := progress.Left(all, time.Since(began)); ok {
			seconds := left.Seconds()
			e.SecondsLeft = &seconds
		}
		encoder.Encode(e) // the run goes on if nothing reads it
	}
	show()
	end := every(EventEvery, show)
	return func() {
		end()
		show()
	}
}

// barAfter is the time after which a bar is shown of a run without a step so far.
const barAfter = 2 * time.Second

// showBar shows a bar on a terminal: runs done, percentage, steps a second, and the time
// that is left. Its length counts steps of all runs and not runs: one long run would show
// no progress. Results that are there already are read without a bar: it begins with the first step.
func showBar(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	began := time.Now()
	var container *mpb.Progress
	var bar *mpb.Bar
	end := every(BarRefresh, func() {
		if bar == nil && progress.Steps.Load() == 0 && time.Since(began) < barAfter {
			return
		}
		if bar == nil {
			container, bar = newBar(w, scenario, progress, began)
		}
		bar.SetCurrent(progress.Steps.Load())
	})
	return func() {
		end()
		if bar == nil {
			return
		}
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

// newBar returns the bar of a run that began at a time.
func newBar(w io.Writer, scenario *study.Scenario, progress *runner.Progress, began time.Time) (*mpb.Progress, *mpb.Bar) {
	container := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(BarRefresh))
	count := len(progress.Part.Of(scenario))
	return container, container.AddBar(jobs.Steps(scenario, progress.Part),
		mpb.PrependDecorators(
			decor.Name(scenario.Name+" "),
			decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%d/%d runs ", progress.Jobs.Load(), count) }),
		),
		mpb.AppendDecorators(
			decor.Percentage(),
			decor.Any(func(decor.Statistics) string { return pace(scenario, progress, time.Since(began), "  ") }),
		),
	)
}

// showLines prints a line every few seconds, for logs. A run that takes less prints none.
func showLines(w io.Writer, scenario *study.Scenario, progress *runner.Progress) (stop func()) {
	began := time.Now()
	return seldom(scenario.Board, func() {
		done, all := progress.Steps.Load(), jobs.Steps(scenario, progress.Part)
		line := fmt.Sprintf("%s: %d/%d runs, %.0f%%", scenario.Name, progress.Jobs.Load(), len(progress.Part.Of(scenario)), 100*float64(done)/float64(all))
		line += pace(scenario, progress, time.Since(began), ", ")
		fmt.Fprintln(w, line)
	})
}

// pace returns the speed of a run and the time that it still takes, each after a separator,
// and the work that runs wait for before their first steps. There is no estimate before the
// first step of this start: steps of an earlier start took no time of this one. When all steps
// are done it states that results are being written, which takes seconds for a large run.
func pace(scenario *study.Scenario, progress *runner.Progress, elapsed time.Duration, separator string) string {
	if progress.Steps.Load() == jobs.Steps(scenario, progress.Part) {
		return separator + "writing the results"
	}
	speed, left, ok := progress.Left(jobs.Steps(scenario, progress.Part), elapsed)
	text := ""
	if ok {
		text = fmt.Sprintf("%s%.0f steps/s%s%s left", separator, speed, separator, left.Round(time.Second))
	}
	if work := scenario.Board.Text(); work != "" {
		text += separator + work
	}
	return text
}

// firstLine is the time after which a log names the work that runs wait for. From then on it
// has a line of progress every LineEvery.
const firstLine = 2 * time.Second

// seldom calls f every LineEvery, and once before, after firstLine, if a board has something
// to say then.
func seldom(board *limits.Board, f func()) (stop func()) {
	const tick = 500 * time.Millisecond
	ticks := time.Duration(0)
	return every(tick, func() {
		ticks++
		if at := ticks * tick; at%LineEvery == 0 || at == firstLine && board.Text() != "" {
			f()
		}
	})
}

// ShowWork shows the work of a verb without runs, and its progress, until stop is called: on a
// terminal as a line that changes, and elsewhere as a line every few seconds. Short work is
// not shown. Nothing is shown to programs that read errors as JSON or ask for quiet.
func ShowWork(cmd *cobra.Command, board *limits.Board) (stop func()) {
	for name, value := range map[string]string{ErrorsFlag: "json", "quiet": "true"} {
		if flag := cmd.Flag(name); flag != nil && flag.Value.String() == value {
			return func() {}
		}
	}
	w := cmd.ErrOrStderr()
	if file, ok := w.(*os.File); !ok || !isatty.IsTerminal(file.Fd()) {
		return seldom(board, func() {
			if text := board.Text(); text != "" {
				fmt.Fprintln(w, text)
			}
		})
	}
	shown, width := false, WidthOf(w)
	end := every(BarRefresh, func() {
		text := board.Text()
		if shown || text != "" {
			shown = true
			fmt.Fprint(w, "\r\x1b[K"+Cut(text, width-1))
		}
	})
	return func() {
		end()
		if shown {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
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
