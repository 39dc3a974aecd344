package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/internal/runtimetest"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/messages"
)

// failureKind is a way in which a machine fails a run.
type failureKind int

const (
	machineError failureKind = iota
	machinePanic
	sentNaN
	sentAstray
	failureKinds
)

// failurePoint is a machine that fails in its turn, counted from 0.
type failurePoint struct {
	node messages.NodeID
	turn int
	kind failureKind
}

// errMachine is the cause of a machineError.
var errMachine = errors.New("no descent")

func (p failurePoint) fail(t *algorithm.Turn) error {
	switch p.kind {
	case machineError:
		return errMachine
	case machinePanic:
		panic(fmt.Sprintf("node %d lost its head", p.node))
	case sentNaN:
		return t.Broadcast(&messages.Vector{Values: []float64{1, math.NaN()}})
	case sentAstray:
		return t.Send(1_000_000, &messages.Vector{})
	}
	panic("no such kind")
}

// failures makes machines fail at the points. The runtimes call one node at a
// time, so that each node's count needs no lock.
func failures(points ...failurePoint) func(messages.NodeID, *algorithm.Turn) error {
	return func(node messages.NodeID, t *algorithm.Turn) error {
		for _, p := range points {
			if p.node == node && p.turn == 2*(t.Step-firstStep)+t.Hop {
				return p.fail(t)
			}
		}
		return nil
	}
}

// firstStep and two hops a step are what failing scenarios have.
const firstStep = 0

func failing(graphs topology.Sequence, n int, points ...failurePoint) *runtimetest.Scenario {
	return &runtimetest.Scenario{Nodes: n, Steps: 12, FirstStep: firstStep, Seed: 1, Graphs: graphs, Hops: []int{2}, Fail: failures(points...)}
}

// Whoever fails first in wall time, the run fails with the lowest turn and in
// it the lowest node.
func TestTheFirstFailureWins(t *testing.T) {
	const n = 12
	points := []failurePoint{
		{node: 11, turn: 9, kind: machineError}, // the first turn with a failure
		{node: 4, turn: 9, kind: machinePanic},  // the lowest node in it
		{node: 0, turn: 10, kind: sentNaN},
		{node: 5, turn: 10, kind: machineError},
		{node: 1, turn: 20, kind: machineError},
	}
	want := "turn 9, step 4, hop 1, node 4, label 5: step 4, node 5: panic: node 4 lost its head"
	for _, workers := range []int{1, 4} {
		host := newHost(t, workers)
		for name, graphs := range runtimetest.Graphs(n) {
			s := failing(graphs, n, points...)
			if got := s.Execute(sequential).Failure; got != want {
				t.Fatalf("%s, lockstep: %q, want %q", name, got, want)
			}
			for _, shards := range []int{1, 2, 7, n} {
				for _, lookahead := range []int{1, 2, 5} {
					for range 3 {
						if got := s.Execute(on(host, engine.Options{Shards: shards, Lookahead: lookahead})).Failure; got != want {
							t.Fatalf("%s, %d shards, lookahead %d: %q, want %q", name, shards, lookahead, got, want)
						}
					}
				}
			}
		}
	}
}

func TestRandomFailuresAgreeWithLockstep(t *testing.T) {
	hosts := []*engine.Host{newHost(t, 1), newHost(t, 4)}
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 20, 10)
		s.FirstStep, s.Hops = firstStep, []int{2}
		var points []failurePoint
		for range rapid.IntRange(1, 4).Draw(t, "failures") {
			points = append(points, failurePoint{
				node: messages.NodeID(rapid.IntRange(0, s.Nodes-1).Draw(t, "node")),
				turn: rapid.IntRange(0, 2*s.Steps).Draw(t, "turn"), // possibly never reached
				kind: failureKind(rapid.IntRange(0, int(failureKinds)-1).Draw(t, "kind")),
			})
		}
		s.Fail = failures(points...)
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		for range 3 {
			if diff := cmp.Diff(s.Execute(sequential), s.Execute(on(host, drawOptions(t, s.Nodes)))); diff != "" {
				t.Fatalf("-lockstep +actors:\n%s", diff)
			}
		}
	})
}

// Every kind of failure is an *algorithm.Failure that says where, with its
// cause; the host is as good as new after each.
func TestFailureCarriesItsCause(t *testing.T) {
	host := newHost(t, 2)
	graphs := runtimetest.Graphs(6)["complete"]
	healthy := &runtimetest.Scenario{Nodes: 6, Steps: 10, Graphs: graphs}
	want := healthy.Execute(sequential)
	for kind, text := range []string{
		machineError: "step 3, node 3: no descent",
		machinePanic: "step 3, node 3: panic: node 2 lost its head",
		sentNaN:      "step 3, node 3: entry 2 of the sent vector is NaN",
		sentAstray:   "step 3, node 3: sent to node 1000001, which is no out-neighbour in this turn",
	} {
		spec, _ := failing(graphs, 6, failurePoint{node: 2, turn: 6, kind: failureKind(kind)}).Run()
		err := host.Run(context.Background(), spec, engine.Options{Shards: 3})
		var failure *algorithm.Failure
		if !errors.As(err, &failure) || err.Error() != text || failure.Turn != 6 || failure.Node != 2 {
			t.Errorf("error %v, want %q", err, text)
			continue
		}
		if errors.Is(err, errMachine) != (failureKind(kind) == machineError) {
			t.Errorf("%q: wrong cause %v", text, failure.Cause)
		}
		if inStack := strings.Contains(string(failure.Stack), "failurePoint"); inStack != (failureKind(kind) == machinePanic) {
			t.Errorf("%q: stack\n%s", text, failure.Stack)
		}
		if diff := cmp.Diff(want, healthy.Execute(on(host, engine.Options{Shards: 3}))); diff != "" {
			t.Errorf("after %q the host gives (-lockstep +actors):\n%s", text, diff)
		}
	}
}

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
			return t.Broadcast(t.Vector(2))
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
	t.Skip("bug: a single shard with a short period never looks at its remote queue, so that drain is not heard until the horizon")
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
	t.Skip("bug: a single shard whose participants have all stopped counts to the horizon in one message")
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
	t.Skip("bug: Host.Run does not look at ctx before it starts, so that a short run may finish and return nil")
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
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s (-lockstep +actors):\n%s", name, diff)
				}
			}
			cancel(nil)
		}
		if diff := cmp.Diff(want, s.Execute(on(host, engine.Options{Shards: 1 + k}))); diff != "" {
			t.Fatalf("%s after cancelled runs (-lockstep +actors):\n%s", name, diff)
		}
	}
}

