package study

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
	"starling/messages"
)

// TestPoints checks the steps of records by their definition: ascending
// multiples of the interval, and the last step.
func TestPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Horizon: rapid.IntRange(1, 2000).Draw(t, "horizon"), Measure: Measure{Every: rapid.IntRange(0, 2500).Draw(t, "every")}}
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
		if got := measuredCount(&File{Nodes: test.nodes, Measure: Measure{Nodes: test.given}}); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestSampleIsUniform draws 3 of 10 nodes 30,000 times. A node's count is
// binomial with mean 9,000 and deviation sqrt(30000 0.3 0.7) = 79.4; six of
// them are exceeded by one of ten counts with chance below 2e-8.
func TestSampleIsUniform(t *testing.T) {
	counts := make([]int, 10)
	r := rng.New(1)
	for range 30_000 {
		for _, node := range sample(r, 10, 3) {
			counts[node]++
		}
	}
	for node, count := range counts {
		if count < 9000-477 || count > 9000+477 {
			t.Errorf("node %d was drawn %d times, want 9000 within 477", node, count)
		}
	}
}

// Steps that a scenario names are recorded besides the regular ones, once each.
func TestPointsAtGivenSteps(t *testing.T) {
	f := &File{Horizon: 100, Measure: Measure{Every: 40, At: []int{7, 80, 1}}}
	if diff := cmp.Diff([]int{1, 7, 40, 80, 100}, pointsOf(f, 1, pointCount(f))); diff != "" {
		t.Errorf("points (-want +got)\n%s", diff)
	}
}
