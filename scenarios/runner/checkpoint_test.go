package runner_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/checkpoint"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// manifestOf is the manifest of an outcome, which lists the SHA-256 of every
// data file.
func manifestOf(t *testing.T, o *runner.Outcome) results.Manifest {
	t.Helper()
	run, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return run.Manifest
}

// TestInterruptedRunsResume checks that a run that is ended again and again, at
// any step, and goes on under either runtime with any number of shards, leaves
// the files of one that was never interrupted. Quick tests take every second family.
func TestInterruptedRunsResume(t *testing.T) {
	scenarios := map[string]*study.Scenario{
		"large":             scenariotest.LoadText(t, scenariotest.Large, "checkpoint.every=3"),
		"base":              scenariotest.LoadText(t, scenariotest.Base, "checkpoint.every=5", "seeds.count=5"),
		"scores of nodes":   scenariotest.LoadText(t, scenariotest.Learning, "checkpoint.every=3", "measure={every: 2, by: node, metrics: [auc.roc, loss.log]}"),
		"scores of clients": scenariotest.LoadText(t, scenariotest.Learning, "checkpoint.every=3", "measure={every: 2, by: node, metrics: [auc.roc, loss.log]}", "problem={kind: synthetic-logistic, dimension: 4}", "algorithm={kind: dp-fedavg, learning_rate: 0.5, clip: 1, tau: 2, samples: 20}", "mechanism={kind: gaussian, epsilon: 2, delta: 1e-5}"),
		"windows":           scenariotest.LoadText(t, scenariotest.Base, "checkpoint.every=3", "measure={every: 4, window: true}"),
		// whose models are among the files
		"models": scenariotest.LoadText(t, scenariotest.Modelling, "checkpoint.every=1"),
	}
	kept := scenariotest.Families["dp-scaffold, cohort"] // states of clients that come again
	scenarios["kept"] = scenariotest.LoadText(t, kept[0], append(kept[1:len(kept):len(kept)], "checkpoint={every: 3}", "seeds.count=1")...)
	for i, name := range slices.Sorted(maps.Keys(scenariotest.Families)) {
		if text := scenariotest.Families[name]; testneeds.Some(i, 2) && !strings.Contains(name, ",") { // a variant
			scenarios[name] = scenariotest.LoadText(t, text[0], append(text[1:len(text):len(text)], "checkpoint={every: 3}")...)
		}
	}
	// Of the library, one of each kind of network, and of each family that keeps more where
	// it runs for longer.
	for _, name := range []string{"dpdonc-entropy", "ofl-exact-calibration", "svt-realizable", "ope-lower-bounds", "network-churn", "network-delay", "network-bandwidth", "network-push-sum", "network-dropout", "adversaries-mesh"} {
		scenarios[name] = scenariotest.Small(t, name, "checkpoint={every: 8}")
	}
	for name, s := range scenarios {
		s = scenariotest.Undrawn(s)
		t.Run(name, func(t *testing.T) {
			want := manifestOf(t, scenariotest.RunIn(t, s, runner.RunOptions{}))
			options := []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 1}, {Engine: runner.Actors, Shards: 3}, {Engine: runner.Actors}}
			out, resumed := t.TempDir(), 0
			for k := 0; ; k++ {
				o := options[k%len(options)]
				o.Out, o.Resume, o.Progress = out, k%2 == 0, &runner.Progress{}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(k)*300*time.Microsecond)
				outcome, err := runner.Run(s, ctx, o)
				cancel()
				if o.Progress.Steps.Load() > 0 {
					resumed++
				}
				if errors.Is(err, context.DeadlineExceeded) {
					continue
				}
				if err != nil {
					t.Fatalf("attempt %d: %v", k, err)
				}
				if !outcome.Resumed || resumed < 1 {
					t.Errorf("attempt %d: complete, resumed %v, %d attempts got anywhere", k, outcome.Resumed, resumed)
				}
				if diff := cmp.Diff(want, manifestOf(t, outcome)); diff != "" {
					t.Errorf("attempt %d (-straight +resumed):\n%s", k, diff)
				}
				if saved, err := checkpoint.Exists(results.Checkpoints(outcome.Dir)); saved || err != nil {
					t.Error("the checkpoints are left")
				}
				return
			}
		})
	}
}

