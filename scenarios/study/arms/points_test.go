package arms

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/messages"
	"starling/scenarios/study"
)

// TestPoints checks the steps of records by their definition: ascending
// multiples of the interval, and the last step.
func TestPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &study.File{Horizon: rapid.IntRange(1, 2000).Draw(t, "horizon"), Measure: study.Measure{Every: rapid.IntRange(0, 2500).Draw(t, "every")}}
		first := rapid.IntRange(0, 1).Draw(t, "first")
		every := f.Measure.Every
		if every == 0 {
			every = max(1, f.Horizon/100)
		}
		var want []int
		for k := 1; k <= f.Horizon; k++ {
			if k%every == 0 || k == f.Horizon {
				want = append(want, first-1+k)
			}
		}
		if diff := cmp.Diff(want, pointsOf(f, first, pointCount(f))); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

// TestMeasured checks samples of nodes: as many as asked for, ascending and so
// distinct, and all where all are wanted.
func TestMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 3000).Draw(t, "nodes")
		count := rapid.IntRange(1, nodes).Draw(t, "count")
		list := measuredOf(nodes, count)
		if len(list) != count {
			t.Fatalf("%d nodes, want %d", len(list), count)
		}
		last := messages.NodeID(-1)
		for _, node := range list {
			if node <= last || int(node) >= nodes {
				t.Fatalf("node %d after %d of %d", node, last, nodes)
			}
			last = node
		}
	})
	for _, test := range []struct{ given, nodes, want int }{{0, 6, 6}, {0, 1000, 1000}, {0, 1001, 100}, {4, 6, 4}, {9, 6, 6}} {
		if got := measuredCount(&study.File{Nodes: test.nodes, Measure: study.Measure{Nodes: test.given}}); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// Steps that a scenario names are recorded besides the regular ones, once each.
func TestPointsAtGivenSteps(t *testing.T) {
	f := &study.File{Horizon: 100, Measure: study.Measure{Every: 40, At: []int{7, 80, 1}}}
	if diff := cmp.Diff([]int{1, 7, 40, 80, 100}, pointsOf(f, 1, pointCount(f))); diff != "" {
		t.Errorf("points (-want +got)\n%s", diff)
	}
}
