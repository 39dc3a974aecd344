package workers_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"starling/actors/remote"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/workers"
)

// one is a run of one job that takes a while and saves its state again and again.
var one = []string{"seeds.count=1", "horizon=60000", "measure={every: 60000}", "checkpoint={every: 500}"}

// awaitState waits until a run in a folder has a state of a job, and goes on for a while.
func awaitState(t *testing.T, out string) {
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(out, "*", "*", "checkpoints", "*.state")); len(found) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Error("no state is saved")
			return
		}
	}
}

// resumedBy checks that a worker went on with a job from a state.
func resumedBy(t *testing.T, w *started) {
	t.Helper()
	if !strings.Contains(w.said.String(), `"message":"resumed"`) {
		t.Errorf("the worker has gone on from no state:\n%s", w.said)
	}
}

// A job whose worker is killed in the middle goes on from its last state on the next, which
// shares no folder with anybody.
func TestJobGoesOn(t *testing.T) {
	t.Parallel()
	a := start(t, settings{})
	file, overrides, load := write(t, scenariotest.Base, one...)
	p, told := pool(t, file, workers.Options{Overrides: overrides, Patience: time.Minute}, a.address)
	o := options(t, p)
	var b *started
	var group sync.WaitGroup
	group.Go(func() {
		awaitState(t, o.Out)
		a.Process.Kill()
		a.Wait()
		b = start(t, settings{Listen: a.address})
	})
	got, err := runner.Run(load(), t.Context(), o)
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	resumedBy(t, b)
	if !strings.Contains(told.String(), "from its last state") {
		t.Errorf("the user is told %q", told)
	}
	asOneProcess(t, load, got)
}

// A run whose coordinator ended goes on from the states that its workers had sent, with other
// workers or with none.
func TestCoordinatorGoesOn(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"worker": false, "none": true} {
		t.Run(name, func(t *testing.T) {
			file, overrides, load := write(t, scenariotest.Base, one...)
			ctx, cancel := context.WithCancel(t.Context())
			dead, _ := pool(t, file, workers.Options{Overrides: overrides}, start(t, settings{}).address)
			first := options(t, dead)
			var group sync.WaitGroup
			group.Go(func() { awaitState(t, first.Out); cancel() })
			if _, err := runner.Run(load(), ctx, first); err == nil {
				t.Fatal("the run was over before it was ended")
			}
			group.Wait()
			dead.Close()
			w := start(t, settings{})
			p, _ := pool(t, file, workers.Options{Overrides: overrides}, w.address)
			again := options(t, p)
			if again.Out = first.Out; own {
				again.Elsewhere = nil
			}
			got, err := runner.Run(load(), t.Context(), again)
			if err != nil {
				t.Fatal(err)
			}
			if !own {
				resumedBy(t, w)
			} else if again.Progress.Before.Load() == 0 {
				t.Error("the run has begun anew")
			}
			asOneProcess(t, load, got)
		})
	}
}

// TestStatesThatAreNone has a worker send states that are cut short, of jobs that it does not
// have, or that mean nothing: a state counts when it is whole.
func TestStatesThatAreNone(t *testing.T) {
	t.Parallel()
	state := func(l *remote.Link, index int64, last bool) {
		say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_State{State: &workers.State{Index: index, Bytes: []byte("nonsense"), Last: last}}})
	}
	for name, test := range map[string]struct {
		answer func(l *remote.Link, index int64)
		want   string
		saved  int
	}{
		"cut short": {func(l *remote.Link, index int64) {
			state(l, index, false)
			l.Close("gone")
		}, "was lost with 3 workers", 0},
		"ends with the job": {func(l *remote.Link, index int64) {
			state(l, index, false)
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: index, Reason: []byte("out of luck")}}})
		}, "out of luck", 0},
		"of no job": {func(l *remote.Link, index int64) {
			state(l, -1, true)
			state(l, 1<<40, true)
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: index, Reason: []byte("out of luck")}}})
		}, "out of luck", 0},
		"whole": {func(l *remote.Link, index int64) {
			state(l, index, false)
			state(l, index, true)
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: index, Reason: []byte("out of luck")}}})
		}, "out of luck", 1},
	} {
		t.Run(name, func(t *testing.T) {
			address := impostor(t, func(l *remote.Link, m *workers.ToWorker) {
				if m.GetStudy() != nil {
					sayReady(l)
				} else if job := m.GetJob(); job != nil {
					test.answer(l, job.Index)
				}
			})
			file, overrides, load := write(t, scenariotest.Base, "seeds.count=1")
			p, _ := pool(t, file, workers.Options{Overrides: overrides, Patience: 3 * time.Second}, address)
			o := options(t, p)
			_, err := runner.Run(load(), t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error that says %q", err, test.want)
			}
			found, _ := filepath.Glob(filepath.Join(o.Out, "*", "*", "checkpoints", "*.state*"))
			if len(found) != test.saved {
				t.Errorf("there are %q, want %d", found, test.saved)
			}
			for _, path := range found {
				if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "nonsensenonsense") {
					t.Errorf("%s has %q, %v", path, text, err)
				}
			}
		})
	}
}

// A worker gets a job ahead while jobs are left for all cores, and the last jobs go where
// there is a core for them.
func TestJobsAhead(t *testing.T) {
	t.Parallel()
	for jobs, want := range map[string]int{"8": 2, "1": 1} {
		t.Run(jobs+" jobs", func(t *testing.T) {
			var mu sync.Mutex
			given := 0
			address := impostor(t, func(l *remote.Link, m *workers.ToWorker) {
				if m.GetStudy() != nil {
					sayReady(l)
					return
				}
				mu.Lock()
				given++
				mu.Unlock()
			})
			file, overrides, load := write(t, scenariotest.Base, "seeds.count="+jobs)
			p, _ := pool(t, file, workers.Options{Overrides: overrides, Stall: time.Second}, address)
			if _, err := runner.Run(load(), t.Context(), options(t, p)); err == nil || !strings.Contains(err.Error(), "has made no step") {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if given != want {
				t.Errorf("the worker has %d jobs at a time, want %d", given, want)
			}
		})
	}
}
