package engine_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// One run, many ways of executing it: whatever the shards, the lookahead and
// the processors, the states, what the meter was told and what was sent are
// those of the sequential runtime, to the last bit.
func TestEveryExecutionIsTheSame(t *testing.T) {
	const n = 12
	repetitions := 4
	if testing.Short() {
		repetitions = 2
	}
	scenarios := map[string]*runtimetest.Scenario{}
	for name, graphs := range runtimetest.Graphs(n) {
		scenarios[name] = &runtimetest.Scenario{
			Nodes: n, Steps: 9, FirstStep: 1, Seed: 11, Graphs: graphs, Hops: []int{1, 3, 1, 2},
			Stops: map[messages.NodeID]int{1: 5, 7: 1, 11: 9},
		}
	}
	for _, p := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", p), func(t *testing.T) {
			processors(t, p)
			host := newHost(t, 0)
			for name, s := range scenarios {
				want := s.Execute(sequential)
				for _, shards := range []int{1, 2, 7, n, n + 5} {
					for _, lookahead := range []int{1, 2, 5} {
						options := engine.Options{Shards: shards, Lookahead: lookahead}
						for range repetitions {
							if diff := runtimetest.Diff(want, s.Execute(on(host, options))); diff != "" {
								t.Fatalf("%s, %+v (-lockstep +actors):\n%s", name, options, diff)
							}
						}
					}
				}
			}
		})
	}
}

func drawOptions(t *rapid.T, n int) engine.Options {
	return engine.Options{
		Shards:    rapid.IntRange(0, n+5).Draw(t, "shards"),
		Lookahead: rapid.IntRange(0, 6).Draw(t, "lookahead"),
	}
}

func TestRandomRunsAgreeWithLockstep(t *testing.T) {
	hosts := []*engine.Host{newHost(t, 1), newHost(t, 2), newHost(t, 8)}
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 40, 20)
		options := drawOptions(t, s.Nodes)
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		if diff := runtimetest.Diff(s.Execute(sequential), s.Execute(on(host, options))); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
	})
}

// Messages to folders are summed by blocks of senders, where the senders are
// if a shard holds the whole block, and where the folder is if not; the nodes of
// these runs make blocks of both sorts. Some nodes are slow, so that shards that
// do not hear of each other are as far apart as the lookahead lets them.
func TestFoldsAreTheSame(t *testing.T) {
	graphs := runtimetest.Graphs(200)
	checkFolds(t, graphs["complete"], 0, 130, 199)
	checkFolds(t, graphs["star"], 0)
}

// Folders that do not hear of every shard in every turn: those they do not hear
// send them no batch and may be anywhere within the lookahead.
func TestFoldsOfShardsThatAreNotHeard(t *testing.T) {
	for name, graphs := range runtimetest.Graphs(200) {
		t.Run(name, func(t *testing.T) { checkFolds(t, graphs, 0, 130, 199) })
	}
}

// Folders where shards are several spans of nodes, which hold some blocks whole.
func TestFoldsOfThoseBesideOthers(t *testing.T) {
	for _, learners := range []messages.NodeID{64, 99, 128} {
		beside := make([]messages.NodeID, 200)
		for i := range messages.NodeID(200) {
			if beside[i] = i; i > learners {
				beside[i] = min(i-learners, learners)
			}
		}
		checkFoldsOf(t, &runtimetest.Scenario{Graphs: runtimetest.Graphs(200)["complete"], Beside: beside}, 0, 130, 199)
		checkFoldsOf(t, &runtimetest.Scenario{Graphs: runtimetest.Graphs(200)["star"], Beside: beside}, 0)
	}
}

func checkFolds(t *testing.T, graphs topology.Sequence, folders ...messages.NodeID) {
	t.Helper()
	checkFoldsOf(t, &runtimetest.Scenario{Graphs: graphs}, folders...)
}

// checkFoldsOf is checkFolds of a scenario of 200 nodes that has graphs.
func checkFoldsOf(t *testing.T, s *runtimetest.Scenario, folders ...messages.NodeID) {
	t.Helper()
	s.Nodes, s.Steps, s.Seed, s.Hops = 200, 6, 3, []int{1, 2}
	s.Gatherers, s.Stops = map[messages.NodeID]bool{}, map[messages.NodeID]int{130: 6, 70: 2, 5: 3}
	for _, node := range folders {
		s.Gatherers[node] = true
	}
	want := s.Execute(sequential)
	s.Fail = func(node messages.NodeID, turn *algorithm.Turn) error {
		if node%64 == 63 && (turn.Step+int(node/64))%3 == 0 {
			time.Sleep(200 * time.Microsecond)
		}
		return nil
	}
	host := newHost(t, 4)
	for _, shards := range []int{0, 1, 2, 3, 7, 200} {
		for _, lookahead := range []int{1, 5} {
			options := engine.Options{Shards: shards, Lookahead: lookahead}
			if diff := runtimetest.Diff(want, s.Execute(on(host, options))); diff != "" {
				t.Fatalf("%+v (-lockstep +actors):\n%s", options, diff)
			}
		}
	}
}

