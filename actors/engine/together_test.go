package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// together executes runs whose nodes wait for each other at their costs.
func together(runtime func(*algorithm.Run) error) func(*algorithm.Run) error {
	return func(r *algorithm.Run) error { return runtime(runtimetest.Together(r, nil)) }
}

// Whether nodes wait for each other changes no bit, on either runtime, with effects of the
// network, limited bandwidth, folders, and after a resume.
func TestTogetherIsTheSame(t *testing.T) {
	hosts := []*engine.Host{newHost(t, 1), newHost(t, 2), newHost(t, 8)}
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 40, 12)
		switch rapid.IntRange(0, 2).Draw(t, "network") {
		case 1:
			s.Network = runtimetest.DrawNetwork(t, s.Nodes, 12)
		case 2:
			s.Network = runtimetest.DrawLimitedNetwork(t, s.Nodes, 12)
		}
		actors := on(rapid.SampledFrom(hosts).Draw(t, "host"), drawOptions(t, s.Nodes))
		want := s.Execute(sequential)
		if diff := runtimetest.Diff(want, s.Execute(together(sequential))); diff != "" {
			t.Fatalf("-apart +together:\n%s", diff)
		}
		if diff := runtimetest.Diff(want, s.Execute(together(actors))); diff != "" {
			t.Fatalf("-lockstep, apart +actors, together:\n%s", diff)
		}
		checkResumes(t, s, []func(*algorithm.Run) error{sequential, together(sequential), together(actors)})
	})
}

// All of a shard's nodes are asked for at once, however many calls each makes.
func TestTogetherAsksOnce(t *testing.T) {
	for shards, want := range map[int][]int{1: {200}, 4: {50}, 200: {1}} {
		var mu sync.Mutex
		var sizes []int
		s := runtimetest.Scenario{Nodes: 200, Steps: 3, FirstStep: 1, Seed: 1, Graphs: runtimetest.Graphs(200)["star"]}
		s.Execute(func(r *algorithm.Run) error {
			return on(newHost(t, 2), engine.Options{Shards: shards})(runtimetest.Together(r, func(size int) {
				mu.Lock()
				defer mu.Unlock()
				sizes = append(sizes, size)
			}))
		})
		calls := len(sizes)
		slices.Sort(sizes)
		if sizes = slices.Compact(sizes); !slices.Equal(sizes, want) || calls != 3*2*shards {
			t.Errorf("%d shards: %d calls of sizes %v, want %d of %v", shards, calls, sizes, 3*2*shards, want)
		}
	}
}

// broken are costs that fail for a node at a step: by an error, or a panic.
type broken struct {
	algorithm.Costs
	many   batch.Costs
	panics bool
}

func (b broken) Gradients(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	return b.many.Gradients(dst, nodes, step, x)
}

func (b broken) Losses(dst []float64, nodes []messages.NodeID, step int, x []float64) error {
	for _, node := range nodes {
		if node == 5 && step == 3 {
			if b.panics {
				panic("broken")
			}
			return errors.New("broken")
		}
	}
	return b.many.Losses(dst, nodes, step, x)
}

// What fails of a batch fails the run, with the step and a node of the batch, and nobody is
// left waiting: TestMain looks for goroutines.
func TestTogetherFails(t *testing.T) {
	host := newHost(t, 2)
	for _, panics := range []bool{false, true} {
		for name, runtime := range map[string]func(*algorithm.Run) error{"lockstep": sequential, "actors": on(host, engine.Options{Shards: 3})} {
			s := runtimetest.Scenario{Nodes: 12, Steps: 9, FirstStep: 1, Seed: 1, Graphs: runtimetest.Graphs(12)["star"]}
			run, _ := s.Run()
			run = runtimetest.Together(run, nil)
			run.Costs = broken{run.Costs, run.Costs.(batch.Costs), panics}
			err := runtime(run)
			var failure *algorithm.Failure
			if !errors.As(err, &failure) || failure.Step != 3 || failure.Node > 5 || !strings.Contains(failure.Cause.Error(), "broken") || panics != (failure.Stack != nil) {
				t.Errorf("%s, panics %v: %v", name, panics, err)
			}
		}
	}
}

// recorder answers with the number of those who ask at once.
type recorder struct {
	mu   sync.Mutex
	said []string
}

func (r *recorder) Answer(step int, nodes []messages.NodeID, questions []any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text []string
	for i, node := range nodes {
		text = append(text, fmt.Sprint(node, *questions[i].(*int)))
		*questions[i].(*int) = 100 + int(node)
	}
	r.said = append(r.said, fmt.Sprintf("step %d: %s", step, strings.Join(text, ", ")))
	return nil
}

// Machines consult desks of their own, several in a turn: those at one desk are answered
// together, in the order of their nodes.
func TestConsult(t *testing.T) {
	left, right := &recorder{}, &recorder{}
	machine := script(func(turn *algorithm.Turn) error {
		self := int(turn.View.Self())
		for k := range self % 3 {
			at, question := left, k
			if self == 5 {
				at = right
			}
			if err := turn.Consult(at, &question); err != nil || question != 100+self {
				return fmt.Errorf("node %d was answered %d, %w", self, question, err)
			}
		}
		return nil
	})
	machines := slices.Repeat([]algorithm.Machine{machine}, 6)
	run := &algorithm.Run{Steps: 2, FirstStep: 1, Graphs: runtimetest.Graphs(6)["star"], Machines: machines, Meter: runtimetest.Silent{}, Gathers: true}
	if err := sequential(run); err != nil {
		t.Fatal(err)
	}
	wantLeft := []string{"step 1: 1 0, 2 0, 4 0", "step 1: 2 1", "step 2: 1 0, 2 0, 4 0", "step 2: 2 1"}
	wantRight := []string{"step 1: 5 0", "step 1: 5 1", "step 2: 5 0", "step 2: 5 1"}
	if !slices.Equal(left.said, wantLeft) || !slices.Equal(right.said, wantRight) {
		t.Errorf("left %q\nright %q", left.said, right.said)
	}
	left.said = nil
	run.Gathers = false // each is answered at once
	if err := sequential(run); err != nil || len(left.said) != 8 {
		t.Errorf("%q, %v", left.said, err)
	}
}

// More nodes than may wait at once are asked for in parts.
func TestTogetherInParts(t *testing.T) {
	const n = 5000
	graph, err := topology.FromEdges(n, []topology.Edge{{From: 0, To: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	graphs, err := topology.NewPeriodic(graph)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	s := runtimetest.Scenario{Nodes: n, Steps: 1, Seed: 1, Graphs: graphs}
	got := s.Execute(func(r *algorithm.Run) error {
		return sequential(runtimetest.Together(r, func(size int) { sizes = append(sizes, size) }))
	})
	if want := []int{4096, 4096, n - 4096, n - 4096}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
	if diff := runtimetest.Diff(s.Execute(sequential), got); diff != "" {
		t.Error(diff)
	}
}
