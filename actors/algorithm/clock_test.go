package algorithm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/messages"
)

// reading is that of a clock.
type reading struct{ Turn, Offset, Step, Hop int }

func readings(s *Schedule) []reading {
	var m []reading
	for c := s.Clock(); !c.Done(); c.Next() {
		m = append(m, reading{c.Turn, c.Offset, c.Step, c.Hop})
	}
	return m
}

func TestClock(t *testing.T) {
	tests := []struct {
		name string
		of   Schedule
		want []reading
	}{
		{"no steps", Schedule{FirstStep: 1}, nil},
		{"one hop a step", Schedule{FirstStep: 1, Steps: 3}, []reading{{0, 0, 1, 0}, {1, 1, 2, 0}, {2, 2, 3, 0}}},
		{"from step 0", Schedule{Steps: 2}, []reading{{0, 0, 0, 0}, {1, 1, 1, 0}}},
		{
			"three hops in every second step",
			Schedule{FirstStep: 1, Steps: 3, Hops: func(offset int) int { return 1 + 2*(offset%2) }},
			[]reading{{0, 0, 1, 0}, {1, 1, 2, 0}, {2, 1, 2, 1}, {3, 1, 2, 2}, {4, 2, 3, 0}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readings(&test.of)); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
		})
	}
}

// For any H(t) the readings are the steps in order, each with its hops in
// order, and Hops is asked about steps of the run only.
func TestClockCountsTheHops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hops := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 20).Draw(t, "hops")
		first := rapid.IntRange(0, 1).Draw(t, "first step")
		var want []reading
		for offset, h := range hops {
			for hop := range h {
				want = append(want, reading{len(want), offset, first + offset, hop})
			}
		}
		got := readings(&Schedule{FirstStep: first, Steps: len(hops), Hops: func(offset int) int { return hops[offset] }})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("readings (-want +got):\n%s", diff)
		}
	})
}

// Who acts is cut to the nodes that there are.
func TestActing(t *testing.T) {
	of := Schedule{Steps: 4, Nodes: 5}
	clock := of.Clock()
	if first, end := clock.Acting(); first != 0 || end != 5 {
		t.Errorf("without a schedule %d .. %d act, want all", first, end-1)
	}
	ranges := [][2]messages.NodeID{{0, 1}, {2, 2}, {-3, 99}, {3, 5}}
	want := [][2]messages.NodeID{{0, 1}, {2, 2}, {0, 5}, {3, 5}}
	of.Acts = func(offset, hop int) (first, end messages.NodeID) { return ranges[offset][0], ranges[offset][1] }
	for ; !clock.Done(); clock.Next() {
		if first, end := clock.Acting(); [2]messages.NodeID{first, end} != want[clock.Offset] {
			t.Errorf("offset %d: %d .. %d act, want %v", clock.Offset, first, end-1, want[clock.Offset])
		}
	}
}
