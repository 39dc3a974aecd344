package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
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
		return t.BroadcastRaw(&messages.Vector{Values: []float64{1, math.NaN()}})
	case sentAstray:
		return t.SendRaw(1_000_000, &messages.Vector{})
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
			if diff := runtimetest.Diff(s.Execute(sequential), s.Execute(on(host, drawOptions(t, s.Nodes)))); diff != "" {
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
		if diff := runtimetest.Diff(want, healthy.Execute(on(host, engine.Options{Shards: 3}))); diff != "" {
			t.Errorf("after %q the host gives (-lockstep +actors):\n%s", text, diff)
		}
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
		damage func(*algorithm.Run)
		want   string
	}{
		{"graphs", func(r *algorithm.Run) { r.Graphs = brokenSequence{r.Graphs, 7} }, "no graph"},
		{"meter", func(r *algorithm.Run) { r.Meter = brokenMeter{} }, "meter failed"},
	}
	for _, test := range tests {
		for _, shards := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s, shards=%d", test.name, shards), func(t *testing.T) {
				host := newHost(t, 2)
				s := &runtimetest.Scenario{Nodes: 6, Steps: 20, Graphs: runtimetest.Graphs(6)["redrawn every step"]}
				spec, _ := s.Run()
				test.damage(spec)
				within(t, "a run with broken "+test.name, func() {
					err := host.Run(context.Background(), spec, engine.Options{Shards: shards})
					if err == nil || !strings.Contains(err.Error(), test.want) {
						t.Errorf("error %v, want one about %q", err, test.want)
					}
					var p *algorithm.Panic
					if !errors.As(err, &p) || !strings.Contains(string(p.Stack), "failure_test.go") {
						t.Errorf("error %v has no stack", err)
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

// unfoldable is a gatherer whose Fold panics on a message of node 2.
type unfoldable struct{ runtimetest.Gatherer }

func (*unfoldable) Fold(_ []float64, e *messages.Envelope) {
	if e.From == 1 {
		panic("cannot be folded")
	}
}

// Fold is a part of the machine: that it panics is a failure of the machine, in
// both runtimes.
func TestPanicInFoldIsAFailureOfTheFolder(t *testing.T) {
	host := newHost(t, 2)
	s := &runtimetest.Scenario{Nodes: 70, Steps: 5, Graphs: runtimetest.Graphs(70)["star"]}
	for name, runtime := range map[string]func(*algorithm.Run) error{
		"lockstep": sequential,
		"1 shard":  on(host, engine.Options{Shards: 1}),
		"3 shards": on(host, engine.Options{Shards: 3}),
	} {
		t.Run(name, func(t *testing.T) {
			spec, _ := s.Run()
			spec.Machines[0] = &unfoldable{}
			within(t, "a run whose fold panics", func() {
				defer func() {
					if v := recover(); v != nil {
						t.Errorf("panic: %v", v)
					}
				}()
				var failure *algorithm.Failure
				if err := runtime(spec); !errors.As(err, &failure) || failure.Node != 0 {
					t.Errorf("error %v, want a failure of node 1", err)
				}
			})
		})
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

// withoutGraphs has no graph from a step on, and says so.
type withoutGraphs struct {
	topology.Sequence
	from int
}

var errNoGraph = errors.New("there is no graph")

func (w withoutGraphs) GraphAt(step int) (*topology.Graph, error) {
	if step >= w.from {
		return nil, errNoGraph
	}
	return topology.GraphAt(w.Sequence, step)
}

// TestNoGraphEndsTheRun: the run fails with what the sequence says, whatever fails later,
// and not if a machine fails before.
func TestNoGraphEndsTheRun(t *testing.T) {
	const n, from = 12, 5
	host := newHost(t, 4)
	drawn, err := topology.RandomRegular{Nodes: n, Degree: 3, Redraw: topology.Redraw{Every: 1, Seed: 1}}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		turn int // of a failure of a machine; two turns a step
		want string
	}{{2 * from, errNoGraph.Error()}, {2*from - 1, errMachine.Error()}, {100, errNoGraph.Error()}} {
		s := failing(withoutGraphs{drawn, from}, n, failurePoint{node: 3, turn: test.turn, kind: machineError})
		want := s.Execute(sequential).Failure
		if !strings.Contains(want, test.want) {
			t.Fatalf("lockstep: %q, want %q", want, test.want)
		}
		for _, shards := range []int{1, 2, 7, n} {
			for _, lookahead := range []int{1, 2, 5} {
				if got := s.Execute(on(host, engine.Options{Shards: shards, Lookahead: lookahead})).Failure; got != want {
					t.Fatalf("%d shards, lookahead %d: %q, want %q", shards, lookahead, got, want)
				}
			}
		}
	}
}
