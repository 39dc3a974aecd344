package topology_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

// unionOf makes the union of graphs in gonum's own representation.
func unionOf(graphs ...*topology.Graph) *simple.DirectedGraph {
	union := simple.NewDirectedGraph()
	for v := range graphs[0].Nodes() {
		union.AddNode(simple.Node(v))
	}
	for _, g := range graphs {
		for v := range g.Nodes() {
			for _, w := range g.Out(messages.NodeID(v)) {
				if int(w) != v { // gonum's simple graphs have no self-loops
					union.SetEdge(simple.Edge{F: simple.Node(v), T: simple.Node(w)})
				}
			}
		}
	}
	return union
}

func TestComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, err := topology.FromDense(drawDense(t, 12))
		if err != nil {
			t.Fatal(err)
		}
		label, count := topology.Components(g)
		want := topo.TarjanSCC(unionOf(g))
		if count != len(want) || len(label) != g.Nodes() {
			t.Fatalf("%d components, gonum finds %d", count, len(want))
		}
		seen := make([]bool, count)
		for _, component := range want {
			c := label[component[0].ID()]
			if seen[c] {
				t.Fatalf("component %d is two of gonum's", c)
			}
			seen[c] = true
			for _, v := range component {
				if label[v.ID()] != c {
					t.Fatalf("nodes %d and %d are apart, gonum has them together", component[0].ID(), v.ID())
				}
			}
		}
		for v := range g.Nodes() {
			for _, w := range g.Out(messages.NodeID(v)) {
				if label[w] > label[v] {
					t.Fatalf("component %d reaches %d, which is numbered later", label[v], label[w])
				}
			}
		}
	})
}

// TestComponentsOfLongPaths would overflow a recursion's stack or time out if
// the search were not iterative and linear.
func TestComponentsOfLongPaths(t *testing.T) {
	const n = 1_000_000
	edges := make([]topology.Edge, n-1)
	for i := range edges {
		edges[i] = topology.Edge{From: messages.NodeID(i), To: messages.NodeID(i + 1), Weight: 1}
	}
	path, err := topology.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	if _, count := topology.Components(path); count != n {
		t.Errorf("a path of %d nodes has %d components", n, count)
	}
	ring := mustSequence(t, topology.Ring{Nodes: n}).At(0)
	if _, count := topology.Components(ring); count != 1 {
		t.Errorf("a ring of %d nodes has %d components", n, count)
	}
}

// listed is a sequence without period that shows graphs[order[step]].
type listed struct {
	graphs []*topology.Graph
	order  []int
}

func (l listed) Nodes() int                  { return l.graphs[0].Nodes() }
func (l listed) At(step int) *topology.Graph { return l.graphs[l.order[step]] }
func (l listed) Period() (int, bool)         { return 0, false }
func (l listed) Epoch(step int) int          { return l.order[step] }

