package algorithm_test

import (
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
)

// The sum is of all blocks, whatever it held before, and lacks nobody.
func TestGather(t *testing.T) {
	const clients = messages.BlockSize + 2
	fill := func(senders int) *messages.Blocks {
		blocks := messages.NewBlocks(clients+1, 2) // the server has a place in them, too
		var sent [2][]messages.Envelope
		for i := range senders {
			block := (i + 1) / messages.BlockSize
			sent[block] = append(sent[block], messages.Envelope{From: messages.NodeID(i + 1), Payload: &messages.Vector{Values: []float64{1, float64(i)}}})
		}
		for block := range sent {
			blocks.Fill(block, sent[block], algorithm.StarSum{}.Fold)
		}
		return blocks
	}
	sum := algorithm.StarSum{7, math.NaN()}
	if err := sum.Gather(fill(clients), clients, "sums"); err != nil || !slices.Equal(sum, algorithm.StarSum{clients, clients * (clients - 1) / 2}) {
		t.Errorf("%v, %v", sum, err)
	}
	if err := sum.Gather(fill(clients-1), clients, "sums"); err == nil || err.Error() != "65 of 66 clients sent their sums" {
		t.Errorf("%v", err)
	}
}

// Epsilons add up, and compose to less at a delta; what is infinite stays so.
func TestCompose(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		count   int
		delta   float64
		least   float64
		most    float64
	}{{0.1, 100, 0, 10, 10}, {0.1, 100, 1e-3, 2, 6}, {math.Inf(1), 2, 1e-3, math.Inf(1), math.Inf(1)}} {
		if got, err := algorithm.ComposeReleases(c.epsilon, c.count, c.delta); err != nil || !(got >= c.least*(1-1e-12) && got <= c.most*(1+1e-12)) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}
