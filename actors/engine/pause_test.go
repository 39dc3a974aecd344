package engine_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/messages"
)

// A run that goes on from any of its pauses, on either runtime and with other
// shards, ends as the run that never paused: the states, what the meter was
// told, and what was sent.
func TestResumedRunsAreTheSame(t *testing.T) {
	const n, steps = 12, 9
	host := newHost(t, 4)
	for name, graphs := range runtimetest.Graphs(n) {
		s := &runtimetest.Scenario{
			Nodes: n, Steps: steps, FirstStep: 1, Seed: 11, Graphs: graphs, Hops: []int{1, 3, 1, 2},
			Stops:     map[messages.NodeID]int{1: 5, 7: 1, 11: 9},
			Gatherers: map[messages.NodeID]bool{0: true, 8: true},
		}
		want := s.Execute(sequential)
		for _, every := range []int{1, 4} {
			for _, runtime := range []func(*algorithm.Run) error{sequential, on(host, engine.Options{Shards: 1}), on(host, engine.Options{Shards: 5, Lookahead: 3})} {
				got, pauses := s.ExecuteWithPauses(every, runtime)
				if diff := runtimetest.Diff(want, got); diff != "" {
					t.Fatalf("%s, pauses every %d steps (-straight +paused):\n%s", name, every, diff)
				}
				if len(pauses) != (steps-1)/every {
					t.Fatalf("%s, pauses every %d steps: %d pauses", name, every, len(pauses))
				}
				for k, pause := range pauses {
					for _, options := range []engine.Options{{Shards: 1}, {Shards: 3}, {Shards: n, Lookahead: 4}} {
						if diff := runtimetest.Diff(want, s.ExecuteFrom(pause, on(host, options))); diff != "" {
							t.Fatalf("%s, %+v, from pause %d (-straight +resumed):\n%s", name, options, k, diff)
						}
					}
					if diff := runtimetest.Diff(want, s.ExecuteFrom(pause, sequential)); diff != "" {
						t.Fatalf("%s, lockstep from pause %d (-straight +resumed):\n%s", name, k, diff)
					}
				}
			}
		}
	}
}

func TestRandomRunsResume(t *testing.T) {
	host := newHost(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 40, 20)
		want := s.Execute(sequential)
		every := rapid.IntRange(1, 7).Draw(t, "every")
		got, pauses := s.ExecuteWithPauses(every, on(host, drawOptions(t, s.Nodes)))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-straight +paused:\n%s", diff)
		}
		if len(pauses) == 0 {
			return
		}
		pause := rapid.SampledFrom(pauses).Draw(t, "pause")
		if diff := runtimetest.Diff(want, s.ExecuteFrom(pause, on(host, drawOptions(t, s.Nodes)))); diff != "" {
			t.Fatalf("-straight +resumed:\n%s", diff)
		}
	})
}

// Folders whose messages are summed beside the senders find them again after a
// pause.
func TestFoldsResume(t *testing.T) {
	graphs := runtimetest.Graphs(200)
	host := newHost(t, 2)
	for _, name := range []string{"complete", "star"} {
		s := &runtimetest.Scenario{
			Nodes: 200, Steps: 6, Seed: 3, Graphs: graphs[name], Hops: []int{1, 2},
			Gatherers: map[messages.NodeID]bool{0: true, 130: true},
		}
		want := s.Execute(sequential)
		for _, shards := range []int{1, 3, 7} {
			got, pauses := s.ExecuteWithPauses(2, on(host, engine.Options{Shards: shards}))
			if diff := runtimetest.Diff(want, got); diff != "" {
				t.Fatalf("%s, %d shards (-straight +paused):\n%s", name, shards, diff)
			}
			for _, pause := range pauses {
				if diff := runtimetest.Diff(want, s.ExecuteFrom(pause, on(host, engine.Options{Shards: shards}))); diff != "" {
					t.Fatalf("%s, %d shards (-straight +resumed):\n%s", name, shards, diff)
				}
			}
		}
	}
}

// An error of Save ends the run, with that error, and leaves no actor.
func TestFailedSaveEndsTheRun(t *testing.T) {
	full := errors.New("no space left")
	for _, shards := range []int{1, 3} {
		host := newHost(t, 2)
		s := &runtimetest.Scenario{Nodes: 6, Steps: 50, Graphs: runtimetest.Graphs(6)["complete"]}
		for name, runtime := range map[string]func(*algorithm.Run) error{"actors": on(host, engine.Options{Shards: shards}), "lockstep": sequential} {
			calls := 0
			o := s.Execute(func(run *algorithm.Run) error {
				run.Pauses = algorithm.Pauses{Every: 10, Save: func(*algorithm.State) error {
					if calls++; calls == 2 {
						return full
					}
					return nil
				}}
				return runtime(run)
			})
			if o.Failure != full.Error() || calls != 2 {
				t.Errorf("%s: %q after %d calls", name, o.Failure, calls)
			}
		}
	}
}