// A server and its clients, as the schedule of a federated algorithm has it: the
// server alone, then all clients, or some, or nobody.
func TestActingPartsAreTheSame(t *testing.T) {
	host := newHost(t, 4)
	for name, graphs := range runtimetest.Graphs(150) {
		s := &runtimetest.Scenario{
			Nodes: 150, Steps: 6, Seed: 3, Graphs: graphs, Hops: []int{2, 1},
			Acts:  []runtimetest.Range{{First: 0, End: 1}, {First: 1, End: 150}, {First: 0, End: 150}, {First: 60, End: 130}, {First: 3, End: 3}},
			Stops: map[messages.NodeID]int{2: 1, 100: 2},
		}
		if name == "star" {
			s.Gatherers = map[messages.NodeID]bool{0: true}
		}
		want := s.Execute(sequential)
		for _, shards := range []int{0, 1, 2, 7, 150} {
			for _, lookahead := range []int{1, 5} {
				options := engine.Options{Shards: shards, Lookahead: lookahead}
				if diff := runtimetest.Diff(want, s.Execute(on(host, options))); diff != "" {
					t.Fatalf("%s, %+v (-lockstep +actors):\n%s", name, options, diff)
				}
			}
		}
	}
}

// Runs that share a host at the same time do not touch each other, failed ones
// among them.
func TestRunsShareAHost(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			host := newHost(t, workers)
			var wg sync.WaitGroup
			for name, graphs := range runtimetest.Graphs(10) {
				for k := range 3 {
					s := &runtimetest.Scenario{Nodes: 10, Steps: 10, Seed: uint64(k), Graphs: graphs, Hops: []int{2, 1}}
					if k == 2 {
						s.Fail = failures(failurePoint{node: 3, turn: 7, kind: machineError}, failurePoint{node: 6, turn: 4, kind: machinePanic})
					}
					want := s.Execute(sequential)
					wg.Go(func() {
						for range 4 {
							if diff := runtimetest.Diff(want, s.Execute(on(host, engine.Options{Shards: 1 + 2*k}))); diff != "" {
								t.Errorf("%s, seed %d (-lockstep +actors):\n%s", name, k, diff)
							}
						}
					})
				}
			}
			within(t, "sharing a host", wg.Wait)
		})
	}
}

func TestSmallestRuns(t *testing.T) {
	host := newHost(t, 0)
	everybody := map[messages.NodeID]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1}
	tests := []struct {
		name  string
		nodes int
		steps int
		stops map[messages.NodeID]int
	}{
		{"one node", 1, 20, nil},
		{"one node, one step", 1, 1, nil},
		{"no steps", 5, 0, nil},
		{"all stop at once", 5, 300, everybody},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, graphs := range runtimetest.Graphs(test.nodes) {
				s := &runtimetest.Scenario{Nodes: test.nodes, Steps: test.steps, FirstStep: 1, Graphs: graphs, Stops: test.stops}
				want := s.Execute(sequential)
				for shards := range test.nodes + 2 {
					if diff := runtimetest.Diff(want, s.Execute(on(host, engine.Options{Shards: shards}))); diff != "" {
						t.Fatalf("%s, %d shards (-lockstep +actors):\n%s", name, shards, diff)
					}
				}
			}
		})
	}
	if err := on(host, engine.Options{})(&algorithm.Run{Steps: 5}); err != nil {
		t.Errorf("a run without machines: %v", err)
	}
}

// A horizon below zero is none: both runtimes do nothing.
func TestNegativeHorizon(t *testing.T) {
	host := newHost(t, 0)
	s := &runtimetest.Scenario{Nodes: 3, Steps: -1, Graphs: runtimetest.Graphs(3)["star"]}
	if diff := runtimetest.Diff(s.Execute(sequential), s.Execute(on(host, engine.Options{}))); diff != "" {
		t.Errorf("-lockstep +actors:\n%s", diff)
	}
}

// Progress never goes back, ends at the horizon and is reported by one caller
// at a time (which the race detector sees).
func TestProgress(t *testing.T) {
	const steps = 700
	for _, shards := range []int{1, 3} {
		for _, name := range []string{"complete", "redrawn every step", "edgeless"} {
			last, calls := 0, 0
			options := engine.Options{Shards: shards, Progress: func(finished int) {
				if finished < last || finished > steps {
					t.Errorf("%s, %d shards: progress from %d to %d", name, shards, last, finished)
				}
				last = finished
				calls++
			}}
			s := &runtimetest.Scenario{Nodes: 6, Steps: steps, FirstStep: 1, Graphs: runtimetest.Graphs(6)[name]}
			if o := s.Execute(on(newHost(t, 0), options)); o.Failure != "" {
				t.Fatal(o.Failure)
			}
			if last != steps || calls < 2 {
				t.Errorf("%s, %d shards: %d calls, the last of %d steps, want %d", name, shards, calls, last, steps)
			}
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	if _, err := engine.NewHost(engine.HostOptions{Workers: -1}); err == nil || err.Error() != "workers: -1 is negative" {
		t.Errorf("a host with -1 workers: %v", err)
	}
	host := newHost(t, 1)
	s := &runtimetest.Scenario{Nodes: 2, Steps: 2, Graphs: runtimetest.Graphs(2)["star"]}
	for want, options := range map[string]engine.Options{
		"shards: -1 is negative":    {Shards: -1},
		"lookahead: -2 is negative": {Lookahead: -2},
	} {
		if got := s.Execute(on(host, options)).Failure; got != want {
			t.Errorf("%+v: %q, want %q", options, got, want)
		}
	}
}
