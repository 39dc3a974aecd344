package algorithm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/messages"
)

// moment is a clock's reading.
type moment struct{ Turn, Offset, Step, Hop int }

func readings(r *algorithm.Run) []moment {
	var m []moment
	for c := r.Clock(); !c.Done(); c.Next() {
		m = append(m, moment{c.Turn, c.Offset, c.Step, c.Hop})
	}
	return m
}

func TestClock(t *testing.T) {
	tests := []struct {
		name string
		run  algorithm.Run
		want []moment
	}{
		{"no steps", algorithm.Run{FirstStep: 1}, nil},
		{"one hop a step", algorithm.Run{FirstStep: 1, Steps: 3}, []moment{{0, 0, 1, 0}, {1, 1, 2, 0}, {2, 2, 3, 0}}},
		{"from step 0", algorithm.Run{Steps: 2}, []moment{{0, 0, 0, 0}, {1, 1, 1, 0}}},
		{
			"three hops in every second step",
			algorithm.Run{FirstStep: 1, Steps: 3, Hops: func(offset int) int { return 1 + 2*(offset%2) }},
			[]moment{{0, 0, 1, 0}, {1, 1, 2, 0}, {2, 1, 2, 1}, {3, 1, 2, 2}, {4, 2, 3, 0}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readings(&test.run)); diff != "" {
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
		var want []moment
		for offset, h := range hops {
			for hop := range h {
				want = append(want, moment{len(want), offset, first + offset, hop})
			}
		}
		got := readings(&algorithm.Run{FirstStep: first, Steps: len(hops), Hops: func(offset int) int { return hops[offset] }})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("readings (-want +got):\n%s", diff)
		}
	})
}

// Who acts is cut to the nodes that there are.
func TestActing(t *testing.T) {
	run := algorithm.Run{Steps: 4, Machines: make([]algorithm.Machine, 5)}
	clock := run.Clock()
	if first, end := clock.Acting(); first != 0 || end != 5 {
		t.Errorf("without a schedule %d .. %d act, want all", first, end-1)
	}
	ranges := [][2]messages.NodeID{{0, 1}, {2, 2}, {-3, 99}, {3, 5}}
	want := [][2]messages.NodeID{{0, 1}, {2, 2}, {0, 5}, {3, 5}}
	run.Acts = func(offset, hop int) (first, end messages.NodeID) { return ranges[offset][0], ranges[offset][1] }
	for ; !clock.Done(); clock.Next() {
		if first, end := clock.Acting(); [2]messages.NodeID{first, end} != want[clock.Offset] {
			t.Errorf("offset %d: %d .. %d act, want %v", clock.Offset, first, end-1, want[clock.Offset])
		}
	}
}