// long is so long that it can be interrupted.
func long(t *testing.T, overrides ...string) *study.Scenario {
	t.Helper()
	return scenariotest.LoadText(t, scenariotest.Base, append([]string{"horizon=1500", "seeds.count=80", "measure.every=500", "checkpoint.every=300"}, overrides...)...)
}

// interrupted leaves an unfinished run, with finished jobs and a saved state,
// and returns its folder and the state's file.
func interrupted(t *testing.T, s *study.Scenario, options runner.RunOptions) (dir, state string) {
	t.Helper()
	dir = filepath.Join(options.Out, s.Name, runner.Hash(s, options.Build))
	saved := func() []string {
		states, err := filepath.Glob(filepath.Join(results.Checkpoints(dir), "*.state"))
		if err != nil {
			t.Fatal(err)
		}
		return states
	}
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		options.Progress = &runner.Progress{}
		var group sync.WaitGroup
		group.Go(func() {
			for ctx.Err() == nil && (options.Progress.Jobs.Load() < 3 || len(saved()) == 0) {
				time.Sleep(time.Millisecond)
			}
			cancel()
		})
		_, err := runner.Run(s, ctx, options)
		cancel()
		group.Wait()
		if err == nil { // it was done before anybody could end it
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the run ended with %v", err)
		}
		if states := saved(); len(states) > 0 {
			return dir, states[0]
		}
	}
	t.Fatal("no state was left in 20 attempts")
	return "", ""
}

// TestProgressAfterResume checks that what an earlier start has done is counted
// apart, so that it does not make the rest look faster than it is.
func TestProgressAfterResume(t *testing.T) {
	for _, engine := range []runner.Engine{runner.Lockstep, runner.Actors} {
		s := long(t)
		options := runner.RunOptions{Engine: engine, Out: t.TempDir()}
		interrupted(t, s, options)
		options.Progress = &runner.Progress{}
		scenariotest.RunIn(t, s, options)
		p := options.Progress
		// 3 finished jobs, and a state that was saved on the way, at least.
		if before := p.Before.Load(); before < 3*1500+300 || before >= jobs.Steps(s, jobs.Share{}) || before%300 != 0 {
			t.Errorf("%s: %d steps were done before, want some of %d, in states of 300", engine, before, jobs.Steps(s, jobs.Share{}))
		}
		if got := p.Steps.Load(); got != jobs.Steps(s, jobs.Share{}) {
			t.Errorf("%s: ended at %d steps of %d", engine, got, jobs.Steps(s, jobs.Share{}))
		}
	}
}

// TestTimeLeft checks the estimate: 900 of 1,000 steps were there, 50 took a
// second, and the other 50 take one more.
func TestTimeLeft(t *testing.T) {
	var p runner.Progress
	p.Before.Store(900)
	p.Steps.Store(900)
	if _, _, ok := p.Left(1000, time.Second); ok {
		t.Error("an estimate before the first step")
	}
	p.Steps.Store(950)
	if speed, left, ok := p.Left(1000, time.Second); !ok || speed != 50 || left != time.Second {
		t.Errorf("%v steps/s, %v left, %v; want 50 and a second", speed, left, ok)
	}
}

