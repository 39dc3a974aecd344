package engine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/network"
	"starling/actors/runtimetest"
	"starling/messages"
)

func TestRandomLimitedNetworksAgreeWithLockstep(t *testing.T) {
	hosts := []*engine.Host{newHost(t, 1), newHost(t, 2), newHost(t, 8)}
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 30, 20)
		s.Network = runtimetest.DrawLimitedNetwork(t, s.Nodes, 20)
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		if diff := runtimetest.Diff(s.Execute(sequential), s.Execute(on(host, drawOptions(t, s.Nodes)))); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
	})
}

func TestRandomLimitedNetworksResume(t *testing.T) {
	host := newHost(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 20, 20)
		s.Network = runtimetest.DrawLimitedNetwork(t, s.Nodes, 20)
		checkResumes(t, s, []func(*algorithm.Run) error{sequential, on(host, drawOptions(t, s.Nodes)), on(host, drawOptions(t, s.Nodes))})
	})
}

func TestMessagesAreConservedWhereBandwidthIsLimited(t *testing.T) {
	host := newHost(t, 2)
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 20, 20)
		s.Stops, s.Gatherers = nil, nil
		s.Network = runtimetest.DrawLimitedNetwork(t, s.Nodes, 20)
		conserve(t, s, sequential)
		conserve(t, s, on(host, drawOptions(t, s.Nodes)))
	})
}

// A state with queues that is cut short is refused, and one that is changed
// anywhere is refused or restored, without a panic.
func TestDamagedQueuesAreRefused(t *testing.T) {
	s := &runtimetest.Scenario{Nodes: 4, Steps: 12, FirstStep: 1, Seed: 3, Graphs: runtimetest.Graphs(4)["complete"]}
	s.Network = effects(t, 4, network.Options{
		Delay: network.Constant{Delay: 1}, Bandwidth: &network.Bandwidth{Bytes: 20, Queue: network.Unlimited, Longest: 6},
	})
	var text []byte
	run, _ := s.Run()
	run.Pauses = algorithm.Pauses{Every: 7, Save: func(state *algorithm.State) error {
		text = messages.Write(nil, run.At(state))
		return nil
	}}
	if err := sequential(run); err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	restore := func(text []byte) error {
		fresh, _ := s.Run()
		return messages.Read(text, fresh.At(nil))
	}
	if err := restore(text); err != nil {
		t.Fatal(err)
	}
	for n := range text {
		if restore(text[:n]) == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(text))
		}
		damaged := slices.Clone(text)
		damaged[n] ^= 0x81
		_ = restore(damaged)
	}
}
