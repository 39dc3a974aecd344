package topology_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/messages"
)

func TestCycleTakesTurns(t *testing.T) {
	ring := mustSequence(t, topology.Ring{Nodes: 8})
	peers := mustSequence(t, topology.OnePeer{Nodes: 8, Directed: true}) // period 3
	seq, err := topology.NewCycle(2, ring, peers)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 24 {
		want := ring.At(step)
		if step/2%2 == 1 {
			want = peers.At(step)
		}
		if seq.At(step) != want || seq.At(step+12) != want {
			t.Errorf("step %d shows another graph", step)
		}
	}
	if p, ok := seq.Period(); p != 12 || !ok || seq.Nodes() != 8 {
		t.Errorf("period %d, %v, %d nodes, want 12, true, 8", p, ok, seq.Nodes())
	}
	drawn := mustSequence(t, topology.Matching{Nodes: 8, Redraw: topology.Redraw{Every: 5}})
	mixed, err := topology.NewCycle(1, ring, drawn)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := mixed.Period(); ok {
		t.Error("a cycle with draws has a period")
	}
	checkEpochs(t, mixed, 40)
}

// checkEpochs holds a sequence to what Epoch promises: equal epochs, equal graphs.
func checkEpochs(t failer, seq topology.Sequence, steps int) {
	t.Helper()
	first := map[int]*topology.Graph{}
	for step := range steps {
		g := seq.At(step)
		if seen, found := first[seq.Epoch(step)]; !found {
			first[seq.Epoch(step)] = g
		} else if !sameGraph(seen, g) {
			t.Fatalf("epoch %d has two graphs, one at step %d", seq.Epoch(step), step)
		}
	}
}

func TestNewCycleRefuses(t *testing.T) {
	ring := mustSequence(t, topology.Ring{Nodes: 8})
	other := mustSequence(t, topology.Ring{Nodes: 7})
	for _, test := range []struct {
		every int
		parts []topology.Sequence
		want  string
	}{
		{0, []topology.Sequence{ring}, "every is 0, want at least 1"},
		{1, nil, "no parts, want at least one"},
		{1, []topology.Sequence{ring, other}, "part 2 has 7 nodes, part 1 has 8"},
	} {
		if _, err := topology.NewCycle(test.every, test.parts...); err == nil || option.Message(err) != test.want {
			t.Errorf("error is %v, want %q", err, test.want)
		}
	}
}

// network is the reference for scripts: a matrix of who hears whom, and the
// events applied to it one at a time by their words.
type network struct {
	rewired map[[2]int]bool
	crashed map[int]bool
	groups  [][]int
}

func (w *network) play(e topology.Event) {
	if e.Rewire != nil {
		for _, list := range []struct {
			edges [][2]int
			there bool
		}{{e.Rewire.Remove, false}, {e.Rewire.Add, true}} {
			for _, edge := range list.edges {
				w.rewired[edge] = list.there
				if !e.Rewire.Directed {
					w.rewired[[2]int{edge[1], edge[0]}] = list.there
				}
			}
		}
	}
	if e.Heal {
		w.groups = nil
	}
	if e.Partition != nil {
		w.groups = e.Partition
	}
	delete(w.crashed, e.Recover)
	if e.Crash > 0 {
		w.crashed[e.Crash] = true
	}
}

// groupOf returns the position of a node's group, -1 for the rest.
func (w *network) groupOf(node int) int {
	for k, group := range w.groups {
		for _, member := range group {
			if member == node {
				return k
			}
		}
	}
	return -1
}

func (w *network) hears(below bool, from, to int) bool {
	there, said := w.rewired[[2]int{from, to}]
	return (there || below && !said) && !w.crashed[from] && !w.crashed[to] && w.groupOf(from) == w.groupOf(to)
}

// drawScript draws a valid script in order of steps.
func drawScript(t *rapid.T, n int) topology.Script {
	node := rapid.IntRange(1, n)
	edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int { return [2]int{node.Draw(t, "a"), node.Draw(t, "b")} }), 1, 4)
	var s topology.Script
	crashed, cut, at := 0, false, 1
	for range rapid.IntRange(1, 8).Draw(t, "events") {
		at += rapid.IntRange(0, 2).Draw(t, "later")
		e := topology.Event{At: at}
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0 && crashed == 0:
			crashed = node.Draw(t, "node")
			e.Crash = crashed
		case kind == 0:
			e.Recover, crashed = crashed, 0
		case kind == 1 && cut:
			e.Heal, cut = true, false
		case kind <= 2:
			order := rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "order")
			e.Partition, cut = [][]int{order[:2], order[2:3]}, true
		default:
			e.Rewire = &topology.Rewire{Add: edges.Draw(t, "add"), Remove: edges.Draw(t, "remove"), Directed: rapid.Bool().Draw(t, "directed")}
		}
		s.Events = append(s.Events, e)
	}
	return s
}

