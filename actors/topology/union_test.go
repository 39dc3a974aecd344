package topology_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/topology"
	"starling/messages"
)

// A union has an edge where a part has one, with weight 1, and repeats when all parts do.
func TestUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "nodes")
		var parts []topology.Sequence
		for k := range rapid.IntRange(1, 3).Draw(t, "parts") {
			every := rapid.IntRange(0, 3).Draw(t, "every")
			drawn, err := topology.ErdosRenyi{Nodes: n, Probability: 0.4, Directed: true, Redraw: topology.Redraw{Every: every, Seed: uint64(k)}}.Sequence()
			if err != nil {
				t.Fatal(err)
			}
			times := (&topology.Schedule{Every: rapid.IntRange(1, 3).Draw(t, "schedule")}).Times(n, 1)
			parts = append(parts, times.Over(drawn, topology.Empty(n)))
		}
		u, err := topology.NewUnion(parts...)
		if err != nil {
			t.Fatal(err)
		}
		period, repeats := u.Period()
		for step := range 12 {
			g := u.At(step)
			for i := range messages.NodeID(n) {
				for j := range messages.NodeID(n) {
					want := 0.0
					if slices.ContainsFunc(parts, func(p topology.Sequence) bool { return p.At(step).HasEdge(j, i) }) {
						want = 1
					}
					if got := g.Weight(i, j); got != want || repeats && u.At(step+period).Weight(i, j) != want {
						t.Fatalf("step %d: weight %v of %d for %d, want %v", step+1, got, i+1, j+1, want)
					}
				}
			}
			for other := range step {
				if u.Epoch(other) == u.Epoch(step) && u.At(other).Edges() != g.Edges() {
					t.Fatalf("steps %d and %d have one epoch and not one graph", other+1, step+1)
				}
			}
		}
	})
}

// A phased cycle begins each phase with its first part and shows a part for its number of steps.
func TestPhasedCycle(t *testing.T) {
	parts := []topology.Sequence{topology.Static(topology.Empty(2)), topology.Static(topology.Alone(2))}
	c, err := topology.NewPhasedCycle([]topology.Phase{{From: 1, Every: 1}, {From: 4, Every: 2}, {From: 9, Every: 1}}, parts...)
	if err != nil {
		t.Fatal(err)
	}
	var shown []int
	for step := range 10 {
		shown = append(shown, c.At(step).Edges()/2)
	}
	if want := []int{0, 1, 0, 0, 0, 1, 1, 0, 0, 1}; !slices.Equal(shown, want) {
		t.Errorf("parts %v, want %v", shown, want)
	}
	if _, repeats := c.Period(); repeats {
		t.Error("phases repeat")
	}
	for _, phases := range [][]topology.Phase{nil, {{From: 2, Every: 1}}, {{From: 1, Every: 0}}, {{From: 1, Every: 1}, {From: 1, Every: 2}}} {
		if _, err := topology.NewPhasedCycle(phases, parts...); err == nil {
			t.Errorf("%v: no error", phases)
		}
	}
}