// A run that is cancelled before the first failure is settled returns the cause
// or the first failure, never one that an earlier one may yet precede.
func TestCancelledRunDoesNotReportALaterFailureAsTheFirst(t *testing.T) {
	t.Skip("bug: coordinator.cause returns a failure of a cancelled run before it is known to be the first")
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

// brokenSequence is a sequence whose graphs cannot be had from some step on.
type brokenSequence struct {
	topology.Sequence
	from int
}

func (b brokenSequence) At(step int) *topology.Graph {
	if step >= b.from {
		panic("no graph")
	}
	return b.Sequence.At(step)
}

// brokenMeter panics where it is told of traffic, which is outside of any
// machine's turn.
type brokenMeter struct{ runtimetest.Silent }

func (brokenMeter) Sent(step int, _, _ int64) {
	if step == 3 {
		panic("meter failed")
	}
}

// What breaks outside of a machine, in a part that the caller supplied, fails
// the run instead of hanging it or going on without.
func TestBrokenPartsFailTheRun(t *testing.T) {
	tests := []struct {
		name   string
		skip   string
		damage func(*algorithm.Run)
		want   string
	}{
		{"graphs", "", func(r *algorithm.Run) { r.Graphs = brokenSequence{r.Graphs, 7} }, "no graph"},
		{"meter", "bug: a router that panics is suspended and never hears drain, so that Run hangs", func(r *algorithm.Run) { r.Meter = brokenMeter{} }, "meter failed"},
	}
	for _, test := range tests {
		for _, shards := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, shards=%d", test.name, shards), func(t *testing.T) {
				if test.skip != "" {
					t.Skip(test.skip)
				}
				host := newHost(t, 2)
				s := &runtimetest.Scenario{Nodes: 6, Steps: 20, Graphs: runtimetest.Graphs(6)["redrawn every step"]}
				spec, _ := s.Run()
				test.damage(spec)
				within(t, "a run with broken "+test.name, func() {
					if err := host.Run(context.Background(), spec, engine.Options{Shards: shards}); err == nil || !strings.Contains(err.Error(), test.want) {
						t.Errorf("error %v, want one about %q", err, test.want)
					}
				})
				healthy, _ := s.Run()
				within(t, "the next run", func() {
					if err := host.Run(context.Background(), healthy, engine.Options{Shards: shards}); err != nil {
						t.Errorf("the next run: %v", err)
					}
				})
			})
		}
	}
}

// Where the coordinator itself fails, the host says so and lets go.
func TestBrokenCoordinatorBreaksTheHost(t *testing.T) {
	host := newHost(t, 2)
	s := &runtimetest.Scenario{Nodes: 6, Steps: 20, Graphs: runtimetest.Graphs(6)["complete"]}
	within(t, "a run whose progress panics", func() {
		spec, _ := s.Run()
		err := host.Run(context.Background(), spec, engine.Options{Shards: 3, Progress: func(int) { panic("no terminal") }})
		if err == nil || !strings.Contains(err.Error(), "no terminal") {
			t.Errorf("error %v, want one about the panic", err)
		}
	})
	spec, _ := s.Run()
	if err := host.Run(context.Background(), spec, engine.Options{}); err == nil || !strings.Contains(err.Error(), "no terminal") {
		t.Errorf("the next run: error %v, want a refusal that says why", err)
	}
}

// Runs leave no goroutines behind, whether they succeed or fail.
func TestGoroutinesAfterManyRuns(t *testing.T) {
	host := newHost(t, 2)
	graphs := runtimetest.Graphs(6)["complete"]
	healthy := &runtimetest.Scenario{Nodes: 6, Steps: 5, Graphs: graphs}
	broken := failing(graphs, 6, failurePoint{node: 2, turn: 3, kind: machinePanic})
	healthy.Execute(on(host, engine.Options{Shards: 3}))
	before := runtime.NumGoroutine()
	for range 50 {
		healthy.Execute(on(host, engine.Options{Shards: 3}))
		broken.Execute(on(host, engine.Options{Shards: 3}))
	}
	// Proto.Actor counts dead letters for a second in a goroutine of its own,
	// one at a time; nothing else may be there.
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines before 100 runs, %d after", before, after)
	}
}