// drawSequence draws a periodic or listed sequence of sparse graphs that is
// defined on the horizon.
func drawSequence(t *rapid.T, horizon int) topology.Sequence {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	node := rapid.IntRange(0, n-1)
	var graphs []*topology.Graph
	for range rapid.IntRange(1, 4).Draw(t, "graphs") {
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
		}
		for range rapid.IntRange(0, n+1).Draw(t, "edges") {
			a[node.Draw(t, "to")][node.Draw(t, "from")] = 1
		}
		g, err := topology.FromDense(a)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	if rapid.Bool().Draw(t, "periodic") {
		seq, err := topology.NewPeriodic(graphs...)
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	index := rapid.IntRange(0, len(graphs)-1)
	return listed{graphs, rapid.SliceOfN(index, horizon, horizon).Draw(t, "order")}
}

// firstGap returns the first window of B steps whose union gonum finds not
// strongly connected, -1 if there is none.
func firstGap(seq topology.Sequence, horizon, B int) int {
	for first := 0; first+B <= horizon; first++ {
		var window []*topology.Graph
		for step := first; step < first+B; step++ {
			window = append(window, seq.At(step))
		}
		if len(topo.TarjanSCC(unionOf(window...))) != 1 {
			return first
		}
	}
	return -1
}

// checkCutOff compares the nodes an error names with gonum's paths.
func checkCutOff(t *rapid.T, seq topology.Sequence, fault *topology.ConnectivityError) {
	var window []*topology.Graph
	for step := fault.First; step <= fault.Last; step++ {
		window = append(window, seq.At(step))
	}
	union := unionOf(window...)
	var unreached, unreaching []messages.NodeID
	root := simple.Node(fault.From)
	for v := range seq.Nodes() {
		if !topo.PathExistsIn(union, root, simple.Node(v)) {
			unreached = append(unreached, messages.NodeID(v))
		}
		if !topo.PathExistsIn(union, simple.Node(v), root) {
			unreaching = append(unreaching, messages.NodeID(v))
		}
	}
	if !slices.Equal(fault.Unreached, unreached) || !slices.Equal(fault.Unreaching, unreaching) {
		t.Fatalf("cut off are %v and %v, gonum finds %v and %v", fault.Unreached, fault.Unreaching, unreached, unreaching)
	}
	if len(unreached)+len(unreaching) == 0 {
		t.Fatal("the window is strongly connected")
	}
}

// TestWindowsAgainstEveryUnion compares both checks with gonum's components of
// the union over every window of every length (DPDO-NC, Section 2.1).
func TestWindowsAgainstEveryUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		horizon := rapid.IntRange(1, 10).Draw(t, "horizon")
		seq := drawSequence(t, horizon)
		smallest := 0
		for B := horizon; B >= 1; B-- {
			first := firstGap(seq, horizon, B)
			if first < 0 {
				smallest = B
			}
			err := topology.CheckWindows(seq, horizon, B)
			var fault *topology.ConnectivityError
			switch {
			case first < 0 && err != nil:
				t.Fatalf("B = %d: %v", B, err)
			case first >= 0 && (!errors.As(err, &fault) || fault.First != first || fault.Last != first+B-1):
				t.Fatalf("B = %d: error is %v, want the window from step %d (from 0)", B, err, first)
			case first >= 0:
				checkCutOff(t, seq, fault)
			}
		}
		B, err := topology.SmallestWindow(seq, horizon)
		var fault *topology.ConnectivityError
		switch {
		case smallest > 0 && (err != nil || B != smallest):
			t.Fatalf("smallest window is %d, %v, want %d", B, err, smallest)
		case smallest == 0 && (!errors.As(err, &fault) || fault.First != 0 || fault.Last != horizon-1):
			t.Fatalf("smallest window is %d, %v, want an error for the horizon", B, err)
		case smallest == 0:
			checkCutOff(t, seq, fault)
		}
	})
}

// TestPrintedSequenceNeedsTwoSteps: A3 alone keeps the parities apart, A3 and A1
// together do not.
func TestPrintedSequenceNeedsTwoSteps(t *testing.T) {
	seq := printedCycle(t)
	for horizon, want := range map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 500: 2, 1 << 40: 2} {
		if B, err := topology.SmallestWindow(seq, horizon); B != want || err != nil {
			t.Errorf("horizon %d: smallest window %d, %v, want %d", horizon, B, err, want)
		}
	}
	if err := topology.CheckWindows(seq, 500, 2); err != nil {
		t.Error(err)
	}
	err := topology.CheckWindows(seq, 500, 1)
	want := &topology.ConnectivityError{
		First: 2, Last: 2, Base: 1,
		Unreached: []messages.NodeID{1, 3, 5}, Unreaching: []messages.NodeID{1, 3, 5},
	}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
	text := "the union of the graphs over steps [3..3] is not strongly connected:" +
		" node 1 does not reach nodes 2, 4, 6; node 1 is not reached from nodes 2, 4, 6"
	if option.Message(err) != text {
		t.Errorf("text is %q, want %q", err, text)
	}
}

