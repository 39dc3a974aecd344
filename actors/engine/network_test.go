package engine_test

import (
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/network"
	"starling/actors/runtimetest"
	"starling/messages"
)

func TestRandomNetworksAgreeWithLockstep(t *testing.T) {
	hosts := []*engine.Host{newHost(t, 1), newHost(t, 2), newHost(t, 8)}
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 40, 20)
		s.Network = runtimetest.DrawNetwork(t, s.Nodes, 20)
		options := drawOptions(t, s.Nodes)
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		if diff := runtimetest.Diff(s.Execute(sequential), s.Execute(on(host, options))); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
	})
}

func TestRandomNetworksResume(t *testing.T) {
	host := newHost(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 30, 20)
		s.Network = runtimetest.DrawNetwork(t, s.Nodes, 20)
		checkResumes(t, s, []func(*algorithm.Run) error{sequential, on(host, drawOptions(t, s.Nodes)), on(host, drawOptions(t, s.Nodes))})
	})
}

// checkResumes executes a scenario straight, with pauses, and from one of them on,
// on any of the runtimes.
func checkResumes(t *rapid.T, s *runtimetest.Scenario, runtimes []func(*algorithm.Run) error) {
	want := s.Execute(sequential)
	every := rapid.IntRange(1, 7).Draw(t, "every")
	got, pauses := s.ExecuteWithPauses(every, rapid.SampledFrom(runtimes).Draw(t, "paused on"))
	if diff := runtimetest.Diff(want, got); diff != "" {
		t.Fatalf("-straight +paused:\n%s", diff)
	}
	if len(pauses) == 0 {
		return
	}
	pause := rapid.SampledFrom(pauses).Draw(t, "pause")
	if diff := runtimetest.Diff(want, s.ExecuteFrom(pause, rapid.SampledFrom(runtimes).Draw(t, "resumed on"))); diff != "" {
		t.Fatalf("-straight +resumed:\n%s", diff)
	}
}

// effects returns a network of n nodes.
func effects(t *testing.T, n int, o network.Options) *network.Effects {
	t.Helper()
	o.Nodes = n
	e, err := network.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A network whose effects never strike is the ideal one, to the last bit.
func TestEffectsThatNeverStrike(t *testing.T) {
	const n = 12
	host := newHost(t, 2)
	never := effects(t, n, network.Options{
		Delay: network.Constant{}, Loss: network.Independent{}, Patience: 2,
		Outages:     []network.Outage{{Nodes: []messages.NodeID{3}, Interval: network.Interval{First: 1000, End: 1001}, Forget: true}},
		Stragglings: []network.Straggling{{Nodes: []messages.NodeID{4}, Interval: network.Interval{First: 1000, End: 1001}, Turns: 3}},
	})
	for name, graphs := range runtimetest.Graphs(n) {
		s := &runtimetest.Scenario{
			Nodes: n, Steps: 9, FirstStep: 1, Seed: 11, Graphs: graphs, Hops: []int{1, 3, 1, 2},
			Stops:     map[messages.NodeID]int{1: 5, 7: 1, 11: 9},
			Gatherers: map[messages.NodeID]bool{0: true, 8: true},
		}
		want := s.Execute(sequential)
		s.Network = never
		for label, runtime := range map[string]func(*algorithm.Run) error{"lockstep": sequential, "actors": on(host, engine.Options{Shards: 5})} {
			got := s.Execute(runtime)
			for step, f := range got.Fates {
				// What the last turn sends is on its way when the run ends.
				if f.Late != 0 || f.Lost != 0 || step != 9 {
					t.Errorf("%s, %s: step %d: %+v", name, label, step, f)
				}
			}
			got.Fates = want.Fates
			if diff := runtimetest.Diff(want, got); diff != "" {
				t.Fatalf("%s, %s (-ideal +effects):\n%s", name, label, diff)
			}
		}
	}
}

// The extremes: every run ends, its states are those of the other runtime, and
// what became of the messages is said.
func TestExtremeNetworks(t *testing.T) {
	const n, steps = 10, 12
	all := make([]messages.NodeID, n)
	for i := range all {
		all[i] = messages.NodeID(i)
	}
	always := network.Interval{First: 0, End: network.Forever}
	host := newHost(t, 2)
	for name, test := range map[string]struct {
		options network.Options
		check   func(sent, received, lost, underway int64) bool
	}{
		"everything lost": {network.Options{Loss: network.Independent{Probability: 1}},
			func(sent, received, lost, _ int64) bool { return sent > 0 && received == 0 && lost == sent }},
		"delay beyond the horizon": {network.Options{Delay: network.Constant{Delay: 100_000}},
			func(sent, received, _, underway int64) bool { return sent > 0 && received == 0 && underway == sent }},
		"everybody down": {network.Options{Outages: []network.Outage{{Nodes: all, Interval: always, Forget: true}}},
			func(sent, received, _, _ int64) bool { return sent == 0 && received == 0 }},
		"everybody down in the middle": {network.Options{Outages: []network.Outage{{Nodes: all, Interval: network.Interval{First: 3, End: 6}, Forget: true}}},
			func(sent, received, lost, _ int64) bool { return received > 0 && lost > 0 && lost < sent }},
		"joining at the last step": {network.Options{Outages: []network.Outage{{Nodes: all[:1], Interval: network.Interval{First: 0, End: steps - 1}}}},
			func(sent, received, lost, _ int64) bool { return received > 0 && lost > 0 && lost < sent }},
		"a partition for good": {network.Options{Partitions: []network.Partition{{Groups: [][]messages.NodeID{all[:5]}, Interval: always}}},
			func(sent, received, lost, _ int64) bool { return received > 0 && lost > received && lost < sent }},
	} {
		s := &runtimetest.Scenario{Nodes: n, Steps: steps, FirstStep: 1, Seed: 3, Graphs: runtimetest.Graphs(n)["complete"], Network: effects(t, n, test.options)}
		want, sent, received, fates := conserve(t, s, sequential)
		if !test.check(sent, received, fates.Lost, fates.Underway) {
			t.Errorf("%s: of %d sent, %d were received; %+v", name, sent, received, fates)
		}
		for _, shards := range []int{1, 4} {
			if diff := runtimetest.Diff(want, s.Execute(on(host, engine.Options{Shards: shards}))); diff != "" {
				t.Errorf("%s, %d shards (-lockstep +actors):\n%s", name, shards, diff)
			}
		}
	}
}

// conserve executes a scenario in which nobody stops or folds and checks that
// every message between different nodes is received, in time or late, lost, or
// underway at the end, as the meter is told.
func conserve(t interface{ Fatalf(string, ...any) }, s *runtimetest.Scenario, runtime func(*algorithm.Run) error) (o runtimetest.Outcome, sent, received int64, total algorithm.Fates) {
	var late int64
	o = s.Execute(func(r *algorithm.Run) error {
		err := runtime(r)
		for _, m := range r.Machines {
			received += m.(*runtimetest.Mixer).Received
			late += m.(*runtimetest.Mixer).Late
		}
		return err
	})
	if o.Failure != "" {
		t.Fatalf("%s", o.Failure)
	}
	for _, traffic := range o.Traffic {
		sent += traffic[0]
	}
	for _, f := range o.Fates {
		total.Late += f.Late
		total.Lost += f.Lost
		total.Dropped += f.Dropped
		total.Underway += f.Underway
	}
	if sent != received+total.Lost+total.Dropped+total.Underway || late != total.Late {
		t.Fatalf("%d sent, %d received, %d of them late, %+v", sent, received, late, total)
	}
	return o, sent, received, total
}

func TestMessagesAreConserved(t *testing.T) {
	host := newHost(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 20, 20)
		s.Stops, s.Gatherers = nil, nil
		s.Network = runtimetest.DrawNetwork(t, s.Nodes, 20)
		conserve(t, s, sequential)
		conserve(t, s, on(host, drawOptions(t, s.Nodes)))
	})
}

