package network_test

import (
	"testing"

	"starling/actors/network"
	"starling/actors/option"
	"starling/messages"
)

func TestBandwidthIsChecked(t *testing.T) {
	edge := network.EdgeBandwidth{From: 0, To: 1, Bytes: 3}
	for want, b := range map[string]network.Bandwidth{
		"-1 bytes, want 0 .. 1099511627776":                                                                  {Bytes: -1},
		"1099511627777 bytes, want 0 .. 1099511627776":                                                       {Queue: 1<<40 + 1},
		"the bandwidth from 0 to 1 is given twice":                                                           {Edges: []network.EdgeBandwidth{edge, {From: 1, To: 0}, edge}},
		"node 3, counted from 0, is not one of 3":                                                            {Edges: []network.EdgeBandwidth{{From: 0, To: 3}}},
		"bandwidth.longest is -2 turns, want 0 .. 1048576":                                                   {Longest: -2},
		"neither queue nor longest; want one of them, or messages could be late without end":                 {Queue: network.Unlimited, Longest: network.NoLongest},
		"a message could stand in line for 1048577 turns; want longest, or a queue of at most 1048576 turns": {Bytes: 2, Queue: 1<<21 + 1, Longest: network.NoLongest},
	} {
		_, err := network.New(network.Options{Nodes: 3, Bandwidth: &b})
		if err == nil || option.Message(err) != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The longest wait bounds for how long what is sent is kept: a line of Q bytes on
// an edge of C bytes a turn has passed after ceil(Q/C) turns.
func TestLongestWait(t *testing.T) {
	for _, test := range []struct {
		bandwidth network.Bandwidth
		want      int
	}{
		{network.Bandwidth{Bytes: 10, Queue: 30, Longest: network.NoLongest}, 3},
		{network.Bandwidth{Bytes: 10, Queue: 31, Longest: network.NoLongest}, 4},
		{network.Bandwidth{Bytes: 10, Queue: 0, Longest: network.NoLongest}, 0},
		{network.Bandwidth{Bytes: 10, Queue: network.Unlimited, Longest: 7}, 7},
		{network.Bandwidth{Bytes: 10, Queue: 31, Longest: 2}, 2},
		{network.Bandwidth{Bytes: 0, Queue: 31, Longest: network.NoLongest}, 0},
		{network.Bandwidth{Bytes: network.Unlimited, Queue: 30, Longest: network.NoLongest, Edges: []network.EdgeBandwidth{{From: 1, To: 0, Bytes: 4}}}, 8},
	} {
		e := mustEffects(t, network.Options{Nodes: 2, Delay: network.Constant{Delay: 5}, Bandwidth: &test.bandwidth})
		if got := e.MaxDelay(); got != 5+test.want {
			t.Errorf("%+v: delays up to %d, want %d", test.bandwidth, got, 5+test.want)
		}
		if !e.Limits() {
			t.Errorf("%+v: no limits", test.bandwidth)
		}
	}
	e := mustEffects(t, network.Options{Nodes: 3, Bandwidth: &network.Bandwidth{Bytes: 9, Queue: 1, Longest: network.NoLongest,
		Edges: []network.EdgeBandwidth{{From: 2, To: 0, Bytes: 4}, {From: 0, To: 2, Bytes: 5}}}})
	for edge, want := range map[[2]int]int64{{0, 2}: 5, {2, 0}: 4, {0, 1}: 9, {1, 2}: 9} {
		if got, queue, longest := e.Bandwidth(messages.NodeID(edge[0]), messages.NodeID(edge[1])); got != want || queue != 1 || longest != 1 {
			t.Errorf("edge %v carries %d, %d, %d", edge, got, queue, longest)
		}
	}
}
