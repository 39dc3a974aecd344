package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// endless is a run that goes on until somebody ends it. It announces when it is
// under way; quit is the way out should cancelling not work.
type endless struct {
	spec     *algorithm.Run
	underWay chan struct{}
	quit     atomic.Bool
}

func newEndless(graphs topology.Sequence, n int) *endless {
	e := &endless{underWay: make(chan struct{})}
	s := &runtimetest.Scenario{Nodes: n, Steps: 1 << 30, Graphs: graphs}
	e.spec, _ = s.Run()
	e.spec.Meter = runtimetest.Silent{}
	for i := range e.spec.Machines {
		turns := 0
		e.spec.Machines[i] = script(func(t *algorithm.Turn) error {
			if turns++; turns == 20 && i == 0 {
				close(e.underWay)
			}
			if e.quit.Load() {
				return errors.New("let go by the test")
			}
			return t.BroadcastRaw(t.Vector(2))
		})
	}
	return e
}

var errCancelled = errors.New("changed my mind")

// run starts the run, cancels it once it is under way and returns what Run
// returned after the cancelling; it fails the test if that takes too long.
func (e *endless) run(t *testing.T, host *engine.Host, options engine.Options) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	result := make(chan error, 1)
	go func() { result <- host.Run(ctx, e.spec, options) }()
	select {
	case <-e.underWay:
	case <-time.After(patience):
		t.Fatal("the run did not get under way")
	}
	cancel(errCancelled)
	select {
	case err := <-result:
		if err != errCancelled {
			t.Errorf("%+v: error %v, want the cause", options, err)
		}
	case <-time.After(patience / 4):
		t.Errorf("%+v: still running %v after it was cancelled", options, patience/4)
		e.quit.Store(true)
		<-result
	}
}

func TestCancelReturnsTheCause(t *testing.T) {
	for _, workers := range []int{1, 4} {
		host := newHost(t, workers)
		for name, graphs := range runtimetest.Graphs(8) {
			for _, shards := range []int{2, 8} {
				t.Run(fmt.Sprintf("%s, shards=%d, workers=%d", name, shards, workers), func(t *testing.T) {
					newEndless(graphs, 8).run(t, host, engine.Options{Shards: shards})
				})
			}
		}
	}
}

// One shard with a short period runs without a word to or from anybody: its
// strand is never idle.
func TestCancelOfOneShard(t *testing.T) {
	for _, workers := range []int{1, 4} {
		host := newHost(t, workers)
		for name, graphs := range runtimetest.Graphs(8) {
			t.Run(fmt.Sprintf("%s, workers=%d", name, workers), func(t *testing.T) {
				newEndless(graphs, 8).run(t, host, engine.Options{Shards: 1})
			})
		}
	}
}

// A run of participants that have all ended their part is ended all the same.
func TestCancelOfAnIdleRun(t *testing.T) {
	host := newHost(t, 2)
	for _, shards := range []int{1, 4} {
		stopped := make(chan struct{})
		e := newEndless(runtimetest.Graphs(4)["complete"], 4)
		e.spec.Steps = math.MaxInt32
		for i := range e.spec.Machines {
			e.spec.Machines[i] = script(func(t *algorithm.Turn) error {
				t.Stop("done")
				if i == 3 {
					close(stopped)
				}
				return nil
			})
		}
		e.underWay = stopped
		e.run(t, host, engine.Options{Shards: shards})
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	host := newHost(t, 4)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errCancelled)
	s := &runtimetest.Scenario{Nodes: 1, Steps: 1, Graphs: runtimetest.Graphs(1)["self-loops"]}
	for range 200 {
		spec, meter := s.Run()
		if err := host.Run(ctx, spec, engine.Options{}); err != errCancelled {
			t.Fatalf("error %v, want the cause", err)
		}
		if spec, _ := s.Run(); lockstep.Run(ctx, spec) != errCancelled {
			t.Fatal("lockstep went on")
		}
		if len(meter.Books[0]) != 0 {
			t.Fatalf("a machine was stepped: %q", meter.Books[0])
		}
	}
}

// Cancelled at any moment a run either finishes as it would have or returns the
// cause, and the next one is not touched.
func TestCancelAtAnyMoment(t *testing.T) {
	host := newHost(t, 4)
	graphs := runtimetest.Graphs(10)
	for k, name := range []string{"complete", "redrawn every step", "two halves", "star"} {
		s := &runtimetest.Scenario{Nodes: 10, Steps: 20, Graphs: graphs[name]}
		want := s.Execute(sequential)
		for i := range 40 {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Duration(i*25)*time.Microsecond, func() { cancel(errCancelled) })
			got := s.Execute(func(r *algorithm.Run) error {
				return host.Run(ctx, r, engine.Options{Shards: 1 + k})
			})
			if got.Failure != "" && got.Failure != errCancelled.Error() {
				t.Fatalf("%s: %q", name, got.Failure)
			}
			if got.Failure == "" {
				if diff := runtimetest.Diff(want, got); diff != "" {
					t.Fatalf("%s (-lockstep +actors):\n%s", name, diff)
				}
			}
			cancel(nil)
		}
		if diff := runtimetest.Diff(want, s.Execute(on(host, engine.Options{Shards: 1 + k}))); diff != "" {
			t.Fatalf("%s after cancelled runs (-lockstep +actors):\n%s", name, diff)
		}
	}
}

// A run that is cancelled before the first failure is settled returns the cause
// or the first failure, never one that an earlier one may yet precede.
func TestCancelledRunDoesNotReportALaterFailureAsTheFirst(t *testing.T) {
	host := newHost(t, 4)
	// Node 1 fails in turn 3; node 8, in a shard that node 1 never hears of,
	// would fail in turn 1 but is held up until the run is cancelled.
	for range 50 {
		ctx, cancel := context.WithCancelCause(context.Background())
		release := make(chan struct{})
		s := &runtimetest.Scenario{Nodes: 8, Steps: 10, Graphs: runtimetest.Graphs(8)["edgeless"]}
		s.Fail = func(node messages.NodeID, turn *algorithm.Turn) error {
			switch {
			case node == 0 && turn.Step == 3:
				time.AfterFunc(5*time.Millisecond, func() {
					cancel(errCancelled)
					time.Sleep(time.Millisecond)
					close(release)
				})
				return errMachine
			case node == 7 && turn.Step == 1:
				<-release
				return errMachine
			}
			return nil
		}
		got := s.Execute(func(r *algorithm.Run) error { return host.Run(ctx, r, engine.Options{Shards: 8, Lookahead: 5}) })
		first := "turn 1, step 1, hop 0, node 7, label 8: step 1, node 8: no descent"
		if got.Failure != errCancelled.Error() && got.Failure != first {
			t.Fatalf("got %q, want the cause or %q", got.Failure, first)
		}
		cancel(nil)
	}
}
