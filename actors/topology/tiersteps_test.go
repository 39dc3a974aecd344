package topology_test

import (
	"testing"

	"starling/actors/topology"
)

// The edges of a step are those below the highest level that takes part, by its own schedule or by one
// above it.
func TestTiersScheduled(t *testing.T) {
	g := topology.Tiers{Fan: []int{2, 2, 5}}
	var times []*topology.Times
	for _, every := range []int{10, 4} {
		s := topology.Schedule{Every: every}
		times = append(times, s.Times(1, 0))
	}
	seq, err := g.Scheduled(times)
	if err != nil {
		t.Fatal(err)
	}
	for step := 1; step <= 45; step++ {
		want := 2 * 20 // each of 20 clients with its server, both ways
		if step%10 == 0 || step%4 == 0 {
			want += 2 * 4
		}
		if step%10 == 0 {
			want += 2 * 2
		}
		if got := seq.At(step - 1).Edges(); got != want {
			t.Errorf("step %d has %d edges, want %d", step, got, want)
		}
	}
	if period, ok := seq.Period(); !ok || period != 20 {
		t.Errorf("period %d, %v; want 20", period, ok)
	}
}