// TestScriptsAgainstTheirWords compares each step with the matrix below and the
// events applied by their words; the weights of what was there stay.
func TestScriptsAgainstTheirWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 6
		below, err := topology.Permutations{Nodes: n, Degree: 2, Every: 3, Seed: rapid.Uint64().Draw(t, "seed")}.Sequence()
		if err != nil {
			t.Fatal(err)
		}
		script := drawScript(t, n)
		seq, err := script.Apply(below)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range rapid.Permutation([]int{0, 1, 2, 3, 5, 8, 20}).Draw(t, "steps") {
			w := network{rewired: map[[2]int]bool{}, crashed: map[int]bool{}}
			for _, e := range script.Events {
				if e.At <= step+1 {
					w.play(e)
				}
			}
			got, under := seq.At(step), below.At(step)
			want := dense(under)
			for i := range want {
				for j := range want[i] {
					there := w.hears(want[i][j] != 0, j+1, i+1)
					if !there {
						want[i][j] = 0
					} else if want[i][j] == 0 {
						want[i][j] = 1
					}
				}
			}
			if diff := cmp.Diff(want, dense(got)); diff != "" {
				t.Fatalf("step %d of %+v: %s", step, script.Events, diff)
			}
			for i := range messages.NodeID(n) {
				for _, to := range got.Out(i) {
					if !got.HasEdge(i, to) {
						t.Fatalf("node %d sends to %d, which does not hear it", i, to)
					}
				}
			}
		}
		checkEpochs(t, seq, 25)
	})
}

// TestScriptsAreOrderedByStep: events may be listed in any order, and none is no
// change.
func TestScriptsAreOrderedByStep(t *testing.T) {
	ring := mustSequence(t, topology.Ring{Nodes: 5})
	seq, err := topology.Script{Events: []topology.Event{{At: 9, Recover: 2}, {At: 4, Crash: 2}}}.Apply(ring)
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int]int{0: 10, 2: 10, 3: 7, 7: 7, 8: 10, 99: 10} {
		if got := seq.At(step).Edges(); got != want {
			t.Errorf("step %d has %d edges, want %d", step, got, want)
		}
	}
	if _, ok := seq.Period(); ok {
		t.Error("a script has a period")
	}
	// Epochs of a periodic sequence come again, while events do not.
	peers := mustSequence(t, topology.OnePeer{Nodes: 8})
	if seq, err = (topology.Script{Events: []topology.Event{{At: 5, Crash: 1}, {At: 7, Crash: 2}}}).Apply(peers); err != nil {
		t.Fatal(err)
	}
	checkEpochs(t, seq, 20)
	if same, err := (topology.Script{}).Apply(ring); same != ring || err != nil {
		t.Errorf("no events: %v, %v", same, err)
	}
}

func TestScriptRefuses(t *testing.T) {
	rewire := func(add ...[2]int) topology.Event { return topology.Event{At: 1, Rewire: &topology.Rewire{Add: add}} }
	tests := []struct {
		events      []topology.Event
		field, want string
	}{
		{[]topology.Event{{Heal: true}}, "events[0].at", "at is 0, want at least 1"},
		{[]topology.Event{{At: 1}}, "events[0]", "the event does nothing, want rewire, heal, partition, crash or recover"},
		{[]topology.Event{{At: 1, Crash: 6}}, "events[0].crash", "node 6, want 1 to 5"},
		{[]topology.Event{{At: 1, Recover: -1}}, "events[0].recover", "node -1, want 1 to 5"},
		{[]topology.Event{{At: 1, Partition: [][]int{{1}, {}}}}, "events[0].partition[1]", "group 2 is empty"},
		{[]topology.Event{{At: 1, Partition: [][]int{{1}, {2, 6}}}}, "events[0].partition[1][1]", "node 6, want 1 to 5"},
		{[]topology.Event{{At: 1, Partition: [][]int{{1, 2}, {2}}}}, "events[0].partition[1][0]", "node 2 is listed twice"},
		{[]topology.Event{{At: 1, Partition: [][]int{{1, 2, 3, 4, 5}}}}, "events[0].partition", "the partition cuts nothing, want at least two groups"},
		{[]topology.Event{{At: 1, Partition: [][]int{}}}, "events[0].partition", "the partition cuts nothing, want at least two groups"},
		{[]topology.Event{rewire()}, "events[0].rewire", "no edges, want add or remove"},
		{[]topology.Event{rewire([2]int{1, 2}, [2]int{1, 0})}, "events[0].rewire.add[1][1]", "node 0, want 1 to 5"},
		{[]topology.Event{{At: 1, Heal: true}}, "events[0].heal", "there is no partition to heal at step 1"},
		{[]topology.Event{{At: 1, Heal: true, Partition: [][]int{{1}}}}, "events[0].heal", "the event heals and partitions, want one; a partition replaces the one before"},
		{[]topology.Event{{At: 7, Crash: 2}, {At: 3, Crash: 2}}, "events[0].crash", "node 2 is crashed already at step 7"},
		{[]topology.Event{{At: 7, Crash: 2}, {At: 3, Recover: 2}}, "events[1].recover", "node 2 is not crashed at step 3"},
		{[]topology.Event{{At: 7, Crash: 2, Recover: 2}}, "events[0].recover", "node 2 crashes and recovers in one event"},
	}
	for _, test := range tests {
		seq, err := topology.Script{Events: test.events}.Apply(mustSequence(t, topology.Ring{Nodes: 5}))
		fault, ok := err.(*option.Error)
		if !ok || seq != nil || fault.Path != test.field || fault.Message != test.want {
			t.Errorf("%+v: %v, want %q at %s", test.events, err, test.want, test.field)
		}
	}
}
