package observatory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/forecast"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/study/arms"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Issue is a fault at one place. File is empty for the text itself. Line is 0 for a fault
// without a place.
type Issue struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	// Follows is true where the fault may follow from another.
	Follows bool `json:"follows,omitempty"`

	fault document.Fault
}

// Checked is the result of the check of a text.
type Checked struct {
	// Issues are all faults, in the order of their places. A text without faults can run.
	Issues []Issue `json:"issues"`
	// The name, arms, seeds and remarks of a text without faults.
	Name    string   `json:"name,omitempty"`
	Arms    []string `json:"arms,omitempty"`
	Seeds   int      `json:"seeds,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
}

// textName is the name of the text in positions.
const textName = "this text"

// check lists the faults of a text. The error names an obstacle to the check itself. As soon
// as the context is done, it is the context's error.
func (b *Bench) check(ctx context.Context, text string) (*Checked, error) {
	s, issues, err := b.load(ctx, text, showing)
	c := &Checked{Issues: issues}
	if err != nil || len(issues) > 0 {
		return c, err
	}
	c.Name, c.Seeds = s.Name, s.Seeds.Count
	for _, arm := range s.Arms {
		c.Arms = append(c.Arms, arm.Name)
	}
	c.Remarks = remarksOf(s)
	return c, nil
}

// remarksOf returns remarks on a scenario for its author, before it is run.
func remarksOf(s *study.Scenario) []string {
	list := []string{}
	if file := s.Folder.Withheld; file != "" {
		list = append(list, fmt.Sprintf("%s is not run while the text is checked, for the text may be of somebody else: Run runs it, and then reports its faults.", file))
	}
	return append(list, view.RemarkLines(s, loading.Remarks(s))...)
}

// load reads a text with all checks that a run makes before its first step, and the checks of
// 'starling validate'. As soon as the context is done it returns the context's error. Its work
// then ends by itself, at the next check of the context. Until then it counts among the few
// texts that are loaded at a time, for each can take gigabytes.
func (b *Bench) load(ctx context.Context, text string, code code) (*study.Scenario, []Issue, error) {
	if err := inSize(text); err != nil {
		return nil, nil, err
	}
	select {
	case b.loads <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	type loaded struct {
		s   *study.Scenario
		err error
	}
	done := make(chan loaded, 1)
	go func() {
		defer func() { <-b.loads }()
		s, err := b.judge(ctx, text, code)
		done <- loaded{s, err}
	}()
	select {
	case l := <-done:
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		return l.s, issuesOf(l.err), nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// code selects whether code that a text names is run. A text can come from another person's
// run, and it is checked as soon as it is on the page. The code is run only on the order to
// run the text.
type code bool

const (
	showing code = false
	running code = true
)

// judged returns the scenario of a text, or its faults as an error.
func (b *Bench) judged(ctx context.Context, text string, code code) (*study.Scenario, error) {
	loader := b.options.Loader
	loader.Context, loader.Showing = ctx, code == showing
	s, err := loader.LoadText(textName, []byte(text))
	if err == nil {
		err = arms.CheckGraphs(ctx, s, true)
	}
	return s, err
}

// issuesOf returns the faults in an error.
func issuesOf(err error) []Issue {
	list := []Issue{}
	var placed document.Issues
	switch {
	case err == nil:
	case errors.As(err, &placed):
		for _, i := range placed.Sorted() {
			at := Issue{File: i.Position.File, Line: i.Position.Line, Column: i.Position.Column, Path: i.Path, Message: i.Message, fault: i.Fault}
			if at.File == textName {
				at.File = ""
			}
			list = append(list, at)
		}
	default:
		list = append(list, Issue{Message: strings.TrimSpace(err.Error())})
	}
	return ordered(list)
}

// Forecast holds the expected cost and privacy loss of a run of a text.
type Forecast struct {
	// Issues are faults of the text; the rest is empty then.
	Issues []Issue `json:"issues"`
	// ID is the ID of the run: its path from the folder of results, with forward slashes.
	ID string `json:"id"`
	// Complete is true if the results exist. Busy is true if a process is at work on them.
	Complete bool `json:"complete"`
	Busy     bool `json:"busy"`
	// Runs is the number of all jobs. There is the number of those that exist already, made by
	// this run or others.
	Runs  int   `json:"runs"`
	There int   `json:"there"`
	Steps int64 `json:"steps"`
	// Time is the time of the whole run in seconds, and Processor the time of all cores
	// together.
	Time      float64 `json:"time"`
	Processor float64 `json:"processor"`
	Cores     int     `json:"cores"`
	Workers   int     `json:"workers"`
	Bytes     int64   `json:"bytes"`
	// Seeds are the first and the last.
	Seeds   [2]uint64     `json:"seeds"`
	Arms    []ArmForecast `json:"arms"`
	Remarks []string      `json:"remarks"`
}

// ArmForecast is the share of one arm.
type ArmForecast struct {
	Name      string  `json:"name"`
	Label     string  `json:"label"` // the name for readers
	Steps     int     `json:"steps"`
	Time      float64 `json:"time"`
	Bytes     int64   `json:"bytes"`
	Claimed   string  `json:"claimed"`
	Accounted string  `json:"accounted"`
	// Epsilon is the accounted loss at Delta, where Accounted states it otherwise; absent elsewhere.
	Epsilon  float64 `json:"epsilon,omitempty"`
	Delta    float64 `json:"delta,omitempty"`
	Relation string  `json:"relation"`
}

// forecast returns the expected cost of a run of a text, as 'starling run --dry-run' does,
// until the context is done.
func (b *Bench) forecast(ctx context.Context, text string) (*Forecast, error) {
	s, issues, err := b.load(ctx, text, showing)
	f := &Forecast{Issues: issues, Arms: []ArmForecast{}, Remarks: []string{}}
	if err != nil || len(issues) > 0 {
		return f, err
	}
	if file := s.Folder.Withheld; file != "" {
		return nil, document.BadInput(fmt.Errorf("the time and memory of a run are not known before: %s would have to be run. 'starling run --dry-run' does so", file))
	}
	options := b.run()
	dir := runner.Dir(s, options)
	if f.ID, err = b.idOf(dir); err != nil {
		return nil, err
	}
	if f.Complete, err = results.IsComplete(dir); err != nil {
		return nil, err
	}
	f.Busy = results.Claimed(dir)
	missing, err := runner.Missing(s, options)
	if err != nil {
		return nil, err
	}
	settings := options.Forecast()
	settings.Jobs = missing
	e, err := forecast.Of(s, ctx, settings)
	if err != nil {
		return nil, err
	}
	f.Runs = len(options.Part.Of(s))
	f.There, f.Steps = f.Runs-e.Jobs, e.Steps
	f.Time, f.Processor, f.Cores, f.Workers, f.Bytes = e.Time.Seconds(), e.Processor.Seconds(), e.Cores, e.Workers, e.Bytes
	f.Seeds = [2]uint64{s.Seeds.Base, s.Seeds.Base + uint64(s.Seeds.Count) - 1}
	labels := plot.ArmLabels(plot.Arms(s))
	for _, a := range e.Arms {
		f.Arms = append(f.Arms, ArmForecast{a.Name, labels[a.Name], a.Steps, a.JobTime.Seconds(), a.JobBytes, a.Claimed, a.Accounted, a.Epsilon, a.Delta, a.Relation})
	}
	f.Remarks = remarksOf(s)
	return f, nil
}

// run returns the command's default settings of a run.
func (b *Bench) run() runner.RunOptions {
	return runner.RunOptions{Out: b.out, Engine: runner.Actors, Theory: study.Brief, Memory: b.options.Memory, Build: b.options.Build}
}

// idOf returns the ID of the run in a folder.
func (b *Bench) idOf(dir string) (string, error) {
	id, err := filepath.Rel(b.out, dir)
	return filepath.ToSlash(id), err
}