// twoRings returns a graph of two rings with no edge between them, the second
// of n nodes, and an edge from the first to the second if joined.
func twoRings(t testing.TB, n int, joined bool) *topology.Graph {
	t.Helper()
	edges := []topology.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 0, Weight: 1}}
	for i := range n {
		edges = append(edges, topology.Edge{From: messages.NodeID(2 + i), To: messages.NodeID(2 + (i+1)%n), Weight: 1})
	}
	if joined {
		edges = append(edges, topology.Edge{From: 1, To: 2, Weight: 1})
	}
	g, err := topology.FromEdges(2+n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestConnectivityErrorText(t *testing.T) {
	const of500 = "the union of the graphs over steps [1..500] is not strongly connected:"
	tests := []struct {
		graph *topology.Graph
		want  string
	}{
		{twoRings(t, 2, true), of500 + " node 1 is not reached from nodes 3, 4"},
		{twoRings(t, 1, true), of500 + " node 1 is not reached from node 3"},
		{twoRings(t, 10, true), of500 + " node 1 is not reached from nodes 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"},
		{twoRings(t, 13, false), of500 + " node 1 does not reach nodes 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more;" +
			" node 1 is not reached from nodes 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more"},
	}
	for _, test := range tests {
		_, err := topology.SmallestWindow(topology.Static(test.graph), 500)
		if err == nil || option.Message(err) != test.want {
			t.Errorf("error is %v, want %q", err, test.want)
		}
	}
	_, err := topology.SmallestWindow(topology.Static(twoRings(t, 2, true)), 500)
	var fault *topology.ConnectivityError
	if !errors.As(err, &fault) || !slices.Equal(fault.Unreaching, []messages.NodeID{2, 3}) || fault.Unreached != nil {
		t.Fatalf("error is %#v", err)
	}
	fault.Base = 0
	if got, want := fault.Error(), "the union of the graphs over steps [0..499]"; got[:len(want)] != want {
		t.Errorf("text with base 0 is %q", got)
	}
}

func TestWindowOptionsOutOfRange(t *testing.T) {
	seq := printedCycle(t)
	if _, err := topology.SmallestWindow(seq, 0); err == nil || option.Message(err) != "horizon is 0, want at least 1" {
		t.Errorf("smallest window of no steps: %v", err)
	}
	if err := topology.CheckWindows(seq, 0, 1); err == nil || option.Message(err) != "horizon is 0, want at least 1" {
		t.Errorf("windows of no steps: %v", err)
	}
	for _, B := range []int{0, 5} {
		want := fmt.Sprintf("B is %d, want 1 to 4: the horizon", B)
		if err := topology.CheckWindows(seq, 4, B); err == nil || option.Message(err) != want {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

// TestLongWindowsOfRedrawnGraphs has one edge a step: window and horizon are
// long, and a check that looked at each window anew would take minutes.
func TestLongWindowsOfRedrawnGraphs(t *testing.T) {
	const n, rounds = 400, 5
	var graphs []*topology.Graph
	var order []int
	for i := range n {
		g, err := topology.FromEdges(n, []topology.Edge{{From: messages.NodeID(i), To: messages.NodeID((i + 1) % n), Weight: 1}})
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	for step := range rounds * n {
		order = append(order, step%n)
	}
	// All n edges of the ring are needed, and any n steps in a row show them.
	if B, err := topology.SmallestWindow(listed{graphs, order}, len(order)); B != n || err != nil {
		t.Errorf("smallest window is %d, %v, want %d", B, err, n)
	}
	if B, err := topology.SmallestWindow(listed{graphs, order}, n-1); err == nil {
		t.Errorf("smallest window is %d without the last edge of the ring", B)
	}
}

// componentsOfUnion is gonum's number of components of the union over a window.
func componentsOfUnion(seq topology.Sequence, first, length int) int {
	var window []*topology.Graph
	for step := first; step < first+length; step++ {
		window = append(window, seq.At(step))
	}
	return len(topo.TarjanSCC(unionOf(window...)))
}
