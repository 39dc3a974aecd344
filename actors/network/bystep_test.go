package network_test

import (
	"testing"

	"starling/actors/network"
	"starling/messages"
)

// Of a run of steps with 1, 2 and 4 turns, a message that is due within a step is in time or lost, and
// one that is due in the next step comes as many steps later as the effects of steps say, at the first turn
// of one in which its receiver is up, within the patience.
func TestByStep(t *testing.T) {
	const steps, nodes = 12, 5
	hops := func(offset int) int { return []int{1, 2, 4}[offset%3] }
	for seed := range uint64(50) {
		e := mustEffects(t, network.Options{
			Nodes: nodes, Seed: seed, Delay: network.Uniform{Longest: 2}, Loss: network.Independent{Probability: 0.2},
			Churn: &network.Churn{Fail: 0.2, Recover: 0.5, Forget: true}, Patience: int(seed % 3),
		})
		b := network.NewByStep(e, steps, hops)
		var first [steps + 1]int
		for offset := range steps {
			first[offset+1] = first[offset] + hops(offset)
		}
		for offset := range steps {
			for hop := range hops(offset) {
				turn := first[offset] + hop
				for from := range messages.NodeID(nodes) {
					if got, want := b.Up(from, turn), e.Up(from, offset); got != want {
						t.Fatalf("node %d is up in turn %d: %v, want %v", from, turn, got, want)
					}
					if got, want := b.Restarts(from, turn), hop == 0 && e.Restarts(from, offset); got != want {
						t.Fatalf("node %d restarts in turn %d: %v, want %v", from, turn, got, want)
					}
					for to := range messages.NodeID(nodes) {
						delay, lost := b.Fate(from, to, turn)
						late, gone := e.Fate(from, to, offset)
						want := turn + 1
						if last := hop == hops(offset)-1; last {
							arrives := offset + 1 + late
							for arrives < steps && !e.Up(to, arrives) {
								arrives++
							}
							gone = gone || arrives > offset+1+late+e.Patience()
							want = first[min(arrives, steps)]
						} else {
							gone = gone || late > 0 || !e.Up(to, offset)
						}
						if lost != gone || !lost && turn+1+delay != want || delay > b.MaxDelay() {
							t.Fatalf("from %d to %d in turn %d: lost %v, in turn %d; want %v, %d", from, to, turn, lost, turn+1+delay, gone, want)
						}
					}
				}
			}
		}
	}
}