func TestForeignCheckpointsAreRefused(t *testing.T) {
	options := runner.RunOptions{Engine: runner.Lockstep, Build: "amd64-1", Out: t.TempDir()}
	interrupted(t, long(t), options)
	tests := []struct {
		name, set, build, want string
	}{
		{"another build", "measure.every=500", "amd64-2", "another build began it: amd64-1; this is amd64-2"},
		{"another scenario", "mechanism.epsilon=2", "amd64-1", `was "epsilon: 1" and is "epsilon: 2"`},
	}
	for _, test := range tests {
		s := long(t, test.set)
		o := options
		o.Build, o.Resume = test.build, true
		_, err := runner.Run(s, t.Context(), o)
		var input *document.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	// How often states are saved makes no other run.
	again := long(t, "checkpoint.every=700")
	o := options
	o.Resume = true
	if outcome, err := runner.Run(again, t.Context(), o); err != nil || !outcome.Resumed {
		t.Errorf("with other checkpoints: %v", err)
	}
}

// TestResumeWithOtherArithmetic checks that a run that another processor began
// does not go on with other bits, nor is it silent about that elsewhere.
func TestResumeWithOtherArithmetic(t *testing.T) {
	s := long(t)
	options := runner.RunOptions{Engine: runner.Lockstep, Build: "amd64-1", Out: t.TempDir()}
	dir, _ := interrupted(t, s, options)
	file := filepath.Join(results.Checkpoints(dir), "identity.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), results.Arithmetic(), "0123456789abcdef", 1)
	if changed == string(text) {
		t.Fatalf("no arithmetic in %s", text)
	}
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "begun with arithmetic 0123456789abcdef, and this process has "+results.Arithmetic()) ||
		!strings.Contains(err.Error(), "--again starts over") {
		t.Errorf("same build: %v", err)
	}
	options.Build, options.Resume = "amd64-2", true
	if _, err = runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "begun with other arithmetic, too: 0123456789abcdef, and this is "+results.Arithmetic()) {
		t.Errorf("another build: %v", err)
	}
}

// TestDamagedCheckpoints checks that what cannot be trusted is refused with its
// name and cause, and that a run can begin anew all the same.
func TestDamagedCheckpoints(t *testing.T) {
	s := long(t)
	tests := []struct {
		name, file, want string
		damage           func(text []byte) []byte
	}{
		{"a state cut short", "*.state", "is damaged", func(text []byte) []byte { return text[:len(text)-5] }},
		{"an empty state", "*.state", "is cut short", func([]byte) []byte { return nil }},
		{"a flipped bit", "*.state", "is damaged", func(text []byte) []byte { text[100] ^= 4; return text }},
		{"a changed journal", "finished.journal", "is damaged at byte 0", func(text []byte) []byte { text[40] ^= 4; return text }},
		{"no identity", "identity.json", "identity.json", func([]byte) []byte { return []byte("{") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}
			dir, file := interrupted(t, s, options)
			if test.file != "*.state" {
				file = filepath.Join(results.Checkpoints(dir), test.file)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, test.damage(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--again") {
				t.Errorf("%v, want %q and what to do", err, test.want)
			}
			options.Again = true
			if outcome := scenariotest.RunIn(t, s, options); outcome.Resumed {
				t.Error("a run that began anew says that it was resumed")
			}
		})
	}
}

// TestJournalCutShortResumes checks that a record that was being written when
// the process ended costs its own job only.
func TestJournalCutShortResumes(t *testing.T) {
	s := long(t)
	want := manifestOf(t, scenariotest.RunIn(t, s, runner.RunOptions{}))
	options := runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}
	dir, _ := interrupted(t, s, options)
	file := filepath.Join(results.Checkpoints(dir), "finished.journal")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()-9); err != nil {
		t.Fatal(err)
	}
	outcome := scenariotest.RunIn(t, s, options)
	if diff := cmp.Diff(want, manifestOf(t, outcome)); diff != "" || !outcome.Resumed {
		t.Errorf("resumed %v (-straight +resumed):\n%s", outcome.Resumed, diff)
	}
	if want := file + " is cut short: of its last record"; len(outcome.Warnings) != 1 || !strings.HasPrefix(outcome.Warnings[0], want) {
		t.Errorf("warnings %q, want %q", outcome.Warnings, want)
	}
}
