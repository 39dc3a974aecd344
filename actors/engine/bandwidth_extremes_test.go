package engine_test

import (
	"testing"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/network"
	"starling/actors/runtimetest"
	"starling/messages"
)

// The extremes of bandwidth: every run ends, with the same states in both
// runtimes, and what became of the messages is said.
func TestExtremeBandwidths(t *testing.T) {
	const n, steps = 6, 12
	all := []messages.NodeID{0, 1, 2, 3, 4, 5}
	always := network.Interval{First: 0, End: network.Forever}
	host := newHost(t, 2)
	for name, test := range map[string]struct {
		options network.Options
		check   func(sent, received int64, f algorithm.Fates, ideal bool) bool
	}{
		"nothing passes": {network.Options{Bandwidth: &network.Bandwidth{Queue: 1 << 30, Longest: network.NoLongest}},
			func(sent, received int64, f algorithm.Fates, _ bool) bool {
				return sent > 0 && received == 0 && f.Dropped == sent && f.Queued == 0
			}},
		"one byte, and all may wait": {network.Options{Bandwidth: &network.Bandwidth{Bytes: 1, Queue: network.Unlimited, Longest: 1 << 20}},
			func(sent, received int64, f algorithm.Fates, _ bool) bool {
				return f.Dropped == 0 && f.Underway > received && f.Queued > 0
			}},
		"one byte, and nobody waits": {network.Options{Bandwidth: &network.Bandwidth{Bytes: 1, Queue: 0, Longest: network.NoLongest}},
			func(sent, received int64, f algorithm.Fates, _ bool) bool {
				return received == 0 && f.Dropped == sent && f.Queued == 0
			}},
		"without limit": {network.Options{Bandwidth: &network.Bandwidth{Bytes: network.Unlimited, Queue: 0, Longest: network.NoLongest}},
			func(_, _ int64, _ algorithm.Fates, ideal bool) bool { return ideal }},
		"everything lost": {network.Options{Loss: network.Independent{Probability: 1}, Bandwidth: &network.Bandwidth{Bytes: 1, Queue: 100, Longest: network.NoLongest}},
			func(sent, _ int64, f algorithm.Fates, _ bool) bool { return f.Lost == sent && f.Queued == 0 }},
		"delay beyond the horizon": {network.Options{Delay: network.Constant{Delay: 1000}, Bandwidth: &network.Bandwidth{Bytes: 1000, Queue: 0, Longest: network.NoLongest}},
			func(sent, received int64, f algorithm.Fates, _ bool) bool { return received == 0 && f.Underway == sent }},
		"everybody down": {network.Options{
			Outages:   []network.Outage{{Nodes: all, Interval: always}},
			Bandwidth: &network.Bandwidth{Bytes: 1, Queue: 100, Longest: network.NoLongest},
		}, func(sent, _ int64, _ algorithm.Fates, _ bool) bool { return sent == 0 }},
		"joining at the last step": {network.Options{
			Outages:   []network.Outage{{Nodes: all[:1], Interval: network.Interval{First: 0, End: steps - 1}}},
			Bandwidth: &network.Bandwidth{Bytes: 20, Queue: network.Unlimited, Longest: 100},
		}, func(_, received int64, f algorithm.Fates, _ bool) bool {
			return received > 0 && f.Lost > 0 && f.Late > 0
		}},
		"a partition for good": {network.Options{
			Partitions: []network.Partition{{Groups: [][]messages.NodeID{all[:3]}, Interval: always}},
			Bandwidth:  &network.Bandwidth{Bytes: 20, Queue: network.Unlimited, Longest: 5},
		}, func(_, received int64, f algorithm.Fates, _ bool) bool {
			return received > 0 && f.Lost > 0 && f.Late > 0 && f.Dropped > 0
		}},
	} {
		s := &runtimetest.Scenario{Nodes: n, Steps: steps, FirstStep: 1, Seed: 3, Graphs: runtimetest.Graphs(n)["complete"]}
		ideal := s.Execute(sequential)
		s.Network = effects(t, n, test.options)
		want, sent, received, fates := conserve(t, s, sequential)
		fates.Queued = want.Fates[steps].Queued
		bare := want
		bare.Fates = ideal.Fates
		if !test.check(sent, received, fates, runtimetest.Diff(ideal, bare) == "") {
			t.Errorf("%s: of %d sent, %d were received; %+v", name, sent, received, fates)
		}
		for _, shards := range []int{1, 4} {
			if diff := runtimetest.Diff(want, s.Execute(on(host, engine.Options{Shards: shards}))); diff != "" {
				t.Errorf("%s, %d shards (-lockstep +actors):\n%s", name, shards, diff)
			}
		}
	}
}