// amnesiac is a machine that counts its turns and fails to restart.
type amnesiac struct{ turns byte }

func (a *amnesiac) Step(*algorithm.Turn) error { a.turns++; return nil }
func (a *amnesiac) State(c *messages.Codec) {
	c.Check(a.turns == 3, "restarted after %d turns", a.turns)
	turns := int(a.turns)
	c.Int("turns", &turns)
	a.turns = byte(turns)
}

// A node that forgets goes on from the state that it began with; one that does
// not from where it was. A restart that fails is a failure of the node.
func TestRestart(t *testing.T) {
	host := newHost(t, 1)
	outage := func(node messages.NodeID, first, end int, forget bool) network.Outage {
		return network.Outage{Nodes: []messages.NodeID{node}, Interval: network.Interval{First: first, End: end}, Forget: forget}
	}
	for label, runtime := range map[string]func(*algorithm.Run) error{"lockstep": sequential, "actors": on(host, engine.Options{Shards: 2})} {
		run := func(outages ...network.Outage) (*algorithm.Run, error) {
			r := &algorithm.Run{FirstLabel: 1, FirstStep: 1, Steps: 8, Graphs: runtimetest.Graphs(3)["complete"], Meter: runtimetest.Silent{}}
			for range 3 {
				r.Machines = append(r.Machines, &amnesiac{})
			}
			r.Network = effects(t, 3, network.Options{Outages: outages})
			return r, runtime(r)
		}
		r, err := run(outage(1, 3, 5, true), outage(2, 3, 5, false))
		if err != nil {
			t.Fatal(err)
		}
		for node, want := range []byte{8, 3, 6} {
			if got := r.Machines[node].(*amnesiac).turns; got != want {
				t.Errorf("%s: node %d has had %d turns, want %d", label, node+1, got, want)
			}
		}
		if _, err := run(outage(1, 4, 5, true)); err == nil || err.Error() != "step 6, node 2: restart: restarted after 4 turns" {
			t.Errorf("%s: a restart that fails: %v", label, err)
		}
	}
}
