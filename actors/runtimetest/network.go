package runtimetest

import (
	"pgregory.net/rapid"

	"starling/actors/network"
	"starling/messages"
)

// DrawNetwork draws effects on n nodes over about so many turns: any
// combination, extremes among them.
func DrawNetwork(t *rapid.T, n, turns int) *network.Effects {
	return must(network.New(drawOptions(t, n, turns)))
}

// drawOptions draws each effect on its own, so that all combinations come up.
func drawOptions(t *rapid.T, n, turns int) network.Options {
	o := network.Options{Nodes: n, Seed: rapid.Uint64().Draw(t, "network seed"), Patience: rapid.IntRange(0, 4).Draw(t, "patience")}
	o.Delay = drawDelay(t, n, turns)
	if rapid.Bool().Draw(t, "local links") {
		o.Local = func(from, to messages.NodeID) bool { return (from+2*to)%3 == 0 }
	}
	probability := rapid.SampledFrom([]float64{0, 0.1, 0.5, 0.9, 1})
	switch rapid.IntRange(0, 2).Draw(t, "loss") {
	case 1:
		o.Loss = network.Independent{Probability: probability.Draw(t, "lost")}
	case 2:
		o.Loss = network.Bursty{
			Enter: 0.2, Leave: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "leave"),
			LossGood: probability.Draw(t, "lost when good"), LossBad: probability.Draw(t, "lost when bad"),
		}
	}
	if rapid.Bool().Draw(t, "churn") {
		o.Churn = &network.Churn{Fail: 0.2, Recover: probability.Draw(t, "recover"), Forget: rapid.Bool().Draw(t, "churn forgets")}
	}
	for range rapid.IntRange(0, 3).Draw(t, "outages") {
		o.Outages = append(o.Outages, network.Outage{Nodes: drawNodes(t, n), Interval: drawInterval(t, turns), Forget: rapid.Bool().Draw(t, "forgets")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "partitions") {
		o.Partitions = append(o.Partitions, network.Partition{Groups: [][]messages.NodeID{drawNodes(t, n)}, Interval: drawInterval(t, turns)})
	}
	for range rapid.IntRange(0, 2).Draw(t, "stragglings") {
		o.Stragglings = append(o.Stragglings, network.Straggling{
			Nodes: drawNodes(t, n), Interval: drawInterval(t, turns), Turns: rapid.IntRange(0, 3).Draw(t, "turns"),
		})
	}
	return o
}

// DrawLimitedNetwork is DrawNetwork with limited bandwidth. A mixer's messages
// have up to 85 bytes.
func DrawLimitedNetwork(t *rapid.T, n, turns int) *network.Effects {
	o := drawOptions(t, n, turns)
	bytes := rapid.SampledFrom([]int64{0, 1, 20, 45, 90, 300, network.Unlimited})
	b := &network.Bandwidth{Bytes: bytes.Draw(t, "bytes"), Queue: network.Unlimited, Longest: network.NoLongest}
	limit := rapid.IntRange(0, 2).Draw(t, "limit")
	if limit != 0 {
		b.Queue = rapid.SampledFrom([]int64{0, 1, 60, 200, 2000}).Draw(t, "queue")
	}
	if limit != 1 {
		b.Longest = rapid.SampledFrom([]int{0, 1, 3, turns, 1000}).Draw(t, "longest")
	}
	b.Edges = []network.EdgeBandwidth{{From: 0, To: messages.NodeID(n - 1), Bytes: bytes.Draw(t, "bytes of an edge")}}
	o.Bandwidth = b
	return must(network.New(o))
}

// drawDelay draws a law of delays, nil among them.
func drawDelay(t *rapid.T, n, turns int) network.Delay {
	switch rapid.IntRange(0, 4).Draw(t, "delay") {
	case 1:
		return network.Constant{Delay: rapid.SampledFrom([]int{0, 1, 3, turns, 1000}).Draw(t, "constant")}
	case 2:
		return network.Uniform{Least: rapid.IntRange(0, 2).Draw(t, "least"), Longest: rapid.IntRange(2, 5).Draw(t, "longest")}
	case 3:
		return network.Geometric{Arrive: 0.4, Longest: rapid.IntRange(0, 6).Draw(t, "longest")}
	case 4:
		edge := network.EdgeDelay{From: messages.NodeID(n - 1), To: 0, Turns: 2}
		return must(network.NewTable([]network.EdgeDelay{edge}, rapid.IntRange(0, 1).Draw(t, "rest")))
	}
	return nil
}

// drawNodes draws a set of nodes, all and none among them.
func drawNodes(t *rapid.T, n int) []messages.NodeID {
	var list []messages.NodeID
	share := rapid.SampledFrom([]int{0, 1, 5, 10}).Draw(t, "tenths")
	for i := range n {
		if rapid.IntRange(0, 9).Draw(t, "among") < share {
			list = append(list, messages.NodeID(i))
		}
	}
	return list
}

// drawInterval draws a time that may begin with the run or after it, and may have no end.
func drawInterval(t *rapid.T, turns int) network.Interval {
	first := rapid.IntRange(0, turns).Draw(t, "first")
	if rapid.Bool().Draw(t, "forever") {
		return network.Interval{First: first, End: network.Forever}
	}
	return network.Interval{First: first, End: first + rapid.IntRange(1, turns+1).Draw(t, "length")}
}
