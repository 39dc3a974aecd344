package runner_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// signaled is like the cause of a context that a signal has ended.
type signaled struct{}

func (signaled) Error() string        { return "a signal has come" }
func (signaled) Is(target error) bool { return target == context.Canceled }

// TestProgressFile follows runs by the file that they write: interrupted, resumed, complete,
// and in parts.
func TestProgressFile(t *testing.T) {
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base, "checkpoint.every=5", "seeds.count=4", "horizon=4000"))
	all, steps := int64(jobs.Count(s)), jobs.Steps(s, jobs.Share{})
	out := t.TempDir()
	options := runner.RunOptions{Out: out, Engine: runner.Lockstep, Build: "test"}
	dir := runner.Dir(s, options)

	// A run that is interrupted says so, with what it has done.
	ctx, cancel := context.WithCancelCause(t.Context())
	o := options
	o.Progress = &runner.Progress{}
	go func() {
		defer cancel(signaled{})
		for ctx.Err() == nil && o.Progress.Jobs.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := runner.Run(s, ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := read(t, dir)
	if first.State != live.Stopped || first.Runs.All != all || first.Runs.Done < 2 || first.Steps.All != steps || first.Steps.Done == 0 || first.Steps.Before != 0 || first.Elapsed <= 0 {
		t.Errorf("interrupted: %+v", first)
	}
	if first.Hash != filepath.Base(dir) || first.Scenario != s.Name || len(first.Arms) != len(s.Arms) || len(first.Curves) == 0 {
		t.Errorf("interrupted: %s %s, %d arms, %d curves", first.Scenario, first.Hash, len(first.Arms), len(first.Curves))
	}
	if len(first.Later) != 1 || first.Later[0] != gauge.RegretExpected {
		t.Errorf("interrupted: %q are to come", first.Later)
	}
	if r := runs.Of(dir); r.Status != runs.Waiting || r.Runs.Done != first.Runs.Done || r.Seeds.Count != 4 {
		t.Errorf("interrupted: %+v", r)
	}

	// A complete one has the file no more, and knows how long it took in all.
	o.Progress = &runner.Progress{}
	if _, err := runner.Run(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if r, err := live.Read(dir); r != nil || err != nil {
		t.Errorf("complete: %+v, %v", r, err)
	}
	if r := runs.Of(dir); r.Status != runs.Complete || r.Elapsed == nil || *r.Elapsed <= first.Elapsed {
		t.Errorf("complete: %+v after %v s before", r, first.Elapsed)
	}

	// A part says what it has done of its share, and stays.
	o = options
	o.Out, o.Part = t.TempDir(), jobs.Share{Part: 2, Parts: 2}
	if _, err := runner.RunPart(s, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	part := read(t, results.Part(runner.Dir(s, o), 2, 2))
	if part.State != live.Done || part.Part != "2/2" || part.Runs.Done != part.Runs.All || part.Steps.All != jobs.Steps(s, o.Part) || !strings.HasPrefix(part.Arms[0].Seeds, "-d") {
		t.Errorf("part: %+v", part)
	}
	if r := runs.Of(runner.Dir(s, o)); r.Status != runs.Waiting || r.Reason != "1 of 2 parts are done" || *r.Progress != 0.5 {
		t.Errorf("part: %+v", r)
	}
}

// read is what a run says of itself.
func read(t *testing.T, dir string) *live.Run {
	t.Helper()
	r, err := live.Read(dir)
	if err != nil || r == nil {
		t.Fatalf("%s: %v, %v", dir, r, err)
	}
	return r
}

// TestProgressOfFailure keeps why a run failed.
func TestProgressOfFailure(t *testing.T) {
	s := scenariotest.Undrawn(scenariotest.LoadText(t, scenariotest.Base))
	options := runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep, Build: "test", Elsewhere: broken{}}
	if _, err := runner.Run(s, t.Context(), options); err == nil {
		t.Fatal("it did not fail")
	}
	dir := runner.Dir(s, options)
	if r := read(t, dir); r.State != live.Failed || !strings.Contains(r.Error, "the cable is cut") {
		t.Errorf("%s: %s", r.State, r.Error)
	}
	if r := runs.Of(dir); r.Status != runs.Failed || !strings.Contains(r.Reason, "the cable is cut") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
}

// broken is a way to make jobs elsewhere that fails.
type broken struct{}

func (broken) Begin(context.Context, *study.Scenario) (int, error) { return 1, nil }
func (broken) Run(context.Context, int, runner.States, func(int)) ([]byte, string, error) {
	return nil, "", errors.New("the cable is cut")
}
